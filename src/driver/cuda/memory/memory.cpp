#include "driver/cuda/memory/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/memory/freed_bytes.hpp"
#include "driver/cuda/memory/virtual_memory.hpp"
#include "driver/cuda/process.hpp"
#include "driver/cuda/sanitize/host_pages.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "ptx/check/races/launch.hpp"

namespace nvmlkit::cuda {
namespace {

struct MemoryTable {
  std::mutex mutex;
  std::map<CUdeviceptr, std::shared_ptr<Allocation>> by_address;
  unsigned long long next_id = 1;
};

MemoryTable& memory_table() {
  static NeverDestroyed<MemoryTable> the;
  return *the;
}

std::uint64_t in_pages(std::uint64_t size) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Huge pages make the first touch of memory cheap. An array of this size is mostly used whole. Of a larger one, a
// program may use a few bytes here and there, and small pages take no more of the host's memory than these need.
constexpr std::uint64_t kLeastForHugePages = std::uint64_t{4} << 20, kMostForHugePages = std::uint64_t{256} << 20;

// Pages are there when they are first touched, so that a program may allocate more than the host has.
std::byte* map(std::uint64_t size) {
  void* const at =
      mmap(nullptr, in_pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (size >= kLeastForHugePages && size <= kMostForHugePages) madvise(at, in_pages(size), MADV_HUGEPAGE);
  return static_cast<std::byte*>(at);
}

std::byte* map_for(MemoryKind kind, std::uint64_t size) {
  auto* const before = kind == MemoryKind::device ? freed_bytes::take(in_pages(size)) : nullptr;
  return before ? before : map(size);
}

// A file is seen by other processes.
void unmap(const Allocation& a) {
  if (a.kind == MemoryKind::device && a.file < 0 && freed_bytes::keep(a.bytes, in_pages(a.size))) return;
  munmap(a.bytes, in_pages(a.size));
}

// Asks the system, which does not mind what the address is.
bool is_mapped(CUdeviceptr address, std::uint64_t size) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t kPages = 4096;
  unsigned char resident[kPages];
  if (address + size < address) return false;
  for (auto at = address / page * page; at < address + size; at += kPages * page) {
    const auto length = std::min(kPages * page, in_pages(address + size - at));
    if (mincore(reinterpret_cast<void*>(at), length, resident) != 0 && errno != EAGAIN) return false;
  }
  return true;
}

// The entry whose allocation the address lies in; with the lock held.
auto entry_of(MemoryTable& t, CUdeviceptr address) {
  auto at = t.by_address.upper_bound(address);
  if (at == t.by_address.begin()) return t.by_address.end();
  --at;
  return address - at->first < at->second->size ? at : t.by_address.end();
}

// By a copy or fill: the GPU that does it is one that may.
bool allows(const Allocation& a, Use use) {
  return a.kind != MemoryKind::mapped || (use == Use::read ? a.access.load() : a.access & ~a.read_only) != 0;
}

}  // namespace

Allocation::~Allocation() {
  const bool owns_bytes = kind != MemoryKind::registered && kind != MemoryKind::mapped;
  if (bytes && owns_bytes) unmap(*this);
  if (kind == MemoryKind::managed && reinterpret_cast<CUdeviceptr>(bytes) != address)
    sanitizer::host_pages::remove(*this, in_pages(size));
  if (written) munmap(written, in_pages(size));
  if (file >= 0) close(file);
  if (kind == MemoryKind::device && address && !keeps) device->give_memory_back(address, size);
  if (kind == MemoryKind::foreign && address) device->give_addresses_back(address, size);
}

namespace memory {

std::shared_ptr<Allocation> allocate(MemoryKind kind, Device& device, CUcontext context, std::uint64_t size,
                                     unsigned flags) {
  // Host memory is locked: there is no more than the host has.
  if (kind != MemoryKind::device && size > physical_memory()) return nullptr;
  auto made = std::make_shared<Allocation>();
  made->kind = kind;
  made->size = size;
  made->device = &device;
  made->context = context;
  made->flags = flags;
  if (kind == MemoryKind::device && !(made->address = device.take_memory(size))) return nullptr;
  if (!(made->bytes = map_for(kind, size))) return nullptr;
  if (kind != MemoryKind::device) made->address = reinterpret_cast<CUdeviceptr>(made->bytes);
  if (kind == MemoryKind::managed && ptx::checking.races) sanitizer::host_pages::part(*made, in_pages(size));
  add(made);
  return made;
}

void watch(Allocation& allocation) {
  if (sanitizer::is_on() && sanitize::options()->initcheck) allocation.written = map(allocation.size);
}

bool place(Device& device, CUcontext context, CUdeviceptr address, std::uint64_t size, std::shared_ptr<void> lease,
           CUmemoryPool pool) {
  auto made = std::make_shared<Allocation>();
  made->kind = MemoryKind::device;
  made->address = address;
  made->size = size;
  made->device = &device;
  made->context = context;
  made->pool = pool;
  made->keeps = std::move(lease);
  watch(*made);
  return (made->bytes = map_for(MemoryKind::device, size)) && add(std::move(made));
}

bool add(std::shared_ptr<Allocation> allocation) {
  if (sanitizer::is_on()) {
    allocation->origin = sanitizer::here();
    ptx::races::forget(allocation->address, allocation->size);
  }
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  const auto start = allocation->address;
  const auto next = t.by_address.lower_bound(start);
  if (entry_of(t, start) != t.by_address.end() ||
      (next != t.by_address.end() && next->first < start + allocation->size))
    return false;
  allocation->id = t.next_id++;
  t.by_address.emplace(start, std::move(allocation));
  return true;
}

int file_of(Allocation& allocation) {
  static constinit std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (allocation.file >= 0) return allocation.file;
  const auto size = in_pages(allocation.size);
  const int file = memfd_create("nvmlkit device memory", MFD_CLOEXEC);
  if (file < 0) return -1;
  const auto written = [&] {
    for (std::uint64_t done = 0; done < size;) {
      const auto count = pwrite(file, allocation.bytes + done, size - done, static_cast<off_t>(done));
      if (count <= 0) return false;
      done += static_cast<std::uint64_t>(count);
    }
    return true;
  };
  if (!written() ||
      mmap(allocation.bytes, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    close(file);
    return -1;
  }
  return allocation.file = file;
}

CUresult register_host(void* address, std::uint64_t size, Device& device, CUcontext context, unsigned flags) {
  const auto start = reinterpret_cast<CUdeviceptr>(address);
  if (!is_mapped(start, size)) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Allocation>();
  made->kind = MemoryKind::registered;
  made->address = start;
  made->size = size;
  made->bytes = static_cast<std::byte*>(address);
  made->device = &device;
  made->context = context;
  made->flags = flags;
  return add(std::move(made)) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

std::shared_ptr<Allocation> remove(CUdeviceptr address, MemoryKind kind, MemoryKind or_kind) {
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  const auto at = t.by_address.find(address);
  if (at == t.by_address.end() || (at->second->kind != kind && at->second->kind != or_kind)) return nullptr;
  auto removed = std::move(at->second);
  t.by_address.erase(at);
  if (sanitizer::is_on()) sanitizer::note_freed(*removed);
  return removed;
}

void remove_of(CUcontext context) {
  if (context && sanitizer::is_on()) sanitizer::report_leaks(context);
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  std::erase_if(t.by_address, [&](const auto& entry) { return context && entry.second->context == context; });
}

std::shared_ptr<Allocation> find(CUdeviceptr address) {
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  const auto at = entry_of(t, address);
  return at == t.by_address.end() ? nullptr : at->second;
}

Neighbours neighbours(CUdeviceptr address) {
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  Neighbours out;
  const auto next = t.by_address.upper_bound(address);
  if (next != t.by_address.end()) out.after = next->second;
  if (next != t.by_address.begin()) out.before = std::prev(next)->second;
  return out;
}

std::vector<std::shared_ptr<Allocation>> all() {
  auto& t = memory_table();
  const std::lock_guard lock(t.mutex);
  std::vector<std::shared_ptr<Allocation>> out;
  for (const auto& [address, allocation] : t.by_address) out.push_back(allocation);
  return out;
}

Span known(CUdeviceptr address, std::uint64_t size, Use use) {
  auto allocation = find(address);
  if (!allocation || !allows(*allocation, use)) return {};
  const auto offset = address - allocation->address;
  // Neighbours that were mapped one behind the other are one to programs.
  for (auto room = allocation->size - offset; size > room;) {
    const auto next = allocation->kind == MemoryKind::mapped ? find(address + room) : nullptr;
    if (!next || next->kind != MemoryKind::mapped || next->keeps != allocation->keeps || !allows(*next, use)) return {};
    room += next->size;
  }
  return {allocation->bytes + offset, std::move(allocation)};
}

Span any(CUdeviceptr address, std::uint64_t size, Use use) {
  if (find(address)) return known(address, size, use);
  for (const auto& device : devices())
    if (device->owns(address)) return {};
  if (virtual_memory::is_reserved(address)) return {};
  if (!address || !is_mapped(address, size)) return {};
  return {reinterpret_cast<std::byte*>(address), nullptr};
}

}  // namespace memory
}  // namespace nvmlkit::cuda
