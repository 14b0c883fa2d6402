// Texels: the values of an array's elements.
#pragma once

#include <cstring>

#include "driver/cuda/textures/textures.hpp"

namespace nvmlkit::cuda::textures {

constexpr unsigned kReadAsInteger = 1;  // CU_TRSF_...

struct Texel {
  float value[4] = {};
  std::uint32_t bits[4] = {};  // as an integer
};

inline bool is_float(CUarray_format format) { return format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF; }

template <class T>
T value_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline const std::byte* place_of(const Texture& t, const Texture::Level& level, std::size_t x, std::size_t y,
                                 std::size_t z) {
  return level.bytes + (z * level.height + y) * level.row + x * t.element_size;
}

Texel read_texel(const Texture& t, const std::byte* at);
inline Texel read_texel(const Texture& t, const Texture::Level& level, std::size_t x, std::size_t y, std::size_t z) {
  return read_texel(t, place_of(t, level, x, y, z));
}
// A texel of linear memory behind its allocation: of what else is at its address, or 0.
Texel texel_behind(const Texture& t, std::size_t x);

}  // namespace nvmlkit::cuda::textures
