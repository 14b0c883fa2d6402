// Copies and sets of memory.
#include "driver/cudart/directions.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

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

}  // namespace

NVMLKIT_RUNTIME Error cudaMemcpy(void* to, const void* from, std::size_t size, int kind) {
  return copy(to, from, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpyAsync(void* to, const void* from, std::size_t size, int kind, CUstream stream) {
  return copy_in(to, from, size, kind, stream);
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
NVMLKIT_RUNTIME Error cudaMemsetAsync(void* to, int value, std::size_t size, CUstream stream) {
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

}  // namespace nvmlkit::cudart
