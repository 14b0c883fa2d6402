// Reads of memory by the number of a texel (tex1Dfetch), for all lanes of a warp at once.
#include <cstdint>

#include "driver/cuda/textures/texels.hpp"

namespace nvmlkit::cuda::textures {
namespace {

// Lanes outside of the texture get zeros, as do those that do not read and have any index. Integers keep their sign.
template <class Component>
void fetch(const Texture& t, const ptx::LookupRow& row, ptx::SampledRow& out) {
  const auto& level = t.levels[0];
  for (unsigned k = 0; k < t.channels; ++k)
    for (unsigned l = 0; l < ptx::SampledRow::kLanes; ++l) {
      const bool is_inside = row.index[l] < level.width;
      const auto* const at = level.bytes + (is_inside ? row.index[l] : 0) * t.element_size;
      out.bits[k][l] = is_inside ? static_cast<std::uint32_t>(value_at<Component>(at + k * sizeof(Component))) : 0;
    }
  out.components = t.channels;
}

// The program may name more texels than the memory has. Others may lie there.
bool some_are_behind(const Texture& t, const ptx::LookupRow& row) {
  const auto there = t.levels[0].width;
  if (t.linear_width <= there) return false;
  for (unsigned l = 0; l < ptx::SampledRow::kLanes; ++l)
    if ((row.lanes >> l & 1) != 0 && row.index[l] >= there && row.index[l] < t.linear_width) return true;
  return false;
}

}  // namespace

bool fetch_row(const Texture& t, const ptx::LookupRow& row, ptx::SampledRow& out) {
  if (t.resource.type != CU_RESOURCE_TYPE_LINEAR || row.dimensions != 1 || some_are_behind(t, row)) return false;
  const bool keeps_bits = size_of(t.format) == 4;
  if (!keeps_bits && (is_float(t.format) || (t.how.flags & kReadAsInteger) == 0)) return false;
  switch (t.format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return fetch<std::uint8_t>(t, row, out), true;
    case CU_AD_FORMAT_SIGNED_INT8:
      return fetch<std::int8_t>(t, row, out), true;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return fetch<std::uint16_t>(t, row, out), true;
    case CU_AD_FORMAT_SIGNED_INT16:
      return fetch<std::int16_t>(t, row, out), true;
    default:
      return fetch<std::uint32_t>(t, row, out), true;
  }
}

}  // namespace nvmlkit::cuda::textures
