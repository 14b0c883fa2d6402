// Memory: allocations, and properties of pointers.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
#if NVMLKIT_CUDART_VERSION >= 13000
  long reserved[8];
#endif
};

namespace {

Error allocate(void** out, std::size_t size) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUdeviceptr address = 0;
    const auto result = size == 0 ? CUDA_SUCCESS : cuMemAlloc_v2(&address, size);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(address);
    return result;
  });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMalloc(void** out, std::size_t size) { return allocate(out, size); }
NVMLKIT_RUNTIME Error cudaFree(void* pointer) {
  return with_context([&] { return cuMemFree_v2(address_of(pointer)); });
}
NVMLKIT_RUNTIME Error cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (!out || !pitch) return keep(kInvalidValue);
  return with_context([&] {
    CUdeviceptr address = 0;
    const auto result =
        width == 0 || height == 0 ? CUDA_SUCCESS : cuMemAllocPitch_v2(&address, pitch, width, height, 4);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(address);
    return result;
  });
}
NVMLKIT_RUNTIME Error cudaMalloc3D(Pitched* out, Extent extent) {
  if (!out) return keep(kInvalidValue);
  *out = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&out->pointer, &out->pitch, extent.width, extent.height * extent.depth);
}
NVMLKIT_RUNTIME Error cudaHostAlloc(void** out, std::size_t size, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  *out = nullptr;
  return with_context([&] { return size == 0 ? CUDA_SUCCESS : cuMemHostAlloc(out, size, flags); });
}
NVMLKIT_RUNTIME Error cudaMallocHost(void** out, std::size_t size) { return cudaHostAlloc(out, size, 0); }
NVMLKIT_RUNTIME Error cudaFreeHost(void* pointer) {
  return with_context([&] { return pointer ? cuMemFreeHost(pointer) : CUDA_SUCCESS; });
}
NVMLKIT_RUNTIME Error cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuMemHostGetDevicePointer_v2(reinterpret_cast<CUdeviceptr*>(out), host, flags); });
}
NVMLKIT_RUNTIME Error cudaMallocManaged(void** out, std::size_t size, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuMemAllocManaged(reinterpret_cast<CUdeviceptr*>(out), size, flags); });
}

NVMLKIT_RUNTIME Error cudaPointerGetAttributes(PointerAttributes* out, const void* pointer) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    *out = {};
    out->device = -2;
    unsigned type = 0, managed = 0;
    const auto address = address_of(pointer);
    if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS) {
      out->host_pointer = const_cast<void*>(pointer);  // memory of the program alone
      return CUDA_SUCCESS;
    }
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
    cuPointerGetAttribute(&out->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    out->type = managed ? 3 : static_cast<int>(type);
    out->device_pointer = const_cast<void*>(pointer);
    if (managed || type == CU_MEMORYTYPE_HOST) out->host_pointer = const_cast<void*>(pointer);
    return CUDA_SUCCESS;
  });
}

}  // namespace nvmlkit::cudart
