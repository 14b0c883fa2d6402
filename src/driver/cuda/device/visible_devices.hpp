// The GPUs and MIG devices that a process sees, in order.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/config/environment.hpp"
#include "sim/mig/devices.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cuda {

// A GPU of the machine, or a MIG device of it.
struct Visible {
  std::size_t gpu = 0;
  std::optional<sim::mig::DeviceId> mig;
};

//   CUDA_DEVICE_ORDER     PCI_BUS_ID, or the fastest first
//   CUDA_VISIBLE_DEVICES  numbers in that order, or UUIDs, or beginnings of UUIDs that fit one GPU or MIG device. The
//                         list ends before the first entry that is none; an entry given twice makes all of it void.
// A process works with one MIG device at most: the first of the list. A GPU in MIG mode stands for its first MIG
// device; without a list, GPUs that are not in MIG mode come before those.
std::vector<Visible> visible_devices(const sim::Machine& machine, const sim::Environment& environment);

}  // namespace nvmlkit::cuda
