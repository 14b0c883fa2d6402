// From an instruction of PTX to the lines of the source that it comes from, as -lineinfo writes them into the text.
#pragma once

#include <vector>

#include "ptx/module.hpp"
#include "sanitize/finding.hpp"

namespace nvmlkit::cuda::sanitizer {

// The innermost function first; what was inlined into the function of PTX comes before it. One without a file where the
// text names none.
std::vector<sanitize::DevicePlace> source_lines(const ptx::Module& module, const ptx::Function& function, int line);

}  // namespace nvmlkit::cuda::sanitizer
