// The NVLinks of a GPU, for kernels that move bytes between GPUs.
#pragma once

#include <cstdint>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda::device_links {

// A bit for each link that carries traffic.
std::uint64_t active(const Device& device);

// Counts bytes between the GPU and the one with this PCI address, at this end. False: no link leads there.
bool move(Device& device, const char* bus_id, std::uint64_t sent, std::uint64_t received);

}  // namespace nvmlkit::cuda::device_links
