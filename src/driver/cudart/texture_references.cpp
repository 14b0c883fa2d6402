// Texture and surface references: variables of programs of CUDA 11 that are bound to arrays or memory. The host
// variable contains the modes of the texture; they are read when it is bound.
#include <algorithm>

#include "driver/cudart/textures.hpp"

#if NVMLKIT_CUDART_VERSION < 12000

namespace nvmlkit::cudart {

struct TextureReference {
  int normalized, filter_mode, address_mode[3];
  Channels channels;
  int srgb;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, least_mipmap, most_mipmap;
};

namespace {

constexpr Error kInvalidTextureBinding = 19, kInvalidSurface = 37;

constexpr unsigned kAsInteger = 1, kNormalized = 2, kSrgb = 16;  // CU_TRSF_...
constexpr unsigned kOverrideFormat = 1;

// bind(reference of the driver), after the host side's modes of the texture were passed on.
template <class Bind>
Error bind_texture(const TextureReference* host, const Channels* channels, Bind bind) {
  if (!host) return keep(kInvalidTexture);
  if (const auto result = ready(); result != CUDA_SUCCESS) return keep(result);
  CUtexref texture = nullptr;
  bool as_float = false;
  if (const auto result = texture_of(host, &texture, &as_float); result != CUDA_SUCCESS) return keep(result);
  if (channels) {
    CUarray_format format{};
    unsigned count = 0;
    if (const auto result = format_of(*channels, format, count); result != CUDA_SUCCESS) return keep(result);
    cuTexRefSetFormat(texture, format, static_cast<int>(count));
  }
  for (int k = 0; k < 3; ++k) cuTexRefSetAddressMode(texture, k, static_cast<CUaddress_mode>(host->address_mode[k]));
  cuTexRefSetFilterMode(texture, static_cast<CUfilter_mode>(host->filter_mode));
  cuTexRefSetMipmapFilterMode(texture, static_cast<CUfilter_mode>(host->mipmap_filter));
  cuTexRefSetMipmapLevelBias(texture, host->mipmap_bias);
  cuTexRefSetMipmapLevelClamp(texture, host->least_mipmap, host->most_mipmap);
  cuTexRefSetFlags(texture,
                   (as_float ? 0 : kAsInteger) | (host->normalized ? kNormalized : 0) | (host->srgb ? kSrgb : 0));
  return keep(bind(texture));
}

}  // namespace

// A size beyond the end of the allocation means all of it.
NVMLKIT_RUNTIME Error cudaBindTexture(std::size_t* offset, const TextureReference* host, const void* memory,
                                      const Channels* channels, std::size_t size) {
  return bind_texture(host, channels, [&](CUtexref texture) {
    CUdeviceptr base = 0;
    std::size_t whole = 0;
    const auto address = address_of(memory);
    if (cuMemGetAddressRange_v2(&base, &whole, address) == CUDA_SUCCESS)
      size = std::min<std::size_t>(size, base + whole - address);
    const auto result = cuTexRefSetAddress_v2(nullptr, texture, address, size);
    if (result == CUDA_SUCCESS && offset) *offset = 0;
    return result;
  });
}
NVMLKIT_RUNTIME Error cudaBindTexture2D(std::size_t* offset, const TextureReference* host, const void* memory,
                                        const Channels* channels, std::size_t width, std::size_t height,
                                        std::size_t pitch) {
  return bind_texture(host, nullptr, [&](CUtexref texture) {
    CUDA_ARRAY_DESCRIPTOR d{};
    d.Width = width;
    d.Height = height;
    const auto result = channels ? format_of(*channels, d.Format, d.NumChannels) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return result;
    if (offset) *offset = 0;
    return cuTexRefSetAddress2D_v3(texture, &d, address_of(memory), pitch);
  });
}
NVMLKIT_RUNTIME Error cudaBindTextureToArray(const TextureReference* host, CUarray array, const Channels*) {
  return bind_texture(host, nullptr,
                      [&](CUtexref texture) { return cuTexRefSetArray(texture, array, kOverrideFormat); });
}
NVMLKIT_RUNTIME Error cudaBindTextureToMipmappedArray(const TextureReference* host, CUmipmappedArray mipmap,
                                                      const Channels*) {
  return bind_texture(host, nullptr,
                      [&](CUtexref texture) { return cuTexRefSetMipmappedArray(texture, mipmap, kOverrideFormat); });
}
NVMLKIT_RUNTIME Error cudaUnbindTexture(const TextureReference* host) {
  if (!host) return keep(kInvalidTexture);
  return with_context([&] {
    CUtexref texture = nullptr;
    bool as_float = false;
    const auto result = texture_of(host, &texture, &as_float);
    return result == CUDA_SUCCESS ? cuTexRefSetAddress_v2(nullptr, texture, 0, 0) : result;
  });
}
NVMLKIT_RUNTIME Error cudaGetTextureAlignmentOffset(std::size_t* offset, const TextureReference* host) {
  if (!offset || !host) return keep(kInvalidValue);
  if (const auto result = ready(); result != CUDA_SUCCESS) return keep(result);
  CUtexref texture = nullptr;
  bool as_float = false;
  if (texture_of(host, &texture, &as_float) != CUDA_SUCCESS) return keep(kInvalidTexture);
  CUdeviceptr address = 0;
  if (cuTexRefGetAddress_v2(&address, texture) != CUDA_SUCCESS) return keep(kInvalidTextureBinding);
  *offset = 0;
  return 0;
}

// A variable of the program is its own reference.
NVMLKIT_RUNTIME Error cudaGetTextureReference(const TextureReference** out, const void* symbol) {
  if (!out) return keep(kInvalidValue);
  if (!is_texture(symbol)) return keep(kInvalidTexture);
  *out = static_cast<const TextureReference*>(symbol);
  return 0;
}
NVMLKIT_RUNTIME Error cudaGetSurfaceReference(const void** out, const void* symbol) {
  if (!out) return keep(kInvalidValue);
  if (!is_texture(symbol)) return keep(kInvalidSurface);
  *out = symbol;
  return 0;
}

NVMLKIT_RUNTIME Error cudaBindSurfaceToArray(const void* host, CUarray array, const Channels*) {
  if (!host) return keep(kInvalidSurface);
  return with_context([&] {
    CUsurfref surface = nullptr;
    const auto result = surface_of(host, &surface);
    return result == CUDA_SUCCESS ? cuSurfRefSetArray(surface, array, 0) : result;
  });
}

}  // namespace nvmlkit::cudart
#endif
