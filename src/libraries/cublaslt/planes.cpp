#include "libraries/cublaslt/planes.hpp"

#include <algorithm>
#include <array>

namespace nvmlkit::cublaslt {

using blas::Complex;
using blas::Type;

bool has_planes(const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c, const MatrixLayout& d) {
  return a.plane_offset != 0 || b.plane_offset != 0 || c.plane_offset != 0 || d.plane_offset != 0;
}

cublasStatus_t check_planes(const MatmulDescription& description, const MatrixLayout& a, const MatrixLayout& b,
                            const MatrixLayout& c, const MatrixLayout& d) {
  const auto are_all = [&](auto right) { return right(a) && right(b) && right(c) && right(d); };
  const bool are_planes =
      are_all([](const MatrixLayout& l) { return l.plane_offset != 0 && l.batch_mode == 0 && !is_tiled(l.order); });
  const bool are_sums = description.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32F) ||
                        description.compute == static_cast<std::int32_t>(CUBLAS_COMPUTE_32F_PEDANTIC);
  const auto in = Type(a.type), out = Type(d.type);
  const bool are_types = (in == Type::c16 || in == Type::cbf16) && Type(b.type) == in && Type(c.type) == out &&
                         (out == in || out == Type::c32);
  const bool is_supported = are_planes && are_sums && are_types && Type(description.scalar) == Type::c32 &&
                            description.epilogue <= CUBLASLT_EPILOGUE_DEFAULT && !description.a_scale &&
                            !description.b_scale;
  return is_supported ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

Type Planes::part() const {
  return operand_.type == Type::c16 ? Type::f16 : operand_.type == Type::cbf16 ? Type::bf16 : Type::f32;
}

const void* Planes::plane(std::int64_t index, bool is_imaginary) const {
  const auto size = static_cast<std::int64_t>(blas::size_of(part()));
  return static_cast<const char*>(operand_.data) + index * operand_.stride * size + (is_imaginary ? offset_ : 0);
}

std::vector<Complex> Planes::load(std::int64_t index, libraries::Running& running) const {
  const auto count = extent(operand_.shape);
  const auto size = static_cast<std::size_t>(count);
  std::array<std::vector<float>, 2> parts{std::vector<float>(size), std::vector<float>(size)};
  for (const bool is_imaginary : {false, true})
    blas::load(part(), running.read(plane(index, is_imaginary), count, blas::size_of(part())), count,
               parts[is_imaginary].data());
  std::vector<Complex> out(size);
  for (std::size_t k = 0; k < size; ++k) out[k] = {parts[0][k], parts[1][k]};
  return out;
}

void Planes::store(std::int64_t index, const std::vector<Complex>& numbers, libraries::Running& running) const {
  const auto& shape = operand_.shape;
  const auto size = static_cast<std::int64_t>(blas::size_of(part()));
  std::vector<float> line(static_cast<std::size_t>(shape.rows));
  for (const bool is_imaginary : {false, true}) {
    auto* const to = static_cast<char*>(
        running.write(const_cast<void*>(plane(index, is_imaginary)), extent(shape), static_cast<std::size_t>(size)));
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      const Complex* const from = numbers.data() + j * shape.ld;
      std::transform(from, from + shape.rows, line.begin(),
                     [=](Complex x) { return is_imaginary ? x.imag() : x.real(); });
      blas::store(part(), line.data(), shape.rows, to + j * shape.ld * size);
    }
  }
}

}  // namespace nvmlkit::cublaslt
