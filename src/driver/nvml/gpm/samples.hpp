// The GPM samples of this process. A handle is the address of a place in a table. It is checked before it is followed,
// so that a caller may pass any value. A freed handle is refused until its place is used again, which happens as late
// as possible.
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
