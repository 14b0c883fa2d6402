// Names of memory for other processes: the process, and its file with the bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda {

// What lies in the 64 bytes of a handle.
struct Ticket {
  enum : std::uint64_t { kMemory = 0x6E766D6C6B697431, kEvent, kPool, kPoolMemory };
  std::uint64_t what = 0;
  std::uint64_t size = 0, inode = 0;
  std::int32_t process = 0, file = -1;
  char uuid[16] = {};      // of the GPU
  std::uint64_t pool = 0;  // number of the pool in its process
};
static_assert(sizeof(Ticket) <= 64);

namespace tickets {

template <class Handle>
void write(Handle* handle, const Ticket& ticket) {
  static_assert(sizeof ticket <= sizeof *handle);
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &ticket, sizeof ticket);
}

template <class Handle>
Ticket ticket_of(const Handle& handle) {
  Ticket out;
  std::memcpy(static_cast<void*>(&out), &handle, sizeof out);
  return out;
}

// Fills in the GPU, and this process.
void sign(Ticket& ticket, const Device& device);
// The GPU of a ticket in this process, or null.
Device* device_of(const Ticket& ticket);

// A ticket for device memory of this process, and that memory in another process.
CUresult give(Allocation& allocation, std::uint64_t what, Ticket& out);
CUresult take(const Ticket& ticket, CUcontext context, CUmemoryPool pool, CUdeviceptr& out);

}  // namespace tickets
}  // namespace nvmlkit::cuda
