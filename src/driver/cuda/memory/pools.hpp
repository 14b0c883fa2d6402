// Pools of device memory, for allocations in streams. A pool keeps unused memory up to its threshold.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/memory/reserve.hpp"

namespace nvmlkit::cuda {

struct Pool {
  explicit Pool(Device& device_) : device(&device_), reserve(device_) {}

  Device* const device;
  MemoryReserve reserve;
  bool is_default = false;
  std::uint64_t max_size = 0;  // 0: what the GPU has
  unsigned handle_types = 0;   // that it can be handed to other processes as
  std::uint64_t number = 0;    // in the process that made it
  int foreign_process = 0;     // that made it, if it is another one
  std::atomic<std::uint64_t> release_threshold{0};
  std::atomic<int> reuse[3] = {1, 1, 1};  // by events, opportunistic, by internal dependencies
  std::mutex mutex;
  std::map<int, CUmemAccess_flags> access;  // of other GPUs, by ordinal
};

namespace pools {

CUmemoryPool make(std::shared_ptr<Pool> pool);
std::shared_ptr<Pool> find(CUmemoryPool pool);
bool remove(CUmemoryPool pool);

// The pool that a GPU has by itself, and the one that allocations come from.
CUmemoryPool default_of(Device& device);
CUmemoryPool current_of(Device& device);
void set_current(Device& device, CUmemoryPool pool);

CUresult allocate(CUmemoryPool pool, CUcontext context, std::uint64_t size, CUdeviceptr& out);

// May kernels of the GPU use memory of the pool?
bool reaches(CUmemoryPool pool, const Device& device);

}  // namespace pools
}  // namespace nvmlkit::cuda
