// Collectives as parts that ranks send to each other.
#pragma once

#include <functional>
#include <vector>

#include "libraries/nccl/communicator.hpp"

namespace nvmlkit::nccl {

// Addresses of the host for those of the device.
struct Memory {
  std::function<const std::byte*(const void*, std::uint64_t size)> read;
  std::function<std::byte*(void*, std::uint64_t size)> write;
  std::function<void()> look;  // see Exchange
};

// Throws Ended.
void perform(Communicator& communicator, const Operation& operation, const Memory& memory);
// All sends and receives of a group, at once.
void perform_all(Communicator& communicator, const std::vector<Operation>& operations, const Memory& memory);

}  // namespace nvmlkit::nccl
