// Matrices of 8-bit and 4-bit floats with scales of rows and blocks, as the documentation lays them out.
#pragma once

#include <bit>
#include <cmath>

#include "cublaslt_support.hpp"

namespace nvmlkit::library_test {

inline constexpr auto kScalar = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
                      kOf16 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3,
                      kOf32 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0,
                      kOfRows = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F,
                      kOf128 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
                      kOfSquares = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;

// A float of few bits by its definition: a bias of 1, 7 or 15.
inline double value_of(unsigned bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                    : std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  return bits >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}
inline double value_of(cudaDataType type, unsigned bits) {
  switch (type) {
    case CUDA_R_4F_E2M1:
      return value_of(bits, 2, 1);
    case CUDA_R_8F_E4M3:
      return value_of(bits, 4, 3);
    default:
      return value_of(bits, 5, 2);
  }
}
// Finite ones.
inline unsigned any_bits(Random& random, cudaDataType type) {
  for (;;) {
    const auto bits = static_cast<unsigned>(random.below(type == CUDA_R_4F_E2M1 ? 16 : 256));
    if (type == CUDA_R_8F_E4M3 && (bits & 0x7F) == 0x7F) continue;
    if (type == CUDA_R_8F_E5M2 && (bits & 0x7F) >= 0x7C) continue;
    return bits;
  }
}

inline std::int64_t up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
inline std::int64_t parts(std::int64_t n, std::int64_t of) { return (n + of - 1) / of; }

// Where a scale is, by the documentation, for the number `inner` of line `outer`.
inline std::int64_t place(cublasLtMatmulMatrixScale_t mode, std::int64_t k, std::int64_t lines, std::int64_t inner,
                          std::int64_t outer) {
  const auto in_tiles = [&](std::int64_t block) {
    const auto index = inner / block, tiles_of_row = up(parts(k, block), 4) / 4;
    return (outer / 128 * tiles_of_row + index / 4) * 512 + outer % 32 * 16 + outer % 128 / 32 * 4 + index % 4;
  };
  switch (mode) {
    case kOf16:
      return in_tiles(16);
    case kOf32:
      return in_tiles(32);
    case kOfRows:
      return outer;
    case kOf128:
      return inner / 128 * lines + outer;
    default:
      return inner / 128 + outer / 128 * up(parts(k, 128), 4);
  }
}
inline std::int64_t count_of(cublasLtMatmulMatrixScale_t mode, std::int64_t k, std::int64_t lines) {
  switch (mode) {
    case kOf16:
      return up(parts(k, 16), 4) * up(lines, 128);
    case kOf32:
      return up(parts(k, 32), 4) * up(lines, 128);
    case kOfRows:
      return lines;
    case kOf128:
      return parts(k, 128) * lines;
    default:
      return up(parts(k, 128), 4) * parts(lines, 128);
  }
}

// Narrow numbers with their scales, as memory has them: lines along the inner dimension, or across it.
struct Scaled {
  cudaDataType type;
  cublasLtMatmulMatrixScale_t mode;
  std::int64_t k, lines, ld;
  bool is_across = false;
  std::vector<std::uint8_t> bytes, small_scales;
  std::vector<float> wide_scales;

  Scaled(Random& random, cudaDataType t, cublasLtMatmulMatrixScale_t m, std::int64_t inner, std::int64_t outer,
         std::int64_t gap = 0, bool across = false)
      : type(t), mode(m), k(inner), lines(outer), ld((across ? outer : inner) + gap), is_across(across) {
    for (std::int64_t i = 0; i < ld * (across ? inner : outer) * bits() / 8; ++i) {
      const auto low = any_bits(random, type);
      bytes.push_back(static_cast<std::uint8_t>(bits() == 4 ? low | any_bits(random, type) << 4 : low));
    }
    for (std::int64_t i = 0; i < count_of(mode, k, lines); ++i) {
      small_scales.push_back(static_cast<std::uint8_t>(mode == kOf32 ? 120 + random.below(12) : random.below(0x60)));
      wide_scales.push_back(static_cast<float>(0.1 + random.number() * random.number()));
    }
  }
  int bits() const { return type == CUDA_R_4F_E2M1 ? 4 : 8; }
  std::int64_t size() const { return ld * (is_across ? k : lines); }
  unsigned stored(std::int64_t i, std::int64_t j) const {
    const auto at = static_cast<std::size_t>(is_across ? i * ld + j : j * ld + i);
    return bits() == 8 ? bytes[at] : bytes[at / 2] >> (at % 2 * 4) & 15u;
  }
  double scale(std::int64_t i, std::int64_t j) const {
    const auto at = static_cast<std::size_t>(place(mode, k, lines, i, j));
    if (mode == kOf32) return std::ldexp(1.0, small_scales[at] - 127);
    return mode == kOf16 ? value_of(small_scales[at], 4, 3) : static_cast<double>(wide_scales[at]);
  }
  double operator()(std::int64_t i, std::int64_t j) const { return value_of(type, stored(i, j)) * scale(i, j); }
};

// A batch of such matrices on the device, one behind the other, with its layout.
struct Placed {
  OnDevice<std::uint8_t> bytes, small_scales;
  OnDevice<float> wide_scales;
  MatrixLayout* layout = nullptr;
  const void* scales;

  explicit Placed(const std::vector<Scaled>& all)
      : bytes(joined(all, &Scaled::bytes)),
        small_scales(joined(all, &Scaled::small_scales)),
        wide_scales(joined(all, &Scaled::wide_scales)) {
    const auto& from = all[0];
    const auto rows = from.is_across ? from.lines : from.k, columns = from.is_across ? from.k : from.lines;
    const auto& lib = lt_library();
    lib.cublasLtMatrixLayoutCreate(&layout, from.type, std::uint64_t(rows), std::uint64_t(columns), from.ld);
    const auto count = static_cast<std::int32_t>(all.size());
    const auto stride = from.size();
    lib.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    lib.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
    const bool is_small = from.mode == kOf16 || from.mode == kOf32;
    scales = is_small ? static_cast<const void*>(small_scales.data()) : wide_scales.data();
  }
  explicit Placed(const Scaled& one) : Placed(std::vector<Scaled>{one}) {}
  ~Placed() { lt_library().cublasLtMatrixLayoutDestroy(layout); }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

 private:
  template <class T>
  static std::vector<T> joined(const std::vector<Scaled>& all, std::vector<T> Scaled::*part) {
    std::vector<T> out;
    for (const auto& one : all) out.insert(out.end(), (one.*part).begin(), (one.*part).end());
    return out;
  }
};

inline int capability() {
  int major = 0, minor = 0;
  driver().cuDeviceGetAttribute(&major, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
  driver().cuDeviceGetAttribute(&minor, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
  return 10 * major + minor;
}
inline bool has_mode(cublasLtMatmulMatrixScale_t mode) {
  return mode == kOf16 || mode == kOf32 ? capability() >= 100 : capability() == 90;
}

// Of A and B, which go together.
struct Pair {
  cudaDataType a, b;
  cublasLtMatmulMatrixScale_t mode_a, mode_b;
};
inline constexpr auto kE4 = CUDA_R_8F_E4M3, kE5 = CUDA_R_8F_E5M2, kE2 = CUDA_R_4F_E2M1;
inline constexpr Pair kPairs[] = {{kE4, kE4, kOf32, kOf32},      {kE5, kE4, kOf32, kOf32},
                                  {kE2, kE2, kOf16, kOf16},      {kE4, kE5, kOfRows, kOfRows},
                                  {kE4, kE4, kOf128, kOf128},    {kE4, kE4, kOf128, kOfSquares},
                                  {kE5, kE4, kOfSquares, kOf128}};

class ScalesTest : public testing::Test {
 protected:
  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{1});
  }
  void TearDown() override {
    lib.cublasLtMatmulDescDestroy(description);
    lib.cublasLtDestroy(handle);
  }
  template <class V>
  void set(cublasLtMatmulDescAttributes_t which, V value) {
    ASSERT_EQ(lib.cublasLtMatmulDescSetAttribute(description, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS);
  }
  void set_inputs(const Placed& a, cublasLtMatmulMatrixScale_t mode_a, const Placed& b,
                  cublasLtMatmulMatrixScale_t mode_b) {
    set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode_a);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode_b);
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, a.scales);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, b.scales);
  }

  const Cublaslt& lib = lt_library();
  cublaslt::Handle* handle = nullptr;
  MatmulDescription* description = nullptr;
  Random random;
};

}  // namespace nvmlkit::library_test
