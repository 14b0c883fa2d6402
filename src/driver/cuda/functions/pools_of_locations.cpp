// The pools of locations. Only GPUs have some here, of pinned memory.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// use(GPU), or why the location has no pool.
template <class Use>
CUresult of_location(const CUmemLocation& location, CUmemAllocationType type, Use use) {
  const bool is_managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED && !is_managed) return CUDA_ERROR_INVALID_VALUE;
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      if (!find_device(location.id)) return CUDA_ERROR_INVALID_DEVICE;
      return is_managed ? CUDA_ERROR_NOT_SUPPORTED : use(location.id);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return CUDA_ERROR_NOT_SUPPORTED;
    case CU_MEM_LOCATION_TYPE_NONE:
      return is_managed ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

CUresult MemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location, CUmemAllocationType type) {
  return of_location(*location, type, [&](CUdevice device) { return DeviceGetDefaultMemPool(pool_out, device); });
}

CUresult MemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return of_location(*location, type, [&](CUdevice device) { return DeviceGetMemPool(pool, device); });
}

CUresult MemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return of_location(*location, type, [&](CUdevice device) { return DeviceSetMemPool(device, pool); });
}

}  // namespace nvmlkit::cuda::functions
