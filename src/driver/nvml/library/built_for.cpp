// The branch of an impersonated library: its only difference besides the exports.
#include "driver/nvml/library/lifecycle.hpp"

namespace nvmlkit::driver {

const unsigned int built_for_branch = NVMLKIT_BUILT_FOR_BRANCH;

}  // namespace nvmlkit::driver
