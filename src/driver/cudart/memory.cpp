// Memory: allocations, copies, sets, symbols.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

enum Direction { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

bool is_direction(int kind) { return kind >= host_to_host && kind <= by_address; }

Error copy(void* to, const void* from, std::size_t size, int kind) {
  if (!is_direction(kind)) return keep(kInvalidDirection);
  return with_context(
      [&] { return size == 0 ? CUDA_SUCCESS : NVMLKIT_BY_DEFAULT(cuMemcpy)(address_of(to), address_of(from), size); });
}

Error copy_in(void* to, const void* from, std::size_t size, int kind, CUstream stream) {
  if (!is_direction(kind)) return keep(kInvalidDirection);
  return with_context(
      [&] { return size == 0 ? nothing_in(&stream) : cuMemcpyAsync(address_of(to), address_of(from), size, stream); });
}

Error copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind, const CUstream* stream = nullptr) {
  if (!is_direction(kind)) return keep(kInvalidDirection);
  if (width > to_pitch || width > from_pitch) return keep(12);  // invalid pitch
  return with_context([&] {
    if (width == 0 || height == 0) return nothing_in(stream);
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = address_of(from);
    c.srcPitch = from_pitch;
    c.dstDevice = address_of(to);
    c.dstPitch = to_pitch;
    c.WidthInBytes = width;
    c.Height = height;
    return stream ? cuMemcpy2DAsync_v2(&c, *stream) : NVMLKIT_BY_DEFAULT(cuMemcpy2DUnaligned_v2)(&c);
  });
}

}  // namespace

Error read_copy(const Copy3D* p, CUDA_MEMCPY3D& c) {
  if (!p) return kInvalidValue;
  if (!is_direction(p->kind)) return kInvalidDirection;
  c = {};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  c.srcXInBytes = p->from_place.x;
  c.srcY = p->from_place.y;
  c.srcZ = p->from_place.z;
  c.srcDevice = address_of(p->from.pointer);
  c.srcPitch = p->from.pitch;
  c.srcHeight = p->from.height;
  c.dstXInBytes = p->to_place.x;
  c.dstY = p->to_place.y;
  c.dstZ = p->to_place.z;
  c.dstDevice = address_of(p->to.pointer);
  c.dstPitch = p->to.pitch;
  c.dstHeight = p->to.height;
  c.WidthInBytes = p->extent.width;
  c.Height = p->extent.height;
  c.Depth = p->extent.depth;
  // Beside an array, widths and places count its elements.
  const auto from_size = element_size(p->from_array), to_size = element_size(p->to_array);
  if ((p->from_array && from_size == 0) || (p->to_array && to_size == 0)) return kInvalidValue;
  if (p->from_array) {
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = static_cast<CUarray>(p->from_array);
    c.srcXInBytes *= from_size;
  }
  if (p->to_array) {
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = static_cast<CUarray>(p->to_array);
    c.dstXInBytes *= to_size;
  }
  if (const auto size = from_size ? from_size : to_size) c.WidthInBytes *= size;
  return 0;
}

namespace {

Error copy_boxes(const Copy3D* p, const CUstream* stream = nullptr) {
  CUDA_MEMCPY3D c{};
  if (const auto wrong = read_copy(p, c)) return keep(wrong);
  return with_context([&] {
    if (c.WidthInBytes == 0 || c.Height == 0 || c.Depth == 0) return nothing_in(stream);
    return stream ? cuMemcpy3DAsync_v2(&c, *stream) : NVMLKIT_BY_DEFAULT(cuMemcpy3D_v2)(&c);
  });
}

Error set(void* to, int value, std::size_t size, const CUstream* stream = nullptr) {
  const auto byte = static_cast<unsigned char>(value);
  return with_context([&] {
    if (size == 0) return nothing_in(stream);
    return stream ? cuMemsetD8Async(address_of(to), byte, size, *stream)
                  : NVMLKIT_BY_DEFAULT(cuMemsetD8_v2)(address_of(to), byte, size);
  });
}

Error set_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
               const CUstream* stream = nullptr) {
  const auto byte = static_cast<unsigned char>(value);
  return with_context([&] {
    if (width == 0 || height == 0) return nothing_in(stream);
    return stream ? cuMemsetD2D8Async(address_of(to), pitch, byte, width, height, *stream)
                  : NVMLKIT_BY_DEFAULT(cuMemsetD2D8_v2)(address_of(to), pitch, byte, width, height);
  });
}

// `to_symbol`: the variable is the target.
Error copy_symbol(const void* symbol, const void* other, std::size_t size, std::size_t offset, int kind, bool to_symbol,
                  CUstream stream = nullptr, bool in_stream = false) {
  if (!is_direction(kind)) return keep(kInvalidDirection);
  return with_context([&]() -> CUresult {
    CUdeviceptr address = 0;
    std::size_t room = 0;
    if (const auto result = variable_of(symbol, &address, &room); result != CUDA_SUCCESS) return result;
    if (offset > room || size > room - offset) return CUDA_ERROR_INVALID_VALUE;
    if (size == 0) return nothing_in(in_stream ? &stream : nullptr);
    const auto to = to_symbol ? address + offset : address_of(other);
    const auto from = to_symbol ? address_of(other) : address + offset;
    return in_stream ? cuMemcpyAsync(to, from, size, stream) : NVMLKIT_BY_DEFAULT(cuMemcpy)(to, from, size);
  });
}

struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
#if NVMLKIT_CUDART_VERSION >= 13000
  long reserved[8];
#endif
};

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
NVMLKIT_RUNTIME Error cudaHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return with_context([&] { return cuMemHostRegister_v2(pointer, size, flags); });
}
NVMLKIT_RUNTIME Error cudaHostUnregister(void* pointer) {
  return with_context([&] { return cuMemHostUnregister(pointer); });
}
NVMLKIT_RUNTIME Error cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuMemHostGetDevicePointer_v2(reinterpret_cast<CUdeviceptr*>(out), host, flags); });
}
NVMLKIT_RUNTIME Error cudaHostGetFlags(unsigned* flags, void* host) {
  return with_context([&] { return cuMemHostGetFlags(flags, host); });
}
NVMLKIT_RUNTIME Error cudaMallocManaged(void** out, std::size_t size, unsigned flags) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuMemAllocManaged(reinterpret_cast<CUdeviceptr*>(out), size, flags); });
}
NVMLKIT_RUNTIME Error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_context([&] { return cuMemGetInfo_v2(free, total); });
}

NVMLKIT_RUNTIME Error cudaMemcpy(void* to, const void* from, std::size_t size, int kind) {
  return copy(to, from, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpy_ptds(void* to, const void* from, std::size_t size, int kind) {
  const OfThread of_thread;
  return copy(to, from, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpyAsync(void* to, const void* from, std::size_t size, int kind, CUstream stream) {
  return copy_in(to, from, size, kind, stream);
}
NVMLKIT_RUNTIME Error cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t size, int kind, CUstream stream) {
  return copy_in(to, from, size, kind, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t size) {
  return copy(to, from, size, by_address);
}
NVMLKIT_RUNTIME Error cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t size, CUstream stream) {
  return copy_in(to, from, size, by_address, stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                        std::size_t width, std::size_t height, int kind, CUstream stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, &stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy3D(const Copy3D* p) { return copy_boxes(p); }
NVMLKIT_RUNTIME Error cudaMemcpy3DAsync(const Copy3D* p, CUstream stream) { return copy_boxes(p, &stream); }
NVMLKIT_RUNTIME Error cudaMemset(void* to, int value, std::size_t size) { return set(to, value, size); }
NVMLKIT_RUNTIME Error cudaMemset_ptds(void* to, int value, std::size_t size) {
  const OfThread of_thread;
  return set(to, value, size);
}
NVMLKIT_RUNTIME Error cudaMemsetAsync(void* to, int value, std::size_t size, CUstream stream) {
  return set(to, value, size, &stream);
}
NVMLKIT_RUNTIME Error cudaMemsetAsync_ptsz(void* to, int value, std::size_t size, CUstream stream) {
  stream = per_thread(stream);
  return set(to, value, size, &stream);
}
NVMLKIT_RUNTIME Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return set_rows(to, pitch, value, width, height);
}
NVMLKIT_RUNTIME Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                        CUstream stream) {
  return set_rows(to, pitch, value, width, height, &stream);
}
NVMLKIT_RUNTIME Error cudaMemset3D(Pitched to, int value, Extent extent) {
  return set_rows(to.pointer, to.pitch, value, extent.width, extent.height * extent.depth);
}
NVMLKIT_RUNTIME Error cudaMemset3DAsync(Pitched to, int value, Extent extent, CUstream stream) {
  return set_rows(to.pointer, to.pitch, value, extent.width, extent.height * extent.depth, &stream);
}

NVMLKIT_RUNTIME Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                                         int kind) {
  return copy_symbol(symbol, from, size, offset, kind, true);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                           int kind) {
  return copy_symbol(symbol, to, size, offset, kind, false);
}
NVMLKIT_RUNTIME Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                              std::size_t offset, int kind, CUstream stream) {
  return copy_symbol(symbol, from, size, offset, kind, true, stream, true);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                                int kind, CUstream stream) {
  return copy_symbol(symbol, to, size, offset, kind, false, stream, true);
}
NVMLKIT_RUNTIME Error cudaGetSymbolAddress(void** out, const void* symbol) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return variable_of(symbol, reinterpret_cast<CUdeviceptr*>(out), nullptr); });
}
NVMLKIT_RUNTIME Error cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  if (!size) return keep(kInvalidValue);
  return with_context([&] { return variable_of(symbol, nullptr, size); });
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
