#include "driver/cuda/memory/virtual_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {
namespace {

// Two ranges of this process: the addresses that programs know, where nothing lies, and the place of the bytes.
struct Reservation {
  std::byte *addresses = nullptr, *bytes = nullptr;
  std::uint64_t size = 0;

  ~Reservation() {
    if (addresses) munmap(addresses, size);
    if (bytes) munmap(bytes, size);
  }
};

struct Mapped {
  std::shared_ptr<Physical> physical;
  CUmemGenericAllocationHandle handle;
};

struct MappingTable {
  std::mutex mutex;
  std::map<CUdeviceptr, std::shared_ptr<Reservation>> reservations;
  std::map<CUdeviceptr, Mapped> mapped;
};
MappingTable& mapping_table() {
  static NeverDestroyed<MappingTable> the;
  return *the;
}

using PhysicalHandle = struct PhysicalTag*;
auto& all_physical() {
  static NeverDestroyed<Handles<PhysicalHandle, Physical, HandleKind::physical>> the;
  return *the;
}
PhysicalHandle physical_handle(CUmemGenericAllocationHandle handle) {
  return reinterpret_cast<PhysicalHandle>(static_cast<std::uintptr_t>(handle));
}

std::byte* nothing(std::uint64_t size) {
  void* const at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

// With the lock held.
std::shared_ptr<Reservation> reservation_of(MappingTable& t, CUdeviceptr address, std::uint64_t size) {
  auto at = t.reservations.upper_bound(address);
  if (at == t.reservations.begin()) return nullptr;
  --at;
  const auto offset = address - at->first;
  const auto room = at->second->size;
  return offset < room && size <= room - offset ? at->second : nullptr;
}

}  // namespace

Physical::~Physical() {
  if (file >= 0) close(file);
  if (taken) device->give_memory_back(taken, size);
}

namespace virtual_memory {

CUdeviceptr reserve(std::uint64_t size, std::uint64_t alignment) {
  auto made = std::make_shared<Reservation>();
  // What is over at both ends is given back at once.
  const auto slack = alignment > kGranularity ? alignment : kGranularity;
  auto* const addresses = size + slack < size ? nullptr : nothing(size + slack);
  if (!addresses) return 0;
  const auto start = reinterpret_cast<std::uintptr_t>(addresses);
  const auto aligned = (start + slack - 1) / slack * slack;
  if (aligned > start) munmap(addresses, aligned - start);
  if (start + slack > aligned) munmap(reinterpret_cast<void*>(aligned + size), start + slack - aligned);
  made->addresses = reinterpret_cast<std::byte*>(aligned);
  made->size = size;
  if (!(made->bytes = nothing(size))) return 0;
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  t.reservations.emplace(aligned, std::move(made));
  return aligned;
}

bool release(CUdeviceptr address, std::uint64_t size) {
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  const auto at = t.reservations.find(address);
  if (at == t.reservations.end() || at->second->size != size) return false;
  const auto mapped = t.mapped.lower_bound(address);
  if (mapped != t.mapped.end() && mapped->first < address + size) return false;
  t.reservations.erase(at);
  return true;
}

bool is_reserved(CUdeviceptr address) {
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  return reservation_of(t, address, 1) != nullptr;
}

CUresult create(Device& device, std::uint64_t size, unsigned handle_types, std::shared_ptr<Physical>& out) {
  auto made = std::make_shared<Physical>();
  made->device = &device;
  made->size = size;
  made->handle_types = handle_types;
  if (!(made->taken = device.take_memory(size))) return CUDA_ERROR_OUT_OF_MEMORY;
  made->file = memfd_create("nvmlkit device memory", MFD_CLOEXEC);
  if (made->file < 0 || ftruncate(made->file, static_cast<off_t>(size)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  out = std::move(made);
  return CUDA_SUCCESS;
}

CUmemGenericAllocationHandle add(std::shared_ptr<Physical> physical) {
  return reinterpret_cast<std::uintptr_t>(all_physical().add(std::move(physical)));
}

std::shared_ptr<Physical> find(CUmemGenericAllocationHandle handle) {
  auto found = all_physical().find(physical_handle(handle));
  return found && found->holds > 0 ? found : nullptr;
}

// Memory that is mapped keeps its handle, without holds, so that it can be asked for again.
bool release(CUmemGenericAllocationHandle handle) {
  const auto physical = find(handle);
  if (!physical) return false;
  if (--physical->holds > 0) return true;
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  for (const auto& [address, mapped] : t.mapped)
    if (mapped.handle == handle) return true;
  all_physical().remove(physical_handle(handle));
  return true;
}

CUmemGenericAllocationHandle retain(const Allocation& allocation) {
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  const auto at = t.mapped.find(allocation.address);
  if (allocation.kind != MemoryKind::mapped || at == t.mapped.end()) return 0;
  ++at->second.physical->holds;
  return at->second.handle;
}

CUresult map(CUdeviceptr address, std::uint64_t size, std::uint64_t offset, CUmemGenericAllocationHandle handle) {
  const auto physical = find(handle);
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  const auto reservation = reservation_of(t, address, size);
  if (!physical || !reservation || offset > physical->size || size > physical->size - offset)
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Allocation>();
  made->kind = MemoryKind::mapped;
  made->address = address;
  made->size = size;
  made->bytes = reservation->bytes + (address - reinterpret_cast<CUdeviceptr>(reservation->addresses));
  made->device = physical->device;
  made->keeps = reservation;
  auto* const bytes = made->bytes;
  if (!memory::add(std::move(made))) return CUDA_ERROR_INVALID_VALUE;
  if (mmap(bytes, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file, static_cast<off_t>(offset)) ==
      MAP_FAILED) {
    memory::remove(address, MemoryKind::mapped, MemoryKind::mapped);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  t.mapped[address] = {physical, handle};
  return CUDA_SUCCESS;
}

CUresult unmap(CUdeviceptr address, std::uint64_t size) {
  auto& t = mapping_table();
  const std::lock_guard lock(t.mutex);
  // Whole mappings, one behind the other.
  for (auto at = address; at < address + size;) {
    const auto allocation = t.mapped.count(at) ? memory::find(at) : nullptr;
    if (!allocation || allocation->size > address + size - at) return CUDA_ERROR_INVALID_VALUE;
    at += allocation->size;
  }
  for (auto at = address; at < address + size;) {
    const auto allocation = memory::remove(at, MemoryKind::mapped, MemoryKind::mapped);
    if (!allocation) return CUDA_ERROR_INVALID_VALUE;
    mmap(allocation->bytes, allocation->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
         0);
    const auto mapped = t.mapped.extract(at).mapped();
    bool is_elsewhere = false;
    for (const auto& [other, entry] : t.mapped) is_elsewhere |= entry.handle == mapped.handle;
    if (mapped.physical->holds == 0 && !is_elsewhere) all_physical().remove(physical_handle(mapped.handle));
    at += allocation->size;
  }
  return CUDA_SUCCESS;
}

}  // namespace virtual_memory
}  // namespace nvmlkit::cuda
