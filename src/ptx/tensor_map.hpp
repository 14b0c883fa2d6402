// The contents of the 128 bytes of a tensor map. The driver writes them, copies read them; to programs they are opaque.
#pragma once

#include <cstdint>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

struct TensorMap {
  static constexpr std::uint64_t kMagic = 0x6B6C6D766E70616D;
  static constexpr unsigned kMostDimensions = 5;
  enum class Swizzle : std::uint8_t { none, of_32, of_64, of_128 };

  std::uint64_t magic = kMagic;
  std::uint64_t reserved = 0;  // programs clear bits here, against an error of some real drivers
  std::uint64_t address = 0;
  std::uint64_t strides[kMostDimensions - 1] = {};  // bytes, of all dimensions but the first
  std::uint32_t last[kMostDimensions] = {};         // the highest index of each
  std::uint16_t box[kMostDimensions] = {};          // elements; of columns of pixels: channels, and pixels
  std::uint8_t steps[kMostDimensions] = {};
  std::uint8_t rank = 0;
  std::uint8_t type = 0;  // CUtensorMapDataType
  Swizzle swizzle = Swizzle::none;
  bool fills_with_nan = false;
  bool is_columns = false;                    // im2col
  std::int16_t lower[3] = {}, upper[3] = {};  // corners of the box of pixels, from those of the tensor
  std::uint8_t unused[20] = {};

  static constexpr unsigned kTypes = 13;
  static unsigned size_of_element(unsigned type);
  static Type element(unsigned type);  // for arithmetic
  unsigned element_size() const { return size_of_element(type); }
};
static_assert(sizeof(TensorMap) == 128);

}  // namespace nvmlkit::ptx
