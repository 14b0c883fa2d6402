#include "cli/root.hpp"

namespace nvmlkit::cli {

void declare_root(Arguments& arguments, RootOptions& options) {
  arguments.option("--nvidia-smi", Kind::file, options.nvidia_smi, "The nvidia-smi to put in")
      .default_text("the one in PATH, else the one in DIR");
  arguments.flag("--chroot", options.chroot,
                 "Copy the C library of this host, too, so that `chroot DIR nvidia-smi` works");
  arguments.option("--cdi-version", Kind::text, options.cdi_version, "Version of the CDI specification")
      .label("VERSION")
      .only({"0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0"})
      .default_text("0.6.0");
  arguments.option("--cdi-kind", Kind::text, options.cdi_kind, "Kind of the devices in the CDI specification")
      .label("VENDOR/CLASS")
      .default_text("nvidia.com/gpu");
  arguments
      .option("--cdi-dir", Kind::folder, options.cdi_folder,
              "A folder of a container runtime, which gets the CDI specification as VENDOR-CLASS.yaml")
      .default_text("none");
  const auto hook = arguments.flag("--cdi-hook", options.cdi_hook,
                                   "Name a hook in the CDI specification: containers that ask for memory or load "
                                   "(annotations nvmlkit.io/memory, nvmlkit.io/load) are processes on their GPUs");
  arguments
      .option("--container-memory", Kind::text, options.container_memory,
              "Memory of each GPU for containers that do not ask: bytes, or as 512MiB or 2GiB")
      .label("SIZE")
      .default_text("none")
      .needs(hook);
  arguments
      .option("--container-load", Kind::text, options.container_load, "Load of each GPU for containers that do not ask")
      .label("PERCENT")
      .default_text("none")
      .needs(hook);
  options.permissions.declare(arguments);
  options.machine.declare(arguments);
}

}  // namespace nvmlkit::cli
