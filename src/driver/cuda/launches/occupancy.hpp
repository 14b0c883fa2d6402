// The share of a multiprocessor that a kernel takes.
#pragma once

#include <cstddef>

#include "driver/cuda/device/device.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::cuda {

// Registers of a thread: an estimate.
int registers_of(const Device& device, const ptx::Function& kernel);

// How many blocks of a kernel fit on one multiprocessor.
int active_blocks(const Device& device, const ptx::Function& kernel, int threads, std::size_t dynamic_shared);

// The same without its registers.
long long blocks_with_room(const Device& device, const ptx::Function& kernel, int threads, std::size_t dynamic_shared);

}  // namespace nvmlkit::cuda
