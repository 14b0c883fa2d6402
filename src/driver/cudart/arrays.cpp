// Arrays.
#include <algorithm>
#include <cstring>

#include "driver/cudart/textures.hpp"

namespace nvmlkit::cudart {
namespace {

CUresult descriptor_of(const void* array, CUDA_ARRAY3D_DESCRIPTOR& out) {
  return cuArray3DGetDescriptor_v2(&out, static_cast<CUarray>(const_cast<void*>(array)));
}

CUresult descriptor_of(const Channels& channels, Extent extent, unsigned flags, CUDA_ARRAY3D_DESCRIPTOR& out) {
  out.Width = extent.width;
  out.Height = extent.height;
  out.Depth = extent.depth;
  out.Flags = flags;
  return format_of(channels, out.Format, out.NumChannels);
}

Error make(CUarray* out, const Channels* channels, Extent extent, unsigned flags) {
  if (!out || !channels) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    const auto result = descriptor_of(*channels, extent, flags, d);
    return result == CUDA_SUCCESS ? cuArray3DCreate_v2(out, &d) : result;
  });
}

// A rectangle between memory and an array; places and widths are bytes.
Error copy(void* array, std::size_t x, std::size_t y, const void* memory, std::size_t pitch, std::size_t width,
           std::size_t height, bool to_array, const CUstream* stream) {
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    if (const auto result = descriptor_of(array, d); result != CUDA_SUCCESS) return result;
    if (width == 0 || height == 0) return nothing_in(stream);
    CUDA_MEMCPY2D c{};
    const auto own = static_cast<CUarray>(array);
    if (to_array) {
      c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      c.dstArray = own;
      c.dstXInBytes = x;
      c.dstY = y;
      c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
      c.srcDevice = address_of(memory);
      c.srcPitch = pitch;
    } else {
      c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
      c.srcArray = own;
      c.srcXInBytes = x;
      c.srcY = y;
      c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
      c.dstDevice = address_of(memory);
      c.dstPitch = pitch;
    }
    c.WidthInBytes = width;
    c.Height = height;
    return stream ? cuMemcpy2DAsync_v2(&c, *stream) : NVMLKIT_BY_DEFAULT(cuMemcpy2DUnaligned_v2)(&c);
  });
}

}  // namespace

std::size_t element_size(const void* array) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (!array || ready() != CUDA_SUCCESS || descriptor_of(array, d) != CUDA_SUCCESS) return 0;
  return static_cast<std::size_t>(channels_of(d.Format, d.NumChannels).bits[0]) / 8 * d.NumChannels;
}

NVMLKIT_RUNTIME Channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {{x, y, z, w}, kind}; }

NVMLKIT_RUNTIME Error cudaMallocArray(CUarray* out, const Channels* channels, std::size_t width, std::size_t height,
                                      unsigned flags) {
  return make(out, channels, {width, height, 0}, flags);
}
NVMLKIT_RUNTIME Error cudaMalloc3DArray(CUarray* out, const Channels* channels, Extent extent, unsigned flags) {
  return make(out, channels, extent, flags);
}
NVMLKIT_RUNTIME Error cudaFreeArray(CUarray array) {
  return with_context([&] { return array ? cuArrayDestroy(array) : CUDA_SUCCESS; });
}
NVMLKIT_RUNTIME Error cudaMallocMipmappedArray(CUmipmappedArray* out, const Channels* channels, Extent extent,
                                               unsigned levels, unsigned flags) {
  if (!out || !channels) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    const auto result = descriptor_of(*channels, extent, flags, d);
    return result == CUDA_SUCCESS ? cuMipmappedArrayCreate(out, &d, levels) : result;
  });
}
NVMLKIT_RUNTIME Error cudaFreeMipmappedArray(CUmipmappedArray mipmap) {
  return with_context([&] { return mipmap ? cuMipmappedArrayDestroy(mipmap) : CUDA_SUCCESS; });
}
NVMLKIT_RUNTIME Error cudaGetMipmappedArrayLevel(CUarray* out, CUmipmappedArray mipmap, unsigned level) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return cuMipmappedArrayGetLevel(out, mipmap, level); });
}

// None is sparse, has planes, or gets its memory later.

NVMLKIT_RUNTIME Error cudaArrayGetInfo(Channels* channels, Extent* extent, unsigned* flags, CUarray array) {
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    const auto result = descriptor_of(array, d);
    if (result != CUDA_SUCCESS) return result;
    if (channels) *channels = channels_of(d.Format, d.NumChannels);
    if (extent) *extent = {d.Width, d.Height, d.Depth};
    if (flags) *flags = d.Flags;
    return result;
  });
}
NVMLKIT_RUNTIME Error cudaGetChannelDesc(Channels* channels, CUarray array) {
  if (!channels) return keep(kInvalidValue);
  return cudaArrayGetInfo(channels, nullptr, nullptr, array);
}

NVMLKIT_RUNTIME Error cudaMemcpy2DToArray(CUarray array, std::size_t x, std::size_t y, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int) {
  return copy(array, x, y, from, pitch, width, height, true, nullptr);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DToArrayAsync(CUarray array, std::size_t x, std::size_t y, const void* from,
                                               std::size_t pitch, std::size_t width, std::size_t height, int,
                                               CUstream stream) {
  return copy(array, x, y, from, pitch, width, height, true, &stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, CUarray array, std::size_t x, std::size_t y,
                                            std::size_t width, std::size_t height, int) {
  return copy(array, x, y, to, pitch, width, height, false, nullptr);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, CUarray array, std::size_t x,
                                                 std::size_t y, std::size_t width, std::size_t height, int,
                                                 CUstream stream) {
  return copy(array, x, y, to, pitch, width, height, false, &stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DArrayToArray(CUarray to, std::size_t to_x, std::size_t to_y, CUarray from,
                                               std::size_t from_x, std::size_t from_y, std::size_t width,
                                               std::size_t height, int) {
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    for (const auto array : {to, from})
      if (const auto result = descriptor_of(array, d); result != CUDA_SUCCESS) return result;
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    CUDA_MEMCPY2D c{};
    c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = to;
    c.dstXInBytes = to_x;
    c.dstY = to_y;
    c.srcArray = from;
    c.srcXInBytes = from_x;
    c.srcY = from_y;
    c.WidthInBytes = width;
    c.Height = height;
    return NVMLKIT_BY_DEFAULT(cuMemcpy2DUnaligned_v2)(&c);
  });
}
// Rows one behind the other are copied as one: as long as they are whole ones.
NVMLKIT_RUNTIME Error cudaMemcpyToArray(CUarray array, std::size_t x, std::size_t y, const void* from, std::size_t size,
                                        int) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS || descriptor_of(array, d) != CUDA_SUCCESS) return keep(kInvalidValue);
  const auto row = d.Width * element_size(array);
  if (x + size <= row) return copy(array, x, y, from, size, size, 1, true, nullptr);
  return x == 0 && size % row == 0 ? copy(array, 0, y, from, row, row, size / row, true, nullptr) : keep(kNotSupported);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArray(void* to, CUarray array, std::size_t x, std::size_t y, std::size_t size,
                                          int) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS || descriptor_of(array, d) != CUDA_SUCCESS) return keep(kInvalidValue);
  const auto row = d.Width * element_size(array);
  if (x + size <= row) return copy(array, x, y, to, size, size, 1, false, nullptr);
  return x == 0 && size % row == 0 ? copy(array, 0, y, to, row, row, size / row, false, nullptr) : keep(kNotSupported);
}

}  // namespace nvmlkit::cudart
