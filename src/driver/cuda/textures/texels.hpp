// Texels: the values of an array's elements.
#pragma once

#include "driver/cuda/textures/textures.hpp"

namespace nvmlkit::cuda::textures {

struct Texel {
  float value[4] = {};
  std::uint32_t bits[4] = {};  // as an integer
};

inline bool is_float(CUarray_format format) { return format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF; }

Texel read_texel(const Texture& t, const Texture::Level& level, std::size_t x, std::size_t y, std::size_t z);

}  // namespace nvmlkit::cuda::textures
