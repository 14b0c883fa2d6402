// A driver root: the files of a driver with a machine behind it, and a CDI specification.
#pragma once

#include <string>

#include "cli/machine.hpp"

namespace nvmlkit::cli {

struct RootOptions {
  std::string folder;
  std::string nvidia_smi;  // empty: the one in PATH, where there is one
  std::string cdi_version;
};

// The machine is the one that is up where NVMLKIT_STATE names one and `choice` asks for no other. Returns the exit
// status.
int lay_out_root(const MachineChoice& choice, const RootOptions& options);

}  // namespace nvmlkit::cli
