// The answers of a broken GPU.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/symbols.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// The error that a fault of the GPU makes of a call about it; NVML_SUCCESS when the call goes on. Counts the calls that
// `failure.after_calls` of a machine file waits for.
abi::nvmlReturn_t refused_by_fault(const sim::Machine& machine, const sim::model::Gpu& gpu, sim::Symbol symbol);

// The same for a handle that is asked for.
abi::nvmlReturn_t refused_handle(const sim::Machine& machine, const sim::model::Gpu& gpu);

}  // namespace nvmlkit::driver
