// The GPU's memory, including the memory of its processes.
#pragma once

#include <cstdint>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::processes {

struct Memory {
  std::uint64_t total, reserved, used, free;
};

// `used` is what the machine file says, or what its processes hold where that is more, and what clients and
// vGPUs hold.
Memory memory_of(const Machine& machine, const model::Gpu& gpu, std::size_t index);

// The same where clients hold so much.
Memory memory_of(const model::Gpu& gpu, std::uint64_t held_by_clients);

}  // namespace nvmlkit::sim::processes
