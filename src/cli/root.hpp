// A driver root: the files of a driver with a machine behind it, and a CDI specification.
#pragma once

#include <string>

#include "cli/machine_options.hpp"
#include "cli/permissions.hpp"

namespace nvmlkit::cli {

struct RootOptions {
  MachineOptions machine;
  PermissionOptions permissions;
  std::string folder;
  std::string nvidia_smi;  // empty: the one in PATH, where there is one
  std::string cdi_version = "0.6.0";
  std::string cdi_kind = "nvidia.com/gpu";
  std::string cdi_folder;  // of a runtime, which gets the specification, too; empty: none
};

// The machine is the one that is up, where there is one and no option asks for another.
void lay_out_root(const RootOptions& options);

}  // namespace nvmlkit::cli
