// nvidia-smi on any NVML library.
#pragma once

#include <nvmlkit/library.hpp>
#include <nvmlkit/result.hpp>
#include <string>
#include <vector>

namespace nvmlkit::smi {

// Prints what nvidia-smi with these arguments prints on the driver, and returns its exit status. `library` is asked
// for once the arguments are understood.
int run(const nvml::OpenOptions& library, const std::vector<std::string>& arguments);

}  // namespace nvmlkit::smi
