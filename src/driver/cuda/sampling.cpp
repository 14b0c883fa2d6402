// How a texture is read: where, what is beyond its edges, between its texels, and as what.
#include <bit>
#include <cmath>
#include <cstring>

#include "driver/cuda/textures.hpp"
#include "ptx/narrow_floats.hpp"

namespace nvmlkit::cuda::textures {
namespace {

constexpr unsigned kReadAsInteger = 1, kNormalized = 2;  // CU_TRSF_...

struct Texel {
  float value[4] = {};
  std::uint32_t bits[4] = {};  // as an integer
};

bool is_float(CUarray_format format) { return format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF; }

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A component as an integer, with its sign, and what stands for 1.0.
std::int64_t integer(const std::byte* at, CUarray_format format, double& one) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return one = 255, read<std::uint8_t>(at);
    case CU_AD_FORMAT_SIGNED_INT8:
      return one = 127, read<std::int8_t>(at);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return one = 65535, read<std::uint16_t>(at);
    case CU_AD_FORMAT_SIGNED_INT16:
      return one = 32767, read<std::int16_t>(at);
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return one = 0, read<std::uint32_t>(at);
    default:
      return one = 0, read<std::int32_t>(at);
  }
}

Texel read_texel(const Texture& t, std::size_t x, std::size_t y, std::size_t z) {
  Texel out;
  const auto size = size_of(t.format);
  const auto* at = t.bytes + (z * t.height + y) * t.row + x * size * t.channels;
  for (unsigned k = 0; k < t.channels; ++k, at += size) {
    if (is_float(t.format)) {
      out.value[k] = t.format == CU_AD_FORMAT_FLOAT ? read<float>(at) : ptx::Half::wide(read<ptx::Half>(at));
      out.bits[k] = std::bit_cast<std::uint32_t>(out.value[k]);
      continue;
    }
    double one = 0;
    const auto value = integer(at, t.format, one);
    out.bits[k] = static_cast<std::uint32_t>(value);
    out.value[k] = one != 0 ? static_cast<float>(std::fmax(static_cast<double>(value) / one, -1.0)) : 0;
  }
  return out;
}

// The place of a texel after what the mode says of places beyond the edge; false: outside.
bool inside(std::int64_t& at, std::size_t size, CUaddress_mode mode, bool normalized) {
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

class Sampler {
 public:
  Sampler(const Texture& texture, const ptx::Lookup& lookup)
      : t_(texture), lookup_(lookup), normalized_(texture.how.flags & kNormalized) {}

  Texel texel(const std::int64_t place[3]) const {
    std::int64_t at[3] = {place[0], place[1], place[2]};
    const std::size_t sizes[3] = {t_.width, t_.height, t_.depth};
    for (unsigned k = 0; k < lookup_.dimensions; ++k)
      if (!inside(at[k], sizes[k], t_.how.addressMode[k], normalized_)) return border();
    if (lookup_.is_layered) {
      const auto last = static_cast<std::int64_t>((lookup_.dimensions == 1 ? t_.height : t_.depth) - 1);
      at[lookup_.dimensions] = std::min<std::int64_t>(lookup_.layer, last);
    }
    return read_texel(t_, static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                      static_cast<std::size_t>(at[2]));
  }

  // In texels from the left edge.
  double position(unsigned k) const {
    const std::size_t sizes[3] = {t_.width, t_.height, t_.depth};
    return normalized_ ? double{lookup_.at[k]} * static_cast<double>(sizes[k]) : double{lookup_.at[k]};
  }

  Texel nearest() const {
    std::int64_t at[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) at[k] = floor_of(position(k));
    return texel(at);
  }

  Texel by_index() const {
    std::int64_t at[3] = {};
    const std::size_t sizes[3] = {t_.width, t_.height, t_.depth};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) {
      at[k] = lookup_.index[k];
      if (at[k] < 0 || at[k] >= static_cast<std::int64_t>(sizes[k])) return {};
    }
    return texel(at);
  }

  // Between the centres of neighbours, with weights of 8 bits as on hardware.
  Texel linear() const {
    std::int64_t first[3] = {};
    double part[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) {
      const double at = position(k) - 0.5;
      first[k] = floor_of(at);
      part[k] = std::floor((at - std::floor(at)) * 256 + 0.5) / 256;
    }
    double sums[4] = {};
    for (unsigned corner = 0; corner < 1u << lookup_.dimensions; ++corner) {
      std::int64_t at[3] = {};
      double weight = 1;
      for (unsigned k = 0; k < lookup_.dimensions; ++k) {
        const bool next = corner >> k & 1;
        at[k] = first[k] + next;
        weight *= next ? part[k] : 1 - part[k];
      }
      if (weight == 0) continue;
      const auto one = texel(at);
      for (unsigned k = 0; k < 4; ++k) sums[k] += weight * double{one.value[k]};
    }
    Texel out;
    for (unsigned k = 0; k < 4; ++k) out.value[k] = static_cast<float>(sums[k]);
    return out;
  }

  // One component of the four neighbours, from the lower left one against the clock.
  Texel gathered() const {
    constexpr int kRight[4] = {0, 1, 1, 0}, kDown[4] = {1, 1, 0, 0};
    Texel out;
    for (unsigned k = 0; k < 4; ++k) {
      const std::int64_t at[3] = {floor_of(position(0) - 0.5) + kRight[k], floor_of(position(1) - 0.5) + kDown[k], 0};
      const auto one = texel(at);
      out.value[k] = one.value[lookup_.gathered];
      out.bits[k] = one.bits[lookup_.gathered];
    }
    return out;
  }

 private:
  static std::int64_t floor_of(double at) {
    // Far away is outside, whichever way; what is no number is 0.
    return at != at ? 0 : static_cast<std::int64_t>(std::floor(std::fmin(std::fmax(at, -1e9), 1e9)));
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
  const ptx::Lookup& lookup_;
  const bool normalized_;
};

}  // namespace

bool sample(const ptx::Lookup& lookup, std::uint32_t out[4]) {
  const auto t = find(lookup.texture);
  if (!t || t->width == 0) return false;
  const bool as_integer = !is_float(t->format) && ((t->how.flags & kReadAsInteger) || size_of(t->format) == 4);
  const Sampler sampler(*t, lookup);
  const bool filters = t->how.filterMode == CU_TR_FILTER_MODE_LINEAR && !as_integer;
  const auto found = lookup.gathered >= 0 ? sampler.gathered()
                     : lookup.by_index    ? sampler.by_index()
                     : filters            ? sampler.linear()
                                          : sampler.nearest();
  for (unsigned k = 0; k < 4; ++k) out[k] = as_integer ? found.bits[k] : std::bit_cast<std::uint32_t>(found.value[k]);
  return true;
}

}  // namespace nvmlkit::cuda::textures
