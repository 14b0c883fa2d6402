// nvmlkit root
#include "cli/root.hpp"

#include <memory>

#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command root_command() {
  return {.name = "root",
          .summary = "Lay out the files of a driver with a machine behind it, and a CDI specification for containers",
          .group = Group::real,
          .details =
              "The folder then has the libraries, device nodes, `/proc` and `/sys` of a driver. Its libraries find "
              "the machine without a variable, also in a container that another tool prepared.",
          .examples = {{"nvmlkit root /tmp/gpus -m h100", "a driver root with eight H100"},
                       {"nvmlkit root /tmp/gpus --name test-7", "containers share the machine that is up"},
                       {"nvmlkit root /var/lib/gpus -m h100 --mode 0666 --cdi-dir /etc/cdi",
                        "containers of every user get GPUs by `--device nvidia.com/gpu=0`"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<RootOptions>();
            arguments
                .argument("DIR", Kind::folder, options->folder, "A new or empty folder, or one that this command made")
                .required();
            declare_root(arguments, *options);
            return [options] {
              lay_out_root(*options);
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
