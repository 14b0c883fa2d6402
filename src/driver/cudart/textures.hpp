// The runtime's descriptions of texels, textures and their resources.
#pragma once

#include "driver/cuda/textures/resource.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

// Bits of each component, and what they are: signed, unsigned, float.
struct Channels {
  int bits[4];
  int kind;
};

// What that is to the driver; an error where it is nothing.
CUresult format_of(const Channels& channels, CUarray_format& format, unsigned& count);
Channels channels_of(CUarray_format format, unsigned count);

struct ResourceDescription {
  int type;
  union {
    CUarray array;
    CUmipmappedArray mipmap;
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
  int no_trilinear;
#if NVMLKIT_CUDART_VERSION >= 12000
  int seamless_cube;
#endif
};

// The part of CUDA_RESOURCE_VIEW_DESC that the runtime has; formats have the same numbers.
struct ViewDescription {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
};

}  // namespace nvmlkit::cudart
