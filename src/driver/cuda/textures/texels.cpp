#include "driver/cuda/textures/texels.hpp"

#include <bit>
#include <cmath>

#include "ptx/narrow_floats.hpp"

namespace nvmlkit::cuda::textures {
namespace {

constexpr unsigned kSrgb = 16;  // CU_TRSF_SRGB

// A component as an integer, with its sign, and what stands for 1.0.
std::int64_t integer(const std::byte* at, CUarray_format format, double& one) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return one = 255, value_at<std::uint8_t>(at);
    case CU_AD_FORMAT_SIGNED_INT8:
      return one = 127, value_at<std::int8_t>(at);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return one = 65535, value_at<std::uint16_t>(at);
    case CU_AD_FORMAT_SIGNED_INT16:
      return one = 32767, value_at<std::int16_t>(at);
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return one = 0, value_at<std::uint32_t>(at);
    default:
      return one = 0, value_at<std::int32_t>(at);
  }
}

double linear_of_srgb(double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); }

}  // namespace

Texel texel_behind(const Texture& t, std::size_t x) {
  const auto span = memory::known(t.resource.linear.address + x * t.element_size, t.element_size, Use::read);
  return span ? read_texel(t, span.bytes) : Texel{};
}

Texel read_texel(const Texture& t, const std::byte* at) {
  Texel out;
  if (t.format == CU_AD_FORMAT_FLOAT) {
    for (unsigned k = 0; k < t.channels; ++k) {
      out.value[k] = value_at<float>(at + 4 * k);
      out.bits[k] = value_at<std::uint32_t>(at + 4 * k);
    }
    return out;
  }
  const auto size = size_of(t.format);
  for (unsigned k = 0; k < t.channels; ++k, at += size) {
    if (t.format == CU_AD_FORMAT_HALF) {
      out.value[k] = ptx::Half::wide(value_at<ptx::Half>(at));
      out.bits[k] = std::bit_cast<std::uint32_t>(out.value[k]);
      continue;
    }
    double one = 0;
    const auto value = integer(at, t.format, one);
    out.bits[k] = static_cast<std::uint32_t>(value);
    auto part = one != 0 ? std::fmax(static_cast<double>(value) / one, -1.0) : 0;
    if ((t.how.flags & kSrgb) && k < 3 && t.format == CU_AD_FORMAT_UNSIGNED_INT8) part = linear_of_srgb(part);
    out.value[k] = static_cast<float>(part);
  }
  return out;
}

}  // namespace nvmlkit::cuda::textures
