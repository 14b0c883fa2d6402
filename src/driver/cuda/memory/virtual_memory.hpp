// Addresses and memory apart: memory of a GPU without addresses, reserved addresses, and the mapping of both.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda {

struct Physical {
  Device* device = nullptr;
  CUdeviceptr taken = 0;  // of the GPU's memory; never given to programs
  std::uint64_t size = 0;
  int file = -1;
  unsigned handle_types = 0;
  std::atomic<int> holds{1};  // of handles

  ~Physical();
};

namespace virtual_memory {

constexpr std::uint64_t kGranularity = 2 << 20;

// 0 where there are no more.
CUdeviceptr reserve(std::uint64_t size, std::uint64_t alignment);
// False: nothing is reserved there, not of that size, or memory is mapped in it.
bool release(CUdeviceptr address, std::uint64_t size);
bool is_reserved(CUdeviceptr address);

CUresult create(Device& device, std::uint64_t size, unsigned handle_types, std::shared_ptr<Physical>& out);
CUmemGenericAllocationHandle add(std::shared_ptr<Physical> physical);
std::shared_ptr<Physical> find(CUmemGenericAllocationHandle handle);
bool release(CUmemGenericAllocationHandle handle);
// The handle of memory that an allocation is of, once more held.
CUmemGenericAllocationHandle retain(const Allocation& allocation);

CUresult map(CUdeviceptr address, std::uint64_t size, std::uint64_t offset, CUmemGenericAllocationHandle handle);
CUresult unmap(CUdeviceptr address, std::uint64_t size);

constexpr std::uint64_t access_bit(int ordinal) { return std::uint64_t{1} << (ordinal < 63 ? ordinal : 63); }
inline bool may_use(const Allocation& allocation, const Device& device) {
  return (allocation.access.load(std::memory_order_relaxed) & access_bit(device.ordinal())) != 0;
}
inline bool may_write(const Allocation& allocation, const Device& device) {
  return (allocation.access & ~allocation.read_only & access_bit(device.ordinal())) != 0;
}

}  // namespace virtual_memory
}  // namespace nvmlkit::cuda
