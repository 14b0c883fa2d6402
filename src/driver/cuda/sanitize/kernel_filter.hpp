// Which kernels are checked.
#pragma once

#include <string>
#include <vector>

#include "sanitize/options.hpp"

namespace nvmlkit::cuda::sanitizer {

// Whether one of the filters means the kernel.
bool matches(const std::vector<sanitize::KernelFilter>& filters, const std::string& mangled);

}  // namespace nvmlkit::cuda::sanitizer
