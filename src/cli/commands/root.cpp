// nvmlkit root
#include "cli/root.hpp"

#include <memory>

#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command root_command() {
  return {
      .name = "root",
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
        arguments.argument("DIR", Kind::folder, options->folder, "A new or empty folder, or one that this command made")
            .required();
        arguments.option("--nvidia-smi", Kind::file, options->nvidia_smi, "The nvidia-smi to put in")
            .default_text("the one in PATH");
        arguments.option("--cdi-version", Kind::text, options->cdi_version, "Version of the CDI specification")
            .label("VERSION")
            .only({"0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0"})
            .default_text("0.6.0");
        arguments.option("--cdi-kind", Kind::text, options->cdi_kind, "Kind of the devices in the CDI specification")
            .label("VENDOR/CLASS")
            .default_text("nvidia.com/gpu");
        arguments
            .option("--cdi-dir", Kind::folder, options->cdi_folder,
                    "A folder of a container runtime, which gets the CDI specification as VENDOR-CLASS.yaml")
            .default_text("none");
        options->permissions.declare(arguments);
        options->machine.declare(arguments);
        return [options] {
          lay_out_root(*options);
          return 0;
        };
      }};
}

}  // namespace nvmlkit::cli
