// Waits for memory and writes of it, in streams and in nodes of graphs.
#pragma once

#include <cstdint>

#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/streams/queue.hpp"

namespace nvmlkit::cuda {

// CUstreamBatchMemOpParams: what is to be done, with a value that is 32 or 64 bits wide.
struct MemoryOperation {
  unsigned type = 0;
  CUdeviceptr address = 0;
  std::uint64_t value = 0;
  unsigned flags = 0;
  CUdeviceptr alias = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(MemoryOperation) == 48);

namespace memory_operations {

constexpr unsigned kMost = 255;  // in one call

// What the task is due for, or does.
CUresult plan(const MemoryOperation& operation, Task& task);

}  // namespace memory_operations
}  // namespace nvmlkit::cuda
