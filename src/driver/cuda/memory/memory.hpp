// Memory that the driver knows: of devices, managed, of the host. All of it is memory of this process. The bytes of
// device memory are not at its device address.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"
#include "sanitize/host_stack.hpp"

namespace nvmlkit::cuda {

// `mapped` is device memory at an address that it was given (virtual_memory.hpp), `foreign` that of another process.
enum class MemoryKind { device, managed, host, registered, mapped, foreign };

// Advice about the place of managed memory; it has no effect. See functions/managed.cpp.
struct Advice {
  bool read_mostly = false;
  CUmemLocation preferred{}, prefetched{};
  std::set<int> accessed_by;  // -1: the host
};

struct Allocation {
  MemoryKind kind{};
  CUdeviceptr address = 0;  // as programs know it
  std::uint64_t size = 0;
  std::byte* bytes = nullptr;
  int file = -1;  // that they lie in, when other processes may see them
  Device* device = nullptr;
  CUcontext context = nullptr;
  unsigned flags = 0;
  unsigned long long id = 0;
  CUmemoryPool pool = nullptr;                        // that it comes from
  Advice advice;                                      // about managed memory
  std::atomic<bool> is_being_freed{false};            // by work of a stream
  std::atomic<bool> is_synchronous{false};            // copies and fills of it are done when their calls return
  std::atomic<bool> is_of_driver{false};              // and not of the program
  std::shared_ptr<const sanitize::HostStack> origin;  // if a sanitizer asked for it
  std::byte* written = nullptr;                       // the same: a byte for each, as in ptx::Region
  // What has to stay for as long as the memory; of device memory, whatever counts it and its addresses.
  std::shared_ptr<void> keeps;
  // The GPUs that may use mapped memory, a bit for each ordinal; and those of them that may not write it.
  std::atomic<std::uint64_t> access{0}, read_only{0};

  ~Allocation();
};

enum class Use { read, write };

// Part of memory; it stays there while this lives, even if it is freed meanwhile.
struct Span {
  std::byte* bytes = nullptr;
  std::shared_ptr<const Allocation> holder;

  explicit operator bool() const { return bytes != nullptr; }
};

namespace memory {

// Null: no memory. `size` is not 0.
std::shared_ptr<Allocation> allocate(MemoryKind kind, Device& device, CUcontext context, std::uint64_t size,
                                     unsigned flags = 0);
// Device memory at an address that was reserved, and that is counted by who lends it: the lease ends with the memory.
// False: no memory, or some is there already.
bool place(Device& device, CUcontext context, CUdeviceptr address, std::uint64_t size, std::shared_ptr<void> lease,
           CUmemoryPool pool = nullptr);

// For a sanitizer: from now on it is known which bytes were written. Before anybody uses them.
void watch(Allocation& allocation);

// Makes memory known that lies somewhere already; false where some of it is known.
bool add(std::shared_ptr<Allocation> allocation);

// The file that the bytes of device memory lie in; they are moved into one at the first request. -1: none.
int file_of(Allocation& allocation);

// Makes memory of the program known. It must be there, and no part of it known already.
CUresult register_host(void* address, std::uint64_t size, Device& device, CUcontext context, unsigned flags);

// Null when no allocation of one of the two kinds begins there.
std::shared_ptr<Allocation> remove(CUdeviceptr address, MemoryKind kind, MemoryKind or_kind);
void remove_of(CUcontext context);

// The allocation that the address lies in, or null.
std::shared_ptr<Allocation> find(CUdeviceptr address);

// The allocations that begin last before an address and first behind it; null where there are none.
struct Neighbours {
  std::shared_ptr<Allocation> before, after;
};
Neighbours neighbours(CUdeviceptr address);
// All that is there now.
std::vector<std::shared_ptr<Allocation>> all();

// `size` bytes within one allocation; nothing when they are not all there, or mapped for no GPU to use them so.
Span known(CUdeviceptr address, std::uint64_t size, Use use);

// The same, or memory of the host that the driver does not know. Nothing where none is mapped.
Span any(CUdeviceptr address, std::uint64_t size, Use use);

}  // namespace memory
}  // namespace nvmlkit::cuda
