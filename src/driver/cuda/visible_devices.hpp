// Which GPUs a process sees, and in what order.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/environment.hpp"
#include "sim/machine.hpp"

namespace nvmlkit::cuda {

// Indices of GPUs of the machine.
//   CUDA_DEVICE_ORDER     PCI_BUS_ID, or the fastest first
//   CUDA_VISIBLE_DEVICES  numbers in that order, or UUIDs, or beginnings of UUIDs that fit one GPU. The list ends
//   before
//                         the first entry that is none; an entry given twice makes all of it void.
std::vector<std::size_t> visible_gpus(const sim::Machine& machine, const sim::Environment& environment);

}  // namespace nvmlkit::cuda
