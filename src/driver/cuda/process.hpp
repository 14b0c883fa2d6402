// The driver in this process: the machine, and its visible GPUs.
#pragma once

#include <memory>
#include <vector>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cuda {

// False before cuInit, and for ever in a child that was forked after it, as with the real driver.
bool is_initialized();

CUresult initialize();

// The machine that cuInit starts, for what answers before it. Null where there is none, after a line on stderr.
const sim::Machine* future_machine();

// The version of CUDA that the driver of the machine has: 1000 * major + 10 * minor.
int machine_version(const sim::Machine& machine);

// Valid once initialized.
const sim::Machine& machine();
std::vector<std::unique_ptr<Device>>& devices();

// Null for an ordinal that is none.
Device* find_device(CUdevice ordinal);

}  // namespace nvmlkit::cuda
