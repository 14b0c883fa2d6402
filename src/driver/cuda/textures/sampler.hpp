// One read of a level of a texture: coordinates, edges, interpolation between texels.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "driver/cuda/textures/texels.hpp"

namespace nvmlkit::cuda::textures {

constexpr unsigned kNormalized = 2;  // CU_TRSF_...
// Coordinates from here on are outside of any texture.
constexpr double kFar = 1e9;

// The place of a texel after the mode for places beyond the edge; false: outside.
inline bool inside(std::int64_t& at, std::size_t size, CUaddress_mode mode, bool normalized) {
  const auto count = static_cast<std::int64_t>(size);
  if (at >= 0 && at < count) return true;
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return false;
  if (normalized && mode == CU_TR_ADDRESS_MODE_WRAP) {
    at = ((at % count) + count) % count;
  } else if (normalized && mode == CU_TR_ADDRESS_MODE_MIRROR) {
    const auto twice = ((at % (2 * count)) + 2 * count) % (2 * count);
    at = twice < count ? twice : 2 * count - 1 - twice;
  } else {
    at = at < 0 ? 0 : count - 1;
  }
  return true;
}

// What is read most: one float, at a place that always is inside.
inline bool is_one_float(const Texture& t, unsigned dimensions) {
  if (t.format != CU_AD_FORMAT_FLOAT || t.channels != 1 || t.levels.size() != 1) return false;
  for (unsigned k = 0; k < dimensions; ++k)
    if (t.how.addressMode[k] == CU_TR_ADDRESS_MODE_BORDER) return false;
  return true;
}

// Where a coordinate lies in one dimension: a texel and the next one, and how far from the first to the next.
struct Span {
  std::int64_t at[2] = {};
  bool is_inside[2] = {true, true};
  double weight[2] = {1, 0};
};

class Sampler {
 public:
  Sampler(const Texture& texture, const Texture::Level& level, const ptx::Lookup& lookup)
      : t_(texture),
        level_(level),
        lookup_(lookup),
        normalized_(lookup.is_cube || (texture.how.flags & kNormalized)),
        sizes_{level.width, level.height, level.depth} {}

  // `at` becomes the place after the mode for places beyond the edge.
  Texel texel(std::int64_t at[3]) const {
    if (!puts_inside(at)) return border();
    return read_texel(t_, level_, static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                      static_cast<std::size_t>(at[2]));
  }

  // In texels from the left edge.
  double position(unsigned k) const {
    return normalized_ ? double{lookup_.at[k]} * static_cast<double>(sizes_[k]) : double{lookup_.at[k]};
  }

  Texel nearest() const {
    std::int64_t at[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) at[k] = floor_of(position(k));
    return texel(at);
  }

  Texel by_index() const {
    std::int64_t at[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) {
      at[k] = lookup_.index[k];
      if (at[k] >= 0 && at[k] < static_cast<std::int64_t>(sizes_[k])) continue;
      const bool is_named = k == 0 && at[0] >= 0 && at[0] < static_cast<std::int64_t>(t_.linear_width);
      return is_named ? texel_behind(t_, static_cast<std::size_t>(at[0])) : Texel{};
    }
    return texel(at);
  }

  Texel linear() const {
    return lookup_.dimensions == 1 ? linear<1, 4>() : lookup_.dimensions == 2 ? linear<2, 4>() : linear<3, 4>();
  }

  // The same, or the nearest one, of a texture that `is_one_float`.
  float one_float(bool filters) const {
    if (filters)
      return lookup_.dimensions == 1   ? linear<1, 1>().value[0]
             : lookup_.dimensions == 2 ? linear<2, 1>().value[0]
                                       : linear<3, 1>().value[0];
    std::int64_t at[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) at[k] = floor_of(position(k));
    puts_inside(at);
    return float_at(at[0], at[1], at[2]);
  }

  // One component of the four neighbours, from the lower left one against the clock.
  Texel gathered() const {
    constexpr int kRight[4] = {0, 1, 1, 0}, kDown[4] = {1, 1, 0, 0};
    Texel out;
    for (unsigned k = 0; k < 4; ++k) {
      std::int64_t at[3] = {floor_of(position(0) - 0.5) + kRight[k], floor_of(position(1) - 0.5) + kDown[k], 0};
      const auto one = texel(at);
      out.value[k] = one.value[lookup_.gathered];
      out.bits[k] = one.bits[lookup_.gathered];
    }
    return out;
  }

 private:
  // Without the C library: on a plain x86-64, std::floor is a call. Far away is outside, whichever way; what is no
  // number is 0.
  static std::int64_t floor_of(double at) {
    if (at != at) return 0;
    if (at <= -kFar || at >= kFar) return static_cast<std::int64_t>(at < 0 ? -kFar : kFar);
    const auto whole = static_cast<std::int64_t>(at);
    return whole - (static_cast<double>(whole) > at);
  }

  // Between the centres of neighbours, with weights of 8 bits as on hardware.
  Span span(unsigned k) const {
    Span out;
    const double at = position(k) - 0.5;
    const auto first = floor_of(at);
    const bool is_near = at > -kFar && at < kFar;
    const double part = at - (is_near ? static_cast<double>(first) : std::floor(at));
    out.weight[1] =
        (is_near ? static_cast<double>(static_cast<int>(part * 256 + 0.5)) : std::floor(part * 256 + 0.5)) / 256;
    out.weight[0] = 1 - out.weight[1];
    for (unsigned next = 0; next < 2; ++next) {
      out.at[next] = first + next;
      out.is_inside[next] = inside(out.at[next], sizes_[k], t_.how.addressMode[k], normalized_);
    }
    return out;
  }

  // `most` channels at most; with one, of a texture that `is_one_float`.
  template <unsigned dimensions, unsigned most>
  Texel linear() const {
    Span spans[dimensions];
    for (unsigned k = 0; k < dimensions; ++k) spans[k] = span(k);
    double sums[4] = {};
    for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
      std::int64_t at[3] = {};
      double weight = 1;
      bool is_inside = true;
      for (unsigned k = 0; k < dimensions; ++k) {
        const auto next = corner >> k & 1;
        at[k] = spans[k].at[next];
        weight *= spans[k].weight[next];
        is_inside &= spans[k].is_inside[next];
      }
      if (weight == 0) continue;
      if (lookup_.is_layered) at[2] = layer();
      if constexpr (most == 1) {
        sums[0] += weight * double{float_at(at[0], at[1], at[2])};
      } else {
        const auto one = is_inside ? read_texel(t_, level_, static_cast<std::size_t>(at[0]),
                                                static_cast<std::size_t>(at[1]), static_cast<std::size_t>(at[2]))
                                   : border();
        for (unsigned k = 0; k < 4; ++k) sums[k] += weight * double{one.value[k]};
      }
    }
    Texel out;
    for (unsigned k = 0; k < most; ++k) out.value[k] = static_cast<float>(sums[k]);
    return out;
  }

  bool puts_inside(std::int64_t at[3]) const {
    for (unsigned k = 0; k < lookup_.dimensions; ++k)
      if (!inside(at[k], sizes_[k], t_.how.addressMode[k], normalized_)) return false;
    if (lookup_.is_layered) at[2] = layer();
    return true;
  }

  float float_at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return value_at<float>(
        place_of(t_, level_, static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z)));
  }

  std::int64_t layer() const {
    return std::min(std::int64_t{lookup_.layer} + t_.first_layer, static_cast<std::int64_t>(level_.depth) - 1);
  }

  Texel border() const {
    Texel out;
    for (unsigned k = 0; k < 4; ++k) {
      out.value[k] = t_.how.borderColor[k];
      out.bits[k] = is_float(t_.format) ? std::bit_cast<std::uint32_t>(out.value[k])
                                        : static_cast<std::uint32_t>(static_cast<std::int64_t>(out.value[k]));
    }
    return out;
  }

  const Texture& t_;
  const Texture::Level& level_;
  const ptx::Lookup& lookup_;
  const bool normalized_;
  const std::size_t sizes_[3];
};

}  // namespace nvmlkit::cuda::textures
