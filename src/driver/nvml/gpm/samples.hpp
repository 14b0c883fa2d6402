// The GPM samples of this process. A handle is the address of a place and is never followed before it was found to be
// one, so that any value can be handed in; a handle that was freed is refused until its place is given away again,
// which happens as late as possible.
#pragma once

#include <optional>

#include "nvmlkit/generated/abi.hpp"
#include "sim/gpm/sample.hpp"

namespace nvmlkit::driver {

// Null when memory is short.
abi::nvmlGpmSample_t make_gpm_sample();

// False for a handle that is no living sample of this driver.
bool free_gpm_sample(abi::nvmlGpmSample_t handle);
bool is_gpm_sample(abi::nvmlGpmSample_t handle);
bool store_gpm_sample(abi::nvmlGpmSample_t handle, const sim::gpm::Sample& sample);

// None for such a handle too, and for a sample that was never taken.
std::optional<sim::gpm::Sample> load_gpm_sample(abi::nvmlGpmSample_t handle);

}  // namespace nvmlkit::driver
