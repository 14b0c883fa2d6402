// Matrices of complex numbers whose real and imaginary parts lie in two planes.
#pragma once

#include "libraries/cublaslt/operand.hpp"

namespace nvmlkit::cublaslt {

bool has_planes(const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c, const MatrixLayout& d);
// Of a product of them: types, scalars and batches fit.
cublasStatus_t check_planes(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                            const MatrixLayout& c, const MatrixLayout& d);

// Such a matrix of a batch. Strides count parts of numbers.
class Planes {
 public:
  Planes(const Operand& operand, std::int64_t offset) : operand_(operand), offset_(offset) {}

  // The numbers as pairs, where the matrix has its own.
  std::vector<blas::Complex> load(std::int64_t index, libraries::Running& running) const;
  // The other way: lines of numbers, and nothing between them.
  void store(std::int64_t index, const std::vector<blas::Complex>& numbers, libraries::Running& running) const;

 private:
  blas::Type part() const;
  const void* plane(std::int64_t index, bool is_imaginary) const;

  const Operand& operand_;
  std::int64_t offset_;  // in bytes, from the real parts to the imaginary ones
};

}  // namespace nvmlkit::cublaslt
