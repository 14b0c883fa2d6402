// Memory pools, allocations in streams, advice about managed memory. The structs have the driver's contents.
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

Error advise(const void* pointer, std::size_t size, CUmem_advise advice, CUmemLocation location) {
  return with_context([&] { return cuMemAdvise_v2(address_of(pointer), size, advice, location); });
}

Error prefetch(const void* pointer, std::size_t size, CUmemLocation location, unsigned flags, CUstream stream) {
  return with_context([&] { return cuMemPrefetchAsync_v2(address_of(pointer), size, location, flags, stream); });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMallocAsync(void** out, std::size_t size, CUstream stream) {
  return allocate(out, size, stream);
}
NVMLKIT_RUNTIME Error cudaFreeAsync(void* pointer, CUstream stream) { return release(pointer, stream); }
NVMLKIT_RUNTIME Error cudaMallocFromPoolAsync(void** out, std::size_t size, CUmemoryPool pool, CUstream stream) {
  return allocate_from(out, size, pool, stream);
}

// Until CUDA 12 a place was the number of a GPU; the names with _v2 and those of CUDA 13 take a location.
#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaMemAdvise(const void* pointer, std::size_t size, CUmem_advise advice,
                                    CUmemLocation location) {
  return advise(pointer, size, advice, location);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync(const void* pointer, std::size_t size, CUmemLocation location,
                                           unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, stream);
}
#else
NVMLKIT_RUNTIME Error cudaMemAdvise(const void* pointer, std::size_t size, CUmem_advise advice, int device) {
  return advise(pointer, size, advice, location_of(device));
}
NVMLKIT_RUNTIME Error cudaMemAdvise_v2(const void* pointer, std::size_t size, CUmem_advise advice,
                                       CUmemLocation location) {
  return advise(pointer, size, advice, location);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync(const void* pointer, std::size_t size, int device, CUstream stream) {
  return prefetch(pointer, size, location_of(device), 0, stream);
}
NVMLKIT_RUNTIME Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t size, CUmemLocation location,
                                              unsigned flags, CUstream stream) {
  return prefetch(pointer, size, location, flags, stream);
}
#endif

}  // namespace nvmlkit::cudart
