// The one thing in which the libraries of the branches differ, beside what they export.
#include "driver/nvml/library/lifecycle.hpp"

namespace nvmlkit::driver {

const unsigned int built_for_branch = NVMLKIT_BUILT_FOR_BRANCH;

}  // namespace nvmlkit::driver
