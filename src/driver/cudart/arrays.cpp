// Arrays, and textures and surfaces.
#include <algorithm>
#include <cstring>

#include "driver/cuda/resource.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

// Bits of each component, and what they are: signed, unsigned, float.
struct Channels {
  int bits[4];
  int kind;
};
enum Kind { is_signed, is_unsigned, is_float };

CUresult read(const Channels& c, CUarray_format& format, unsigned& count) {
  count = c.bits[3] ? 4 : c.bits[2] ? 3 : c.bits[1] ? 2 : 1;
  for (unsigned k = 1; k < count; ++k)
    if (c.bits[k] != c.bits[0]) return CUDA_ERROR_INVALID_VALUE;
  const auto size = c.bits[0];
  if (c.kind == is_float && (size == 16 || size == 32))
    format = size == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  else if (c.kind == is_signed && (size == 8 || size == 16 || size == 32))
    format = size == 8 ? CU_AD_FORMAT_SIGNED_INT8 : size == 16 ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_SIGNED_INT32;
  else if (c.kind == is_unsigned && (size == 8 || size == 16 || size == 32))
    format = size == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
             : size == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                          : CU_AD_FORMAT_UNSIGNED_INT32;
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

Channels channels_of(CUarray_format format, unsigned count) {
  const bool floats = format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
  const bool signs = format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32;
  const int bits =
      format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 8
      : format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 || format == CU_AD_FORMAT_HALF
          ? 16
          : 32;
  Channels out{{}, floats ? is_float : signs ? is_signed : is_unsigned};
  std::fill_n(out.bits, std::min(count, 4u), bits);
  return out;
}

struct ResourceDescription {
  int type;
  union {
    CUarray array;
    struct {
      CUdeviceptr address;
      Channels channels;
      std::size_t size;
    } linear;
    struct {
      CUdeviceptr address;
      Channels channels;
      std::size_t width, height, pitch;
    } pitched;
  };
};

struct TextureDescription {
  int address_mode[3], filter_mode, read_mode, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, least_mipmap, most_mipmap;
};

CUresult read(const ResourceDescription& r, cuda::Resource& out) {
  out = {};
  out.type = static_cast<CUresourcetype>(r.type);
  switch (out.type) {
    case CU_RESOURCE_TYPE_ARRAY:
      out.array = r.array;
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
      out.linear.address = r.linear.address;
      out.linear.size = r.linear.size;
      return read(r.linear.channels, out.linear.format, out.linear.channels);
    case CU_RESOURCE_TYPE_PITCH2D:
      out.pitched.address = r.pitched.address;
      out.pitched.width = r.pitched.width;
      out.pitched.height = r.pitched.height;
      out.pitched.pitch = r.pitched.pitch;
      return read(r.pitched.channels, out.pitched.format, out.pitched.channels);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUDA_TEXTURE_DESC read(const TextureDescription& t) {
  CUDA_TEXTURE_DESC out{};
  for (int k = 0; k < 3; ++k) out.addressMode[k] = static_cast<CUaddress_mode>(t.address_mode[k]);
  out.filterMode = static_cast<CUfilter_mode>(t.filter_mode);
  constexpr unsigned kAsInteger = 1, kNormalized = 2;
  out.flags = (t.read_mode == 0 ? kAsInteger : 0) | (t.normalized ? kNormalized : 0);
  std::copy_n(t.border, 4, out.borderColor);
  return out;
}

CUresult descriptor_of(const void* array, CUDA_ARRAY3D_DESCRIPTOR& out) {
  return cuArray3DGetDescriptor_v2(&out, static_cast<CUarray>(const_cast<void*>(array)));
}

Error make(CUarray* out, const Channels* channels, Extent extent, unsigned flags) {
  if (!out || !channels) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = extent.width;
    d.Height = extent.height;
    d.Depth = extent.depth;
    d.Flags = flags;
    const auto result = read(*channels, d.Format, d.NumChannels);
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

NVMLKIT_RUNTIME Error cudaMemcpy2DToArray(void* array, std::size_t x, std::size_t y, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int) {
  return copy(array, x, y, from, pitch, width, height, true, nullptr);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DToArrayAsync(void* array, std::size_t x, std::size_t y, const void* from,
                                               std::size_t pitch, std::size_t width, std::size_t height, int,
                                               CUstream stream) {
  return copy(array, x, y, from, pitch, width, height, true, &stream);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, void* array, std::size_t x, std::size_t y,
                                            std::size_t width, std::size_t height, int) {
  return copy(array, x, y, to, pitch, width, height, false, nullptr);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, void* array, std::size_t x, std::size_t y,
                                                 std::size_t width, std::size_t height, int, CUstream stream) {
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
NVMLKIT_RUNTIME Error cudaMemcpyToArray(void* array, std::size_t x, std::size_t y, const void* from, std::size_t size,
                                        int) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS || descriptor_of(array, d) != CUDA_SUCCESS) return keep(kInvalidValue);
  const auto row = d.Width * element_size(array);
  if (x + size <= row) return copy(array, x, y, from, size, size, 1, true, nullptr);
  return x == 0 && size % row == 0 ? copy(array, 0, y, from, row, row, size / row, true, nullptr) : keep(kNotSupported);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArray(void* to, void* array, std::size_t x, std::size_t y, std::size_t size, int) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS || descriptor_of(array, d) != CUDA_SUCCESS) return keep(kInvalidValue);
  const auto row = d.Width * element_size(array);
  if (x + size <= row) return copy(array, x, y, to, size, size, 1, false, nullptr);
  return x == 0 && size % row == 0 ? copy(array, 0, y, to, row, row, size / row, false, nullptr) : keep(kNotSupported);
}

NVMLKIT_RUNTIME Error cudaCreateTextureObject(CUtexObject* out, const ResourceDescription* resource,
                                              const TextureDescription* texture, const void* view) {
  if (!out || !resource || !texture) return keep(kInvalidValue);
  if (view) return keep(kNotSupported);
  return with_context([&] {
    cuda::Resource r;
    if (const auto result = read(*resource, r); result != CUDA_SUCCESS) return result;
    const auto t = read(*texture);
    return cuTexObjectCreate(out, reinterpret_cast<const CUDA_RESOURCE_DESC*>(&r), &t, nullptr);
  });
}
NVMLKIT_RUNTIME Error cudaDestroyTextureObject(CUtexObject texture) {
  return with_context([&] { return cuTexObjectDestroy(texture); });
}
NVMLKIT_RUNTIME Error cudaCreateSurfaceObject(CUsurfObject* out, const ResourceDescription* resource) {
  if (!out || !resource) return keep(kInvalidValue);
  return with_context([&] {
    cuda::Resource r;
    const auto result = read(*resource, r);
    return result == CUDA_SUCCESS ? cuSurfObjectCreate(out, reinterpret_cast<const CUDA_RESOURCE_DESC*>(&r)) : result;
  });
}
NVMLKIT_RUNTIME Error cudaDestroySurfaceObject(CUsurfObject surface) {
  return with_context([&] { return cuSurfObjectDestroy(surface); });
}

}  // namespace nvmlkit::cudart
