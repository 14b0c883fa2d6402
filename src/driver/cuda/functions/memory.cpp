// Allocation and freeing. Freeing waits for the work that was queued before it.
#include "driver/cuda/memory/memory.hpp"

#include <algorithm>
#include <limits>

#include "driver/cuda/call.hpp"
#include "driver/cuda/constants.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/capture.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

bool is_host(MemoryKind kind) { return kind == MemoryKind::host || kind == MemoryKind::registered; }

unsigned cut(std::size_t value) {
  return static_cast<unsigned>(std::min<std::size_t>(value, std::numeric_limits<unsigned>::max()));
}

CUresult free(CUdeviceptr address, MemoryKind kind, MemoryKind or_kind, CUresult refusal) {
  const auto allocation = memory::find(address);
  if (!allocation || allocation->address != address || (allocation->kind != kind && allocation->kind != or_kind))
    return refusal;
  if (const auto result = schedule::wait_for_users(*allocation); result != CUDA_SUCCESS) return result;
  return memory::remove(address, kind, or_kind) ? CUDA_SUCCESS : refusal;
}

}  // namespace

CUresult MemGetInfo_v2(Context& context, std::size_t* free, std::size_t* total) {
  *free = context.device.free_memory();
  *total = context.device.shown_memory();
  return CUDA_SUCCESS;
}

CUresult MemGetInfo(Context& context, unsigned int* free, unsigned int* total) {
  *free = cut(context.device.free_memory());
  *total = cut(context.device.shown_memory());
  return CUDA_SUCCESS;
}

CUresult MemAlloc_v2(Context& context, CUdeviceptr* dptr, std::size_t bytesize) {
  if (const auto result = captures::check_unsafe(); result != CUDA_SUCCESS) return result;
  if (bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto made = memory::allocate(MemoryKind::device, context.device, context.handle(), bytesize);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  memory::watch(*made);
  *dptr = made->address;
  return CUDA_SUCCESS;
}

CUresult MemAllocPitch_v2(Context& context, CUdeviceptr* dptr, std::size_t* pPitch, std::size_t WidthInBytes,
                          std::size_t Height, unsigned int ElementSizeBytes) {
  if (WidthInBytes == 0 || Height == 0) return CUDA_ERROR_INVALID_VALUE;
  if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16) return CUDA_ERROR_INVALID_VALUE;
  const auto pitch = AddressRange::rounded(WidthInBytes);
  std::size_t size = 0;
  if (pitch < WidthInBytes || __builtin_mul_overflow(pitch, Height, &size)) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto result = MemAlloc_v2(context, dptr, size);
  if (result == CUDA_SUCCESS) *pPitch = pitch;
  return result;
}

CUresult MemFree_v2(CUdeviceptr dptr) {
  if (const auto result = captures::check_unsafe(); result != CUDA_SUCCESS) return result;
  if (const auto failed = contexts::failure_of_current(); failed != CUDA_SUCCESS) return failed;
  if (dptr == 0) return CUDA_SUCCESS;
  const auto allocation = memory::find(dptr);
  // Imported from the pool of another process, or its own.
  const bool is_foreign = allocation && allocation->pool && allocation->kind == MemoryKind::foreign;
  return free(dptr, is_foreign ? MemoryKind::foreign : MemoryKind::device, MemoryKind::managed,
              CUDA_ERROR_INVALID_VALUE);
}

CUresult MemGetAddressRange_v2(Context&, CUdeviceptr* pbase, std::size_t* psize, CUdeviceptr dptr) {
  const auto allocation = memory::find(dptr);
  if (!allocation) return CUDA_ERROR_NOT_FOUND;
  if (pbase) *pbase = allocation->address;
  if (psize) *psize = allocation->size;
  return CUDA_SUCCESS;
}

CUresult MemHostAlloc(Context& context, void** pp, std::size_t bytesize, unsigned int Flags) {
  if (const auto result = captures::check_unsafe(); result != CUDA_SUCCESS) return result;
  constexpr unsigned kKnown = kCuMemhostallocPortable | kCuMemhostallocDevicemap | kCuMemhostallocWritecombined;
  if ((Flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytesize == 0) {  // as an H100 with driver 580 answers, unlike for memory of the GPU
    *pp = nullptr;
    return CUDA_SUCCESS;
  }
  const auto made = memory::allocate(MemoryKind::host, context.device, context.handle(), bytesize, Flags);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  *pp = made->bytes;
  return CUDA_SUCCESS;
}

CUresult MemAllocHost_v2(Context& context, void** pp, std::size_t bytesize) {
  return MemHostAlloc(context, pp, bytesize, 0);
}

CUresult MemAllocHost(Context& context, void** pp, unsigned int bytesize) {
  return MemHostAlloc(context, pp, bytesize, 0);
}

CUresult MemFreeHost(void* p) {
  if (const auto failed = contexts::failure_of_current(); failed != CUDA_SUCCESS) return failed;
  return free(address_of(p), MemoryKind::host, MemoryKind::host, CUDA_ERROR_INVALID_VALUE);
}

CUresult MemHostRegister_v2(Context& context, void* p, std::size_t bytesize, unsigned int Flags) {
  constexpr unsigned kKnown = kCuMemhostregisterPortable | kCuMemhostregisterDevicemap | kCuMemhostregisterReadOnly;
  if (bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  if (Flags & kCuMemhostregisterIomemory) return CUDA_ERROR_NOT_SUPPORTED;
  if ((Flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  return memory::register_host(p, bytesize, context.device, context.handle(), Flags);
}

CUresult MemHostRegister(Context& context, void* p, std::size_t bytesize, unsigned int Flags) {
  return MemHostRegister_v2(context, p, bytesize, Flags);
}

CUresult MemHostUnregister(void* p) {
  return free(address_of(p), MemoryKind::registered, MemoryKind::registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

CUresult MemHostGetDevicePointer_v2(Context&, CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  const auto allocation = memory::find(address_of(p));
  if (Flags != 0 || !allocation || allocation->kind == MemoryKind::device) return CUDA_ERROR_INVALID_VALUE;
  *pdptr = address_of(p);
  return CUDA_SUCCESS;
}

CUresult MemHostGetFlags(Context&, unsigned int* pFlags, void* p) {
  const auto allocation = memory::find(address_of(p));
  if (!allocation || !is_host(allocation->kind)) return CUDA_ERROR_INVALID_VALUE;
  *pFlags = allocation->flags | kCuMemhostallocDevicemap;
  return CUDA_SUCCESS;
}

CUresult MemAllocManaged(Context& context, CUdeviceptr* dptr, std::size_t bytesize, unsigned int flags) {
  if (const auto result = captures::check_unsafe(); result != CUDA_SUCCESS) return result;
  if (bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) return CUDA_ERROR_INVALID_VALUE;
  const auto made = memory::allocate(MemoryKind::managed, context.device, context.handle(), bytesize, flags);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  memory::watch(*made);
  *dptr = made->address;
  return CUDA_SUCCESS;
}

CUresult StreamAttachMemAsync(Context& context, CUstream hStream, CUdeviceptr dptr, std::size_t, unsigned int flags) {
  const auto allocation = memory::find(dptr);
  if (!streams::find(hStream, context)) return CUDA_ERROR_INVALID_HANDLE;
  const bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE;
  return known && allocation && allocation->kind == MemoryKind::managed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace nvmlkit::cuda::functions
