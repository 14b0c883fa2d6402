// nvmlkit root
#include "cli/root.hpp"

#include <memory>

#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command root_command() {
  return {.name = "root",
          .summary = "Lay out the files of a driver with a machine behind it, and a CDI specification for containers",
          .group = Group::real,
          .details = "The folder then has the libraries, device nodes, `/proc` and `/sys` of a driver.",
          .examples = {{"nvmlkit root /tmp/gpus -m h100", "a driver root with eight H100"},
                       {"nvmlkit root /tmp/gpus --name test-7", "containers share the machine that is up"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<RootOptions>();
            arguments
                .argument("DIR", Kind::folder, options->folder, "A new or empty folder, or one that this command made")
                .required();
            arguments.option("--nvidia-smi", Kind::file, options->nvidia_smi, "The nvidia-smi to put in")
                .default_text("the one in PATH");
            arguments.option("--cdi-version", Kind::text, options->cdi_version, "Version of the CDI specification")
                .label("VERSION")
                .only({"0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0"})
                .default_text("0.6.0");
            options->machine.declare(arguments);
            return [options] {
              lay_out_root(*options);
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
