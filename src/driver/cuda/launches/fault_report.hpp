// The line on stderr about a kernel that ended with an error.
#pragma once

#include <string>

#include "ptx/launch.hpp"

namespace nvmlkit::cuda {

// Names the kernel, the error, its address, the block, the thread and the line of the PTX. Empty for what prints a line
// of its own (an assertion) and for an end from outside.
std::string report_of(const ptx::Fault& fault, const ptx::Function& kernel);

}  // namespace nvmlkit::cuda
