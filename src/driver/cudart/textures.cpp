// Textures and surfaces.
#include "driver/cudart/textures.hpp"

#include <algorithm>
#include <cstring>

namespace nvmlkit::cudart {
namespace {

enum Kind { is_signed, is_unsigned, is_float };

CUresult resource_of(const ResourceDescription& r, cuda::Resource& out) {
  out = {};
  out.type = static_cast<CUresourcetype>(r.type);
  switch (out.type) {
    case CU_RESOURCE_TYPE_ARRAY:
      out.array = r.array;
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      out.mipmap = r.mipmap;
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
      out.linear.address = r.linear.address;
      out.linear.size = r.linear.size;
      return format_of(r.linear.channels, out.linear.format, out.linear.channels);
    case CU_RESOURCE_TYPE_PITCH2D:
      out.pitched.address = r.pitched.address;
      out.pitched.width = r.pitched.width;
      out.pitched.height = r.pitched.height;
      out.pitched.pitch = r.pitched.pitch;
      return format_of(r.pitched.channels, out.pitched.format, out.pitched.channels);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

ResourceDescription described(const cuda::Resource& r) {
  ResourceDescription out{};
  out.type = r.type;
  if (r.type == CU_RESOURCE_TYPE_ARRAY) out.array = r.array;
  if (r.type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) out.mipmap = r.mipmap;
  if (r.type == CU_RESOURCE_TYPE_LINEAR)
    out.linear = {r.linear.address, channels_of(r.linear.format, r.linear.channels), r.linear.size};
  if (r.type == CU_RESOURCE_TYPE_PITCH2D)
    out.pitched = {r.pitched.address, channels_of(r.pitched.format, r.pitched.channels), r.pitched.width,
                   r.pitched.height, r.pitched.pitch};
  return out;
}

constexpr unsigned kAsInteger = 1, kNormalized = 2, kSrgb = 16;  // CU_TRSF_...

CUDA_TEXTURE_DESC texture_of(const TextureDescription& t) {
  CUDA_TEXTURE_DESC out{};
  for (int k = 0; k < 3; ++k) out.addressMode[k] = static_cast<CUaddress_mode>(t.address_mode[k]);
  out.filterMode = static_cast<CUfilter_mode>(t.filter_mode);
  out.flags = (t.read_mode == 0 ? kAsInteger : 0) | (t.normalized ? kNormalized : 0) | (t.srgb ? kSrgb : 0);
  std::copy_n(t.border, 4, out.borderColor);
  out.maxAnisotropy = t.anisotropy;
  out.mipmapFilterMode = static_cast<CUfilter_mode>(t.mipmap_filter);
  out.mipmapLevelBias = t.mipmap_bias;
  out.minMipmapLevelClamp = t.least_mipmap;
  out.maxMipmapLevelClamp = t.most_mipmap;
  return out;
}

TextureDescription described(const CUDA_TEXTURE_DESC& t) {
  TextureDescription out{};
  for (int k = 0; k < 3; ++k) out.address_mode[k] = t.addressMode[k];
  out.filter_mode = t.filterMode;
  out.read_mode = t.flags & kAsInteger ? 0 : 1;
  out.srgb = t.flags & kSrgb ? 1 : 0;
  std::copy_n(t.borderColor, 4, out.border);
  out.normalized = t.flags & kNormalized ? 1 : 0;
  out.anisotropy = t.maxAnisotropy;
  out.mipmap_filter = t.mipmapFilterMode;
  out.mipmap_bias = t.mipmapLevelBias;
  out.least_mipmap = t.minMipmapLevelClamp;
  out.most_mipmap = t.maxMipmapLevelClamp;
  return out;
}

}  // namespace

CUresult format_of(const Channels& c, CUarray_format& format, unsigned& count) {
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

NVMLKIT_RUNTIME Error cudaCreateTextureObject(CUtexObject* out, const ResourceDescription* resource,
                                              const TextureDescription* texture, const ViewDescription* view) {
  if (!out || !resource || !texture) return keep(kInvalidValue);
  return with_context([&] {
    cuda::Resource r;
    if (const auto result = resource_of(*resource, r); result != CUDA_SUCCESS) return result;
    const auto t = texture_of(*texture);
    CUDA_RESOURCE_VIEW_DESC v{};
    if (view) std::memcpy(&v, view, sizeof *view);
    return cuTexObjectCreate(out, reinterpret_cast<const CUDA_RESOURCE_DESC*>(&r), &t, view ? &v : nullptr);
  });
}
NVMLKIT_RUNTIME Error cudaGetTextureObjectResourceDesc(ResourceDescription* out, CUtexObject texture) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    cuda::Resource r;
    const auto result = cuTexObjectGetResourceDesc(reinterpret_cast<CUDA_RESOURCE_DESC*>(&r), texture);
    if (result == CUDA_SUCCESS) *out = described(r);
    return result;
  });
}
NVMLKIT_RUNTIME Error cudaGetTextureObjectTextureDesc(TextureDescription* out, CUtexObject texture) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_TEXTURE_DESC t{};
    const auto result = cuTexObjectGetTextureDesc(&t, texture);
    if (result == CUDA_SUCCESS) *out = described(t);
    return result;
  });
}
NVMLKIT_RUNTIME Error cudaGetTextureObjectResourceViewDesc(ViewDescription* out, CUtexObject texture) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_RESOURCE_VIEW_DESC v{};
    const auto result = cuTexObjectGetResourceViewDesc(&v, texture);
    if (result == CUDA_SUCCESS) std::memcpy(out, &v, sizeof *out);
    return result;
  });
}
#if NVMLKIT_CUDART_VERSION < 12000
// The same with one number more behind it, about the edges of cubes.
NVMLKIT_RUNTIME Error cudaCreateTextureObject_v2(CUtexObject* out, const ResourceDescription* resource,
                                                 const TextureDescription* texture, const ViewDescription* view) {
  return cudaCreateTextureObject(out, resource, texture, view);
}
NVMLKIT_RUNTIME Error cudaGetTextureObjectTextureDesc_v2(TextureDescription* out, CUtexObject texture) {
  return cudaGetTextureObjectTextureDesc(out, texture);
}
#endif
NVMLKIT_RUNTIME Error cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* out, const Channels* channels, int device) {
  if (!out || !channels) return keep(kInvalidValue);
  return with_context([&] {
    CUarray_format format{};
    unsigned count = 0;
    const auto result = format_of(*channels, format, count);
    return result == CUDA_SUCCESS ? cuDeviceGetTexture1DLinearMaxWidth(out, format, count, device) : result;
  });
}
NVMLKIT_RUNTIME Error cudaCreateSurfaceObject(CUsurfObject* out, const ResourceDescription* resource) {
  if (!out || !resource) return keep(kInvalidValue);
  return with_context([&] {
    cuda::Resource r;
    const auto result = resource_of(*resource, r);
    return result == CUDA_SUCCESS ? cuSurfObjectCreate(out, reinterpret_cast<const CUDA_RESOURCE_DESC*>(&r)) : result;
  });
}
NVMLKIT_RUNTIME Error cudaGetSurfaceObjectResourceDesc(ResourceDescription* out, CUsurfObject surface) {
  return cudaGetTextureObjectResourceDesc(out, surface);
}

}  // namespace nvmlkit::cudart
