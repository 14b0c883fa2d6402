// nvmlkit smi
#include "smi/smi.hpp"

#include <memory>

#include "cli/commands.hpp"
#include "cli/library.hpp"

namespace nvmlkit::cli {

Command smi_command() {
  return {
      .name = "smi",
      .summary = "Print what nvidia-smi prints, without NVIDIA's program: of the NVIDIA driver here, or of a machine",
      .group = Group::real,
      .details =
          "The output is that of nvidia-smi of the branch of the loaded driver. The arguments are nvidia-smi's: "
          "none for the table, -L, -q, -q -x, -q -d, -i, --query-gpu, --query-compute-apps, topo -m, mig, dmon. "
          "The options of nvmlkit stand before them. An argument that both have, as -c, is nvidia-smi's behind "
          "`--`. The exit status is nvidia-smi's.",
      .examples = {{"nvmlkit smi -m h100 --driver 590", "the table of nvidia-smi 590 for eight H100"},
                   {"nvmlkit smi -m gb200 --driver 610 -q -x", "the log of nvidia-smi 610 as XML"},
                   {"nvmlkit smi --query-gpu=name,memory.used --format=csv", "the NVIDIA driver of this computer"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto library = std::make_shared<LibraryOptions>();
        arguments.foreign("ARGUMENT", "The arguments of nvidia-smi");
        library->declare(arguments);
        return [library, &node = arguments.node()] { return smi::run(library->choose(), node.program); };
      }};
}

}  // namespace nvmlkit::cli
