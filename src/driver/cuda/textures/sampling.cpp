// Reads of a texture: faces of cubes, levels of mipmaps, what a read gives.
#include <bit>
#include <cmath>

#include "driver/cuda/textures/sampler.hpp"

namespace nvmlkit::cuda::textures {
namespace {

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

bool is_plain(const Texture& t, const ptx::Lookup& lookup) {
  return !lookup.is_cube && !lookup.by_index && lookup.gathered < 0 && is_one_float(t, lookup.dimensions);
}

void sample(const Texture& t, const ptx::Lookup& asked, std::uint32_t* out) {
  if (is_plain(t, asked)) {
    const bool filters = t.how.filterMode == CU_TR_FILTER_MODE_LINEAR;
    out[0] = std::bit_cast<std::uint32_t>(Sampler(t, t.levels[0], asked).one_float(filters));
    out[1] = out[2] = out[3] = 0;
    return;
  }
  const auto on_its_face = asked.is_cube ? on_face(asked) : ptx::Lookup{};
  const auto& lookup = asked.is_cube ? on_its_face : asked;
  const bool as_integer = !is_float(t.format) && ((t.how.flags & kReadAsInteger) || size_of(t.format) == 4);
  const bool filters = t.how.filterMode == CU_TR_FILTER_MODE_LINEAR && !as_integer;
  const auto lod = t.levels.size() > 1 ? lod_of(t, asked) : 0;
  const bool blends = t.how.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && !as_integer;
  const auto first = static_cast<std::size_t>(blends ? lod : lod + 0.5);
  auto found = look(t, t.levels[first], lookup, filters);
  const auto part = blends && lod > 0 ? static_cast<float>(std::floor((lod - std::floor(lod)) * 256 + 0.5) / 256) : 0;
  if (part > 0) {
    const auto next = look(t, t.levels[first + 1], lookup, filters);
    for (unsigned k = 0; k < 4; ++k) found.value[k] += (next.value[k] - found.value[k]) * part;
  }
  for (unsigned k = 0; k < 4; ++k) out[k] = as_integer ? found.bits[k] : std::bit_cast<std::uint32_t>(found.value[k]);
}

}  // namespace

std::size_t sample(std::span<const ptx::Lookup> lookups, ptx::Sampled* out) {
  // Lanes mostly read one texture: its handle is looked up once.
  std::shared_ptr<Texture> t;
  std::uint64_t handle = 0;
  for (std::size_t k = 0; k < lookups.size(); ++k) {
    if (!t || lookups[k].texture != handle) {
      handle = lookups[k].texture;
      t = find(handle);
      if (!t || t->levels.empty() || t->levels[0].width == 0) return k;
    }
    sample(*t, lookups[k], out[k].bits);
  }
  return lookups.size();
}

}  // namespace nvmlkit::cuda::textures
