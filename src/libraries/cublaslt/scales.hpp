// Matrices of 8-bit and 4-bit floats whose blocks of numbers have scales of their own. The blocks run along the inner
// dimension: that of numbers beside each other in memory.
#pragma once

#include <vector>

#include "libraries/common/kernel.hpp"
#include "libraries/cublaslt/types.hpp"

namespace nvmlkit::cublaslt {

// The type of 4 bits. Only matrices with scales have it, so that blas::Type does not name it.
inline constexpr auto kE2m1 = static_cast<std::int32_t>(CUDA_R_4F_E2M1);

// Bits of an element of a matrix with scales; 0: it is of another type.
int bits_of_narrow(std::int32_t type);

// Which types of A, B, C and D go together, as documented.
bool are_inputs_of_8_bits(const MatrixLayout& a, const MatrixLayout& b);
bool is_wide_result(const MatrixLayout& c, const MatrixLayout& d);
bool is_result_of_8_bits(const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c, const MatrixLayout& d);
// Documented: lines begin at multiples of 16 bytes, and end at such.
bool is_aligned(const MatrixLayout& layout);

struct Scales {
  std::int32_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  std::int64_t inner = 0, outer = 0;  // sizes of the matrix

  std::size_t size() const;  // bytes of one
  std::int64_t count() const;
  std::int64_t place(std::int64_t inner_index, std::int64_t outer_index) const;
  float read(const void* scales, std::int64_t at) const;
  std::int64_t block() const;  // numbers along the inner dimension that share one
};

// Whether a scale of A, B or D is one of blocks or of rows.
bool has_scales_of_blocks(const MatmulDescription& description);
// Whether A and B of 8 bits may be turned or not, as they like.
bool takes_all_turns(int capability);
// Whether a GPU has products with scales of A and B of these modes.
bool has_modes(const MatmulDescription& description, int capability);
// Of such a product: the GPU has it, and its types, modes and orders fit.
cublasStatus_t check_scales(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                            const MatrixLayout& c, const MatrixLayout& d, int capability);

// A matrix of such a product, of a batch whose strides count numbers.
struct Narrow {
  std::int32_t type = 0;
  const void* data = nullptr;
  std::int64_t ld = 0, stride = 0;
  Scales scales;
  const void* of_blocks = nullptr;
  bool is_across = false;  // its lines run across the inner dimension

  std::int64_t length() const { return is_across ? scales.outer : scales.inner; }  // of a line
  std::int64_t lines() const { return is_across ? scales.inner : scales.outer; }
  const void* at(std::int64_t index) const;
  const void* scales_at(std::int64_t index) const;
};

// The numbers of a matrix with their scales, without gaps between lines.
std::vector<float> scaled_numbers(libraries::Running& running, const Narrow& matrix, std::int64_t index);
// Numbers without gaps as a matrix of 8 or 4 bits, each block with the scale that its largest number needs.
void store_scaled(libraries::Running& running, const std::vector<float>& numbers, const Narrow& matrix,
                  std::int64_t index);

}  // namespace nvmlkit::cublaslt
