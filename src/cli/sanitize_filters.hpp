// The kernels that `nvmlkit sanitize` checks, as its options name them.
#pragma once

#include <string>
#include <vector>

#include "sanitize/options.hpp"

namespace nvmlkit::cli {

// kernel_name=add,kernel_substring=ad or, in NVIDIA's short form, kns=ad. Without a key: a part of the name. Refuses
// other keys; `option` is the one that they were given to.
void add_sanitize_filters(std::vector<sanitize::KernelFilter>& out, const std::string& option, const std::string& text,
                          bool is_pattern);

}  // namespace nvmlkit::cli
