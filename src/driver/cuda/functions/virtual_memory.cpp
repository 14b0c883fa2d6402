// Virtual memory management.
#include "driver/cuda/memory/virtual_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "ptx/changing_memory.hpp"

namespace nvmlkit::cuda::functions {
namespace {

using virtual_memory::kGranularity;

// CUmemAllocationProp.
struct Properties {
  CUmemAllocationType type;
  unsigned handle_types;
  CUmemLocation location;
  void* metadata;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};
static_assert(sizeof(Properties) == 32);

Properties properties_of(const CUmemAllocationProp* prop) {
  Properties out;
  std::memcpy(&out, prop, sizeof out);
  return out;
}

CUresult check(const Properties& p) {
  constexpr unsigned kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (p.type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if ((p.handle_types & ~kFile) != 0 || p.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  return find_device(p.location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

bool is_multiple(std::uint64_t size) { return size > 0 && size % kGranularity == 0; }

// Calls use(allocation) for the mappings that a range is made of; false where something else is in it.
template <class Use>
bool each_mapping(CUdeviceptr address, std::uint64_t size, Use use) {
  for (auto at = address; at - address < size;) {
    const auto allocation = memory::find(at);
    if (!allocation || allocation->kind != MemoryKind::mapped) return false;
    use(*allocation);
    at = allocation->address + allocation->size;
  }
  return true;
}

}  // namespace

CUresult MemGetAllocationGranularity(std::size_t* granularity, const CUmemAllocationProp* prop,
                                     CUmemAllocationGranularity_flags option) {
  if (option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = check(properties_of(prop)); result != CUDA_SUCCESS) return result;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult MemAddressReserve(CUdeviceptr* ptr, std::size_t size, std::size_t alignment, CUdeviceptr,
                           unsigned long long flags) {
  if (!is_multiple(size) || (alignment & (alignment - 1)) != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *ptr = virtual_memory::reserve(size, alignment);
  return *ptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult MemAddressFree(CUdeviceptr ptr, std::size_t size) {
  return virtual_memory::release(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult MemCreate(CUmemGenericAllocationHandle* handle, std::size_t size, const CUmemAllocationProp* prop,
                   unsigned long long flags) {
  const auto p = properties_of(prop);
  if (!is_multiple(size) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = check(p); result != CUDA_SUCCESS) return result;
  std::shared_ptr<Physical> made;
  const auto result = virtual_memory::create(*find_device(p.location.id), size, p.handle_types, made);
  if (result == CUDA_SUCCESS) *handle = virtual_memory::add(std::move(made));
  return result;
}

CUresult MemRelease(CUmemGenericAllocationHandle handle) {
  return virtual_memory::release(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult MemMap(CUdeviceptr ptr, std::size_t size, std::size_t offset, CUmemGenericAllocationHandle handle,
                unsigned long long flags) {
  if (!is_multiple(size) || ptr % kGranularity != 0 || offset % kGranularity != 0 || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return virtual_memory::map(ptr, size, offset, handle);
}

CUresult MemUnmap(CUdeviceptr ptr, std::size_t size) {
  if (!is_multiple(size)) return CUDA_ERROR_INVALID_VALUE;
  if (const auto allocation = memory::find(ptr))
    if (const auto result = schedule::wait_for_users(*allocation); result != CUDA_SUCCESS) return result;
  return virtual_memory::unmap(ptr, size);
}

CUresult MemSetAccess(CUdeviceptr ptr, std::size_t size, const CUmemAccessDesc* desc, std::size_t count) {
  if (!is_multiple(size) || count > devices().size()) return CUDA_ERROR_INVALID_VALUE;
  if (!each_mapping(ptr, size, [](Allocation&) {})) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    if (!find_device(desc[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
  }
  for (std::size_t i = 0; i < count; ++i)
    each_mapping(ptr, size, [&](Allocation& allocation) {
      const auto bit = virtual_memory::access_bit(desc[i].location.id);
      if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
        allocation.read_only |= bit;
      else
        allocation.read_only &= ~bit;
      if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
        allocation.access &= ~bit;
      else
        allocation.access |= bit;
    });
  return CUDA_SUCCESS;
}

CUresult MemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  const auto allocation = memory::find(ptr);
  const auto* const device = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? find_device(location->id) : nullptr;
  if (!allocation || allocation->kind != MemoryKind::mapped || !device) return CUDA_ERROR_INVALID_VALUE;
  *flags = virtual_memory::may_write(*allocation, *device) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
           : virtual_memory::may_use(*allocation, *device) ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                           : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult MemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                    CUmemAllocationHandleType handleType, unsigned long long flags) {
  const auto physical = virtual_memory::find(handle);
  if (!physical || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  if ((physical->handle_types & handleType) == 0) return CUDA_ERROR_INVALID_VALUE;
  const int file = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  std::memcpy(shareableHandle, &file, sizeof file);
  ptx::others_share_memory();
  return CUDA_SUCCESS;
}

// Memory that another process holds of the GPU is counted once, there.
CUresult MemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                      CUmemAllocationHandleType shHandleType) {
  if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  const auto number = reinterpret_cast<std::intptr_t>(osHandle);
  struct stat status {};
  if (number < 0 || number > 1 << 20 || fstat(static_cast<int>(number), &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_multiple(static_cast<std::uint64_t>(status.st_size)))
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Physical>();
  made->device = devices().front().get();
  made->size = static_cast<std::uint64_t>(status.st_size);
  made->handle_types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  made->file = fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0);
  if (made->file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  *handle = virtual_memory::add(std::move(made));
  ptx::others_share_memory();
  return CUDA_SUCCESS;
}

CUresult MemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  const auto physical = virtual_memory::find(handle);
  if (!physical) return CUDA_ERROR_INVALID_VALUE;
  Properties p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.handle_types = physical->handle_types;
  p.location = {CU_MEM_LOCATION_TYPE_DEVICE, physical->device->ordinal()};
  std::memcpy(prop, &p, sizeof p);
  return CUDA_SUCCESS;
}

CUresult MemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  const auto allocation = memory::find(reinterpret_cast<CUdeviceptr>(addr));
  *handle = allocation ? virtual_memory::retain(*allocation) : 0;
  return *handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace nvmlkit::cuda::functions
