// Reads by all lanes of a warp of the most common kind of texture. The steps are those of Sampler, in loops over the
// lanes that the compiler makes vectors of.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "driver/cuda/textures/sampler.hpp"

namespace nvmlkit::cuda::textures {
namespace {

constexpr unsigned kLanes = 32;

// Where the coordinates lie in one dimension: texels and the next ones, and their weights.
struct Axis {
  std::int32_t at[2][kLanes];
  double weight[2][kLanes];
};

class Row {
 public:
  Row(const Texture& texture, const ptx::LookupRow& row)
      : t_(texture),
        level_(texture.levels[0]),
        row_(row),
        filters_(texture.how.filterMode == CU_TR_FILTER_MODE_LINEAR),
        normalized_((texture.how.flags & kNormalized) != 0) {}

  // False: a lane has a coordinate that needs a closer look.
  bool read(std::uint32_t* out) {
    const std::size_t sizes[3] = {level_.width, level_.height, level_.depth};
    for (unsigned k = 0; k < row_.dimensions; ++k)
      if (!find_axis(k, sizes[k])) return false;
    if (!filters_) {
      for (unsigned l = 0; l < kLanes; ++l) out[l] = std::bit_cast<std::uint32_t>(value_at_corner(0, l));
      return true;
    }
    double sums[kLanes] = {};
    for (unsigned corner = 0; corner < 1u << row_.dimensions; ++corner) add_corner(corner, sums);
    for (unsigned l = 0; l < kLanes; ++l) out[l] = std::bit_cast<std::uint32_t>(static_cast<float>(sums[l]));
    return true;
  }

 private:
  // All lanes get a place inside, also those that do not read.
  bool find_axis(unsigned k, std::size_t size) {
    if (size > std::numeric_limits<std::int32_t>::max()) return false;
    const double scale = normalized_ ? static_cast<double>(size) : 1.0;
    double at[kLanes];
    std::int32_t far[kLanes], some_are_far = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      const double asked = double{row_.at[k][l]} * scale - (filters_ ? 0.5 : 0.0);
      const bool is_near = asked > -kFar && asked < kFar;
      at[l] = is_near ? asked : 0;
      far[l] = is_near ? 0 : 1;
    }
    for (unsigned l = 0; l < kLanes; ++l) some_are_far |= far[l];
    for (unsigned l = 0; some_are_far != 0 && l < kLanes; ++l)
      if (far[l] != 0 && (row_.lanes >> l & 1) != 0) return false;
    auto& axis = axes_[k];
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto whole = static_cast<std::int32_t>(at[l]);
      axis.at[0][l] = whole - (static_cast<double>(whole) > at[l] ? 1 : 0);
    }
    if (filters_) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const auto parts = static_cast<std::int32_t>((at[l] - axis.at[0][l]) * 256 + 0.5);
        axis.weight[1][l] = static_cast<double>(parts) / 256;
        axis.weight[0][l] = 1 - axis.weight[1][l];
        axis.at[1][l] = axis.at[0][l] + 1;
      }
      put_inside(axis.at[1], k, size);
    }
    put_inside(axis.at[0], k, size);
    return true;
  }

  void put_inside(std::int32_t* places, unsigned k, std::size_t size) const {
    const auto mode = t_.how.addressMode[k];
    const auto last = static_cast<std::int32_t>(size) - 1;
    if (!normalized_ || (mode != CU_TR_ADDRESS_MODE_WRAP && mode != CU_TR_ADDRESS_MODE_MIRROR)) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const auto at = places[l] < 0 ? 0 : places[l];
        places[l] = at > last ? last : at;
      }
      return;
    }
    for (unsigned l = 0; l < kLanes; ++l) {
      std::int64_t place = places[l];
      inside(place, size, mode, normalized_);
      places[l] = static_cast<std::int32_t>(place);
    }
  }

  float value_at_corner(unsigned corner, unsigned lane) const {
    const auto place = [&](unsigned k) -> std::size_t {
      return k < row_.dimensions ? static_cast<std::size_t>(axes_[k].at[corner >> k & 1][lane]) : 0;
    };
    return value_at<float>(place_of(t_, level_, place(0), place(1), place(2)));
  }

  void add_corner(unsigned corner, double* sums) const {
    float values[kLanes];
    double weights[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) values[l] = value_at_corner(corner, l);
    std::copy_n(axes_[0].weight[corner & 1], kLanes, weights);
    for (unsigned k = 1; k < row_.dimensions; ++k)
      for (unsigned l = 0; l < kLanes; ++l) weights[l] *= axes_[k].weight[corner >> k & 1][l];
    for (unsigned l = 0; l < kLanes; ++l) sums[l] += weights[l] == 0 ? 0.0 : weights[l] * double{values[l]};
  }

  const Texture& t_;
  const Texture::Level& level_;
  const ptx::LookupRow& row_;
  const bool filters_, normalized_;
  Axis axes_[3];
};

}  // namespace

bool sample_row(const ptx::LookupRow& row, ptx::SampledRow& out) {
  const auto t = find(row.texture);
  if (!t || t->levels.empty() || t->levels[0].width == 0) return false;
  if (row.index) return fetch_row(*t, row, out);
  if (!is_one_float(*t, row.dimensions)) return false;
  out.components = 1;
  return Row(*t, row).read(out.bits[0]);
}

}  // namespace nvmlkit::cuda::textures
