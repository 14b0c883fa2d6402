// Memory pools, allocations in streams, advice about managed memory. What the structs hold is as in the driver's.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

Error allocate(void** out, std::size_t size, CUstream stream) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUdeviceptr address = 0;
    const auto result = size == 0 ? nothing_in(&stream) : cuMemAllocAsync(&address, size, stream);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(address);
    return result;
  });
}

Error release(void* pointer, CUstream stream) {
  return with_context([&] { return cuMemFreeAsync(address_of(pointer), stream); });
}

Error allocate_from(void** out, std::size_t size, CUmemoryPool pool, CUstream stream) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUdeviceptr address = 0;
    std::uint64_t used = 0;
    if (const auto none = cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used); none != CUDA_SUCCESS)
      return none;
    const auto result = size == 0 ? nothing_in(&stream) : cuMemAllocFromPoolAsync(&address, size, pool, stream);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(address);
    return result;
  });
}

// A GPU, or -1 for the host.
[[maybe_unused]] CUmemLocation location_of(int device) {
  return device < 0 ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0} : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device};
}

Error advise(const void* pointer, std::size_t size, int advice, CUmemLocation location) {
  return with_context(
      [&] { return cuMemAdvise_v2(address_of(pointer), size, static_cast<CUmem_advise>(advice), location); });
}

Error prefetch(const void* pointer, std::size_t size, CUmemLocation location, unsigned flags, CUstream stream) {
  return with_context([&] { return cuMemPrefetchAsync_v2(address_of(pointer), size, location, flags, stream); });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMallocAsync(void** out, std::size_t size, CUstream stream) {
  return allocate(out, size, stream);
}
NVMLKIT_RUNTIME Error cudaMallocAsync_ptsz(void** out, std::size_t size, CUstream stream) {
  return allocate(out, size, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaFreeAsync(void* pointer, CUstream stream) { return release(pointer, stream); }
NVMLKIT_RUNTIME Error cudaFreeAsync_ptsz(void* pointer, CUstream stream) {
  return release(pointer, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaMallocFromPoolAsync(void** out, std::size_t size, CUmemoryPool pool, CUstream stream) {
  return allocate_from(out, size, pool, stream);
}
NVMLKIT_RUNTIME Error cudaMallocFromPoolAsync_ptsz(void** out, std::size_t size, CUmemoryPool pool, CUstream stream) {
  return allocate_from(out, size, pool, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaDeviceGetDefaultMemPool(CUmemoryPool* pool, int device) {
  return with_context([&] { return cuDeviceGetDefaultMemPool(pool, device); });
}
NVMLKIT_RUNTIME Error cudaDeviceGetMemPool(CUmemoryPool* pool, int device) {
  return with_context([&] { return cuDeviceGetMemPool(pool, device); });
}
NVMLKIT_RUNTIME Error cudaDeviceSetMemPool(int device, CUmemoryPool pool) {
  return with_context([&] { return cuDeviceSetMemPool(device, pool); });
}
NVMLKIT_RUNTIME Error cudaMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return with_context([&] { return cuMemPoolCreate(pool, properties); });
}
NVMLKIT_RUNTIME Error cudaMemPoolDestroy(CUmemoryPool pool) {
  return with_context([&] { return cuMemPoolDestroy(pool); });
}
NVMLKIT_RUNTIME Error cudaMemPoolTrimTo(CUmemoryPool pool, std::size_t least) {
  return with_context([&] { return cuMemPoolTrimTo(pool, least); });
}
NVMLKIT_RUNTIME Error cudaMemPoolSetAttribute(CUmemoryPool pool, int attribute, void* value) {
  return with_context([&] { return cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value); });
}
NVMLKIT_RUNTIME Error cudaMemPoolGetAttribute(CUmemoryPool pool, int attribute, void* value) {
  return with_context([&] { return cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value); });
}
NVMLKIT_RUNTIME Error cudaMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, std::size_t count) {
  return with_context([&] { return cuMemPoolSetAccess(pool, list, count); });
}
NVMLKIT_RUNTIME Error cudaMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return with_context([&] { return cuMemPoolGetAccess(flags, pool, location); });
}

// Until CUDA 12 a place was the number of a GPU; the names with _v2 and those of CUDA 13 take a location.
#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaMemAdvise(const void* pointer, std::size_t size, int advice, CUmemLocation location) {
  return advise(pointer, size, advice, location);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync(const void* pointer, std::size_t size, CUmemLocation location,
                                           unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, stream);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t size, CUmemLocation location,
                                                unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, per_thread(stream));
}
#else
NVMLKIT_RUNTIME Error cudaMemAdvise(const void* pointer, std::size_t size, int advice, int device) {
  return advise(pointer, size, advice, location_of(device));
}
NVMLKIT_RUNTIME Error cudaMemAdvise_v2(const void* pointer, std::size_t size, int advice, CUmemLocation location) {
  return advise(pointer, size, advice, location);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync(const void* pointer, std::size_t size, int device, CUstream stream) {
  return prefetch(pointer, size, location_of(device), 0, stream);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t size, int device, CUstream stream) {
  return prefetch(pointer, size, location_of(device), 0, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t size, CUmemLocation location,
                                              unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, stream);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync_v2_ptsz(const void* pointer, std::size_t size, CUmemLocation location,
                                                   unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, per_thread(stream));
}
#endif

NVMLKIT_RUNTIME Error cudaMemRangeGetAttribute(void* data, std::size_t size, int attribute, const void* pointer,
                                               std::size_t count) {
  return with_context([&] {
    return cuMemRangeGetAttribute(data, size, static_cast<CUmem_range_attribute>(attribute), address_of(pointer),
                                  count);
  });
}
NVMLKIT_RUNTIME Error cudaMemRangeGetAttributes(void** data, std::size_t* sizes, CUmem_range_attribute* attributes,
                                                std::size_t number, const void* pointer, std::size_t count) {
  return with_context(
      [&] { return cuMemRangeGetAttributes(data, sizes, attributes, number, address_of(pointer), count); });
}

}  // namespace nvmlkit::cudart
