// The resource of a texture or a surface, in the form of the driver API.
#pragma once

#include <cstddef>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// CUDA_RESOURCE_DESC.
struct Resource {
  CUresourcetype type;
  union {
    CUarray array;
    CUmipmappedArray mipmap;
    struct {
      CUdeviceptr address;
      CUarray_format format;
      unsigned channels;
      std::size_t size;
    } linear;
    struct {
      CUdeviceptr address;
      CUarray_format format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};

}  // namespace nvmlkit::cuda
