// The distance of two GPUs.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

abi::nvmlGpuTopologyLevel_t common_ancestor(const sim::Machine& machine, const sim::model::Gpu& a,
                                            const sim::model::Gpu& b);

}  // namespace nvmlkit::driver
