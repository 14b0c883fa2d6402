#include "libraries/cublaslt/scales.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "libraries/blas/convert.hpp"

namespace nvmlkit::cublaslt {
namespace {

using blas::Type;

constexpr auto kScalar = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F),
               kOf16 = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3),
               kOf32 = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0),
               kOfRows = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F),
               kOf128 = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F),
               kOfSquares = static_cast<std::int32_t>(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);

// Documented: tiles of 128 rows and 4 scales, the tiles of the same rows one behind the other.
constexpr std::int64_t kTileRows = 128, kTileColumns = 4, kTile = kTileRows * kTileColumns;

constexpr std::int64_t parts_of(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

constexpr std::array<float, 8> kOf4Bits = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};

float wide_of_4_bits(unsigned bits) { return (bits & 8 ? -1.0f : 1.0f) * kOf4Bits[bits & 7]; }

// To nearest, of two equally near ones the even one; what is too large becomes the largest.
unsigned narrow_to_4_bits(float value) {
  const float size = std::abs(value);
  unsigned found = 0;
  while (found < 7) {
    const float middle = (kOf4Bits[found] + kOf4Bits[found + 1]) / 2;
    if (size < middle || (size == middle && found % 2 == 0)) break;
    ++found;
  }
  return found | (std::signbit(value) ? 8u : 0u);
}

float wide_of_exponent(std::uint8_t bits) {
  return bits == 0xFF ? std::bit_cast<float>(0x7FFFFFFFu) : std::ldexp(1.0f, bits - 127);
}
// The least power of two that is not less; NaN stays.
std::uint8_t exponent_from(float value) {
  if (std::isnan(value)) return 0xFF;
  if (value <= 0) return 0;
  if (std::isinf(value)) return 254;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);  // from a half to 1
  return static_cast<std::uint8_t>(std::clamp(exponent - (fraction == 0.5f ? 1 : 0) + 127, 0, 254));
}

float largest_of(std::int32_t type) { return type == kE2m1 ? 6.0f : Type(type) == Type::e4m3 ? 448.0f : 57344.0f; }

// A line of numbers side by side.
void load_line(std::int32_t type, const void* from, std::int64_t count, float* to) {
  if (type != kE2m1) return blas::load(Type(type), from, count, to);
  const auto* const bytes = static_cast<const std::uint8_t*>(from);
  for (std::int64_t k = 0; k < count; ++k) to[k] = wide_of_4_bits(bytes[k / 2] >> (k % 2 * 4) & 15u);
}
void store_line(std::int32_t type, const float* from, std::int64_t count, void* to) {
  if (type != kE2m1) return blas::store(Type(type), from, count, to);
  auto* const bytes = static_cast<std::uint8_t*>(to);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto shift = static_cast<unsigned>(k % 2 * 4);
    bytes[k / 2] = static_cast<std::uint8_t>((bytes[k / 2] & ~(15u << shift)) | narrow_to_4_bits(from[k]) << shift);
  }
}

std::int64_t bytes_of(std::int32_t type, std::int64_t count) { return parts_of(count * bits_of_narrow(type), 8); }

bool is_of_16_bits(const MatrixLayout& m) { return Type(m.type) == Type::f16 || Type(m.type) == Type::bf16; }

bool are_types(const MatrixLayout& a, const MatrixLayout& b, std::int32_t mode) {
  return mode == kOf16 ? a.type == kE2m1 && b.type == kE2m1 : are_inputs_of_8_bits(a, b);
}

// The result has wide numbers, or narrow ones with scales of the kind of the inputs.
bool is_result(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
               const MatrixLayout& c, const MatrixLayout& d) {
  const auto out = description.scale_modes[5];
  if (bits_of_narrow(d.type) == 0) return out == kScalar && is_wide_result(c, d);
  if (out != description.scale_modes[0]) return false;
  return out == kOf16 ? d.type == kE2m1 && is_of_16_bits(c) : out == kOf32 && is_result_of_8_bits(a, b, c, d);
}

// Bias and activation; nothing for the way back.
bool has_epilogue(std::uint32_t epilogue) {
  return epilogue <= CUBLASLT_EPILOGUE_RELU || epilogue == CUBLASLT_EPILOGUE_BIAS ||
         epilogue == CUBLASLT_EPILOGUE_RELU_BIAS || epilogue == CUBLASLT_EPILOGUE_GELU ||
         epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
}

}  // namespace

int bits_of_narrow(std::int32_t type) {
  if (type == kE2m1) return 4;
  return blas::is_of_8_bits(Type(type)) ? 8 : 0;
}

// Not both with 2 bits of fraction: no GPU multiplies those.
bool are_inputs_of_8_bits(const MatrixLayout& a, const MatrixLayout& b) {
  return blas::is_of_8_bits(Type(a.type)) && blas::is_of_8_bits(Type(b.type)) &&
         (Type(a.type) == Type::e4m3 || Type(b.type) == Type::e4m3);
}
bool is_wide_result(const MatrixLayout& c, const MatrixLayout& d) {
  return c.type == d.type && (is_of_16_bits(d) || Type(d.type) == Type::f32);
}
bool is_result_of_8_bits(const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c, const MatrixLayout& d) {
  const bool has_two_bits = Type(a.type) == Type::e5m2 || Type(b.type) == Type::e5m2;
  return is_of_16_bits(c) && (Type(d.type) == Type::e4m3 || (Type(d.type) == Type::e5m2 && has_two_bits));
}
bool is_aligned(const MatrixLayout& layout) {
  const int narrow = bits_of_narrow(layout.type);
  const auto bits = narrow != 0 ? narrow : static_cast<std::int64_t>(8 * blas::size_of(Type(layout.type)));
  const auto length = static_cast<std::int64_t>(layout.order == CUBLASLT_ORDER_ROW ? layout.columns : layout.rows);
  return layout.ld * bits % 128 == 0 && length * bits % 128 == 0;
}

const void* Narrow::at(std::int64_t index) const {
  return static_cast<const char*>(data) + index * stride * bits_of_narrow(type) / 8;
}
const void* Narrow::scales_at(std::int64_t index) const {
  return static_cast<const char*>(of_blocks) + index * scales.count() * static_cast<std::int64_t>(scales.size());
}

std::size_t Scales::size() const { return mode == kOf16 || mode == kOf32 ? 1 : sizeof(float); }

std::int64_t Scales::block() const { return mode == kOf16 ? 16 : mode == kOf32 ? 32 : mode == kOfRows ? inner : 128; }

std::int64_t Scales::count() const {
  switch (mode) {
    case kOf16:
    case kOf32:
      return parts_of(outer, kTileRows) * parts_of(parts_of(inner, block()), kTileColumns) * kTile;
    case kOfRows:
      return outer;
    case kOf128:
      return parts_of(inner, 128) * outer;
    default:
      return parts_of(parts_of(inner, 128), 4) * 4 * parts_of(outer, 128);
  }
}

std::int64_t Scales::place(std::int64_t inner_index, std::int64_t outer_index) const {
  if (mode == kOfRows) return outer_index;
  const auto index = inner_index / block();
  if (mode == kOf128) return index * outer + outer_index;
  if (mode == kOfSquares) return outer_index / 128 * parts_of(parts_of(inner, 128), 4) * 4 + index;
  const auto tile = outer_index / kTileRows * parts_of(parts_of(inner, block()), kTileColumns) + index / kTileColumns;
  return tile * kTile + outer_index % 32 * 16 + outer_index % kTileRows / 32 * 4 + index % kTileColumns;
}

float Scales::read(const void* scales, std::int64_t at) const {
  const auto* const bytes = static_cast<const std::uint8_t*>(scales);
  if (mode == kOf32) return wide_of_exponent(bytes[at]);
  // Without a sign.
  if (mode == kOf16) return ptx::Float8E4M3::wide({static_cast<std::uint8_t>(bytes[at] & 0x7F)});
  return static_cast<const float*>(scales)[at];
}

bool takes_all_turns(int capability) { return capability >= 100 && capability < 120; }

bool has_scales_of_blocks(const MatmulDescription& d) {
  return d.scale_modes[0] != kScalar || d.scale_modes[1] != kScalar || d.scale_modes[5] != kScalar;
}

// Modes that go together: those of Blackwell, and of Hopper.
bool has_modes(const MatmulDescription& description, int capability) {
  const auto a = description.scale_modes[0], b = description.scale_modes[1];
  if (a == kOf16 || a == kOf32) return a == b && capability >= 100;
  const bool are_of_hopper = (a == kOfRows && b == kOfRows) || (a == kOf128 && b == kOf128) ||
                             (a == kOf128 && b == kOfSquares) || (a == kOfSquares && b == kOf128);
  return are_of_hopper && capability == 90;
}

namespace {

// Documented: A is transposed and B is not; MXFP8 may be otherwise on Blackwell's GPUs of data centers.
bool are_turns(const MatmulDescription& d, int capability) {
  const bool takes_all = d.scale_modes[0] == kOf32 && takes_all_turns(capability);
  return takes_all ? d.ta <= 1 && d.tb <= 1 : d.ta == 1 && d.tb == 0;
}

bool is_of_fours(const MatmulDescription& d, const MatrixLayout& result) {
  const bool asks = d.scale_modes[0] == kOf128 || d.scale_modes[1] == kOf128;
  return !asks || (result.rows % 4 == 0 && result.columns % 4 == 0);
}

}  // namespace

cublasStatus_t check_scales(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                            const MatrixLayout& c, const MatrixLayout& d, int capability) {
  const auto& modes = description.scale_modes;
  const auto are_plain = [](const MatrixLayout& l) {
    return l.order == CUBLASLT_ORDER_COL && l.batch_mode == 0 && l.plane_offset == 0 && is_aligned(l);
  };
  const bool is_supported = description.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32F) &&
                            Type(description.scalar) == Type::f32 && are_turns(description, capability) &&
                            has_modes(description, capability) && are_types(a, b, modes[0]) &&
                            is_result(description, a, b, c, d) && modes[2] == kScalar && modes[3] == kScalar &&
                            modes[4] == kScalar && has_epilogue(description.epilogue) && are_plain(a) && are_plain(b) &&
                            are_plain(c) && are_plain(d) && is_of_fours(description, d);
  if (!is_supported) return CUBLAS_STATUS_NOT_SUPPORTED;
  // Documented: a factor of the whole result is for scales with fractions.
  return description.d_scale && modes[5] != kOf16 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

std::vector<float> scaled_numbers(libraries::Running& running, const Narrow& matrix, std::int64_t index) {
  const auto& scales = matrix.scales;
  const auto length = matrix.length(), lines = matrix.lines();
  std::vector<float> out(static_cast<std::size_t>(length * lines));
  if (out.empty()) return out;
  const auto pitch = bytes_of(matrix.type, matrix.ld);
  const auto* const from =
      static_cast<const char*>(running.read(matrix.at(index), (lines - 1) * pitch + bytes_of(matrix.type, length), 1));
  const auto* const factors = running.read(matrix.scales_at(index), scales.count(), scales.size());
  for (std::int64_t j = 0; j < lines; ++j) {
    float* const line = out.data() + j * length;
    load_line(matrix.type, from + j * pitch, length, line);
    const auto step = matrix.is_across ? 1 : scales.block();
    for (std::int64_t first = 0; first < length; first += step) {
      const float factor = scales.read(factors, matrix.is_across ? scales.place(j, first) : scales.place(first, j));
      const auto end = std::min(first + step, length);
      for (auto i = first; i < end; ++i) line[i] *= factor;
    }
  }
  return out;
}

void store_scaled(libraries::Running& running, const std::vector<float>& numbers, const Narrow& matrix,
                  std::int64_t index) {
  if (numbers.empty()) return;
  const auto& scales = matrix.scales;
  const auto pitch = bytes_of(matrix.type, matrix.ld);
  auto* const lines = static_cast<char*>(running.write(
      const_cast<void*>(matrix.at(index)), (scales.outer - 1) * pitch + bytes_of(matrix.type, scales.inner), 1));
  auto* const factors =
      static_cast<std::uint8_t*>(running.write(const_cast<void*>(matrix.scales_at(index)), scales.count(), 1));
  std::vector<float> line(static_cast<std::size_t>(scales.inner));
  for (std::int64_t j = 0; j < scales.outer; ++j) {
    const float* const from = numbers.data() + j * scales.inner;
    for (std::int64_t first = 0; first < scales.inner; first += scales.block()) {
      const auto end = std::min(first + scales.block(), scales.inner);
      float largest = 0;
      for (auto i = first; i < end; ++i) largest = std::isnan(from[i]) ? from[i] : std::max(largest, std::abs(from[i]));
      const float wanted = largest / largest_of(matrix.type);
      const auto at = scales.place(first, j);
      factors[at] = scales.mode == kOf32 ? exponent_from(wanted) : ptx::Float8E4M3::of(wanted).bits;
      const float factor = scales.read(factors, at), turned = factor == 0 ? 0 : 1 / factor;
      for (auto i = first; i < end; ++i) line[static_cast<std::size_t>(i)] = from[i] * turned;
    }
    store_line(matrix.type, line.data(), scales.inner, lines + j * pitch);
  }
}

}  // namespace nvmlkit::cublaslt
