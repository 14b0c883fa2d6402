// Reads of a texture: coordinates, edges, interpolation between texels.
#include <bit>
#include <cmath>

#include "driver/cuda/textures/texels.hpp"

namespace nvmlkit::cuda::textures {
namespace {

constexpr unsigned kReadAsInteger = 1, kNormalized = 2;  // CU_TRSF_...

// The place of a texel after the mode for places beyond the edge; false: outside.
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

// Which face of a cube a direction meets, and where: in `at`, from 0 to 1.
unsigned face_of(const float direction[3], float at[2]) {
  const float x = direction[0], y = direction[1], z = direction[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  unsigned face = 0;
  float along = 0, right = 0, down = 0;
  if (ax >= ay && ax >= az) {
    face = x < 0 ? 1 : 0;
    along = ax;
    right = x < 0 ? z : -z;
    down = -y;
  } else if (ay >= az) {
    face = y < 0 ? 3 : 2;
    along = ay;
    right = x;
    down = y < 0 ? -z : z;
  } else {
    face = z < 0 ? 5 : 4;
    along = az;
    right = z < 0 ? -x : x;
    down = -y;
  }
  at[0] = along > 0 ? (right / along + 1) / 2 : 0;
  at[1] = along > 0 ? (down / along + 1) / 2 : 0;
  return face;
}

// The same lookup on the face of a cube, which is a layer.
ptx::Lookup on_face(const ptx::Lookup& lookup) {
  auto out = lookup;
  float at[2];
  out.layer = (lookup.is_layered ? 6 * lookup.layer : 0) + face_of(lookup.at, at);
  out.at[0] = at[0];
  out.at[1] = at[1];
  out.dimensions = 2;
  out.is_layered = true;
  return out;
}

class Sampler {
 public:
  Sampler(const Texture& texture, const Texture::Level& level, const ptx::Lookup& lookup)
      : t_(texture), level_(level), lookup_(lookup), normalized_(lookup.is_cube || (texture.how.flags & kNormalized)) {}

  Texel texel(const std::int64_t place[3]) const {
    std::int64_t at[3] = {place[0], place[1], place[2]};
    const std::size_t sizes[3] = {level_.width, level_.height, level_.depth};
    for (unsigned k = 0; k < lookup_.dimensions; ++k)
      if (!inside(at[k], sizes[k], t_.how.addressMode[k], normalized_)) return border();
    if (lookup_.is_layered)
      at[2] = std::min(std::int64_t{lookup_.layer} + t_.first_layer, static_cast<std::int64_t>(level_.depth) - 1);
    return read_texel(t_, level_, static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                      static_cast<std::size_t>(at[2]));
  }

  // In texels from the left edge.
  double position(unsigned k) const {
    const std::size_t sizes[3] = {level_.width, level_.height, level_.depth};
    return normalized_ ? double{lookup_.at[k]} * static_cast<double>(sizes[k]) : double{lookup_.at[k]};
  }

  Texel nearest() const {
    std::int64_t at[3] = {};
    for (unsigned k = 0; k < lookup_.dimensions; ++k) at[k] = floor_of(position(k));
    return texel(at);
  }

  Texel by_index() const {
    std::int64_t at[3] = {};
    const std::size_t sizes[3] = {level_.width, level_.height, level_.depth};
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
  const Texture::Level& level_;
  const ptx::Lookup& lookup_;
  const bool normalized_;
};

// How many levels down, for what a texel of the picture covers of the largest level.
double lod_of(const Texture& t, const ptx::Lookup& lookup) {
  double lod = 0;
  if (lookup.level == ptx::Lookup::Level::given) lod = lookup.lod;
  if (lookup.level == ptx::Lookup::Level::by_gradients) {
    const auto& base = t.levels[0];
    const std::size_t sizes[3] = {base.width, base.height, base.depth};
    double longest = 0;
    for (const auto& gradient : lookup.gradients) {
      double sum = 0;
      for (unsigned k = 0; k < lookup.dimensions; ++k) {
        const auto scale = t.how.flags & kNormalized ? static_cast<double>(sizes[k]) : 1.0;
        sum += double{gradient[k]} * double{gradient[k]} * scale * scale;
      }
      longest = std::fmax(longest, std::sqrt(sum));
    }
    lod = longest > 0 ? std::log2(longest) : 0;
  }
  lod += double{t.how.mipmapLevelBias};
  if (t.how.maxMipmapLevelClamp >= t.how.minMipmapLevelClamp)
    lod = std::fmin(std::fmax(lod, double{t.how.minMipmapLevelClamp}), double{t.how.maxMipmapLevelClamp});
  return std::fmin(std::fmax(lod, 0.0), static_cast<double>(t.levels.size() - 1));
}

Texel look(const Texture& t, const Texture::Level& level, const ptx::Lookup& lookup, bool filters) {
  const Sampler sampler(t, level, lookup);
  return lookup.gathered >= 0 ? sampler.gathered()
         : lookup.by_index    ? sampler.by_index()
         : filters            ? sampler.linear()
                              : sampler.nearest();
}

}  // namespace

bool sample(const ptx::Lookup& asked, std::uint32_t out[4]) {
  const auto t = find(asked.texture);
  if (!t || t->levels.empty() || t->levels[0].width == 0) return false;
  const auto lookup = asked.is_cube ? on_face(asked) : asked;
  const bool as_integer = !is_float(t->format) && ((t->how.flags & kReadAsInteger) || size_of(t->format) == 4);
  const bool filters = t->how.filterMode == CU_TR_FILTER_MODE_LINEAR && !as_integer;
  const auto lod = t->levels.size() > 1 ? lod_of(*t, asked) : 0;
  const bool blends = t->how.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && !as_integer;
  const auto first = static_cast<std::size_t>(blends ? lod : lod + 0.5);
  auto found = look(*t, t->levels[first], lookup, filters);
  const auto part = blends ? static_cast<float>(std::floor((lod - std::floor(lod)) * 256 + 0.5) / 256) : 0;
  if (part > 0) {
    const auto next = look(*t, t->levels[first + 1], lookup, filters);
    for (unsigned k = 0; k < 4; ++k) found.value[k] += (next.value[k] - found.value[k]) * part;
  }
  for (unsigned k = 0; k < 4; ++k) out[k] = as_integer ? found.bits[k] : std::bit_cast<std::uint32_t>(found.value[k]);
  return true;
}

}  // namespace nvmlkit::cuda::textures
