#include "libraries/cublas/functions/gemm.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "libraries/blas/compute.hpp"

namespace nvmlkit::cublas::functions {
namespace {

using blas::Meaning;
using blas::Type;

constexpr char kLetters[] = "NTCC";

// A copy of a scalar of the host, or its address on the device.
class AnyScalar {
 public:
  AnyScalar(const Call& call, ScalarPlace place) : type_(place.type) {
    if (call.has_host_pointers())
      value_ = blas::load_one<DoubleComplex>(place.type, place.pointer);
    else
      address_ = place.pointer;
  }
  DoubleComplex get(Running& running) const {
    if (!address_) return value_;
    return blas::load_one<DoubleComplex>(type_, running.read(address_, 1, blas::size_of(type_)));
  }
  bool is_zero_of_host() const { return !address_ && value_ == DoubleComplex{}; }

 private:
  Type type_;
  const void* address_ = nullptr;
  DoubleComplex value_{};
};

std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0;
}

struct Shape {
  std::int64_t rows, columns;
};

Shape shape_of(cublasOperation_t t, std::int64_t rows, std::int64_t columns) {
  return t == CUBLAS_OP_N ? Shape{rows, columns} : Shape{columns, rows};
}

cublasStatus_t check(const Products& p) {
  if (p.ta > CUBLAS_OP_CONJG || p.tb > CUBLAS_OP_CONJG || p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto a = shape_of(p.ta, p.m, p.k), b = shape_of(p.tb, p.k, p.n);
  if (p.a.ld < std::max<std::int64_t>(1, a.rows) || p.b.ld < std::max<std::int64_t>(1, b.rows) ||
      p.c.ld < std::max<std::int64_t>(1, p.m))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!p.alpha.pointer || !p.beta.pointer) return CUBLAS_STATUS_INVALID_VALUE;
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (std::max({p.m, p.n, p.k, p.a.ld, p.b.ld, p.c.ld}) > kMost) return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

libraries::Pipe pipe_of(const Meaning& meaning, Type input) {
  const bool doubles = meaning.sum == blas::Sum::f64 || meaning.sum == blas::Sum::c64;
  return libraries::pipe_of_product(meaning.sum == blas::Sum::i32, doubles, blas::is_narrow(meaning, input));
}

// The matrix of one of the products, on the device.
const void* place_of(const Operand& o, bool is_array, std::int64_t index, Running& running) {
  if (is_array) return *running.read(static_cast<const void* const*>(o.data) + index, 1);
  return static_cast<const char*>(o.data) + index * o.stride * static_cast<std::int64_t>(blas::size_of(o.type));
}

void run(const Products& p, const Meaning& meaning, const AnyScalar& alpha, const AnyScalar& beta, Running& running) {
  blas::Product product;
  product.ta = kLetters[p.ta];
  product.tb = kLetters[p.tb];
  product.m = p.m;
  product.n = p.n;
  product.sum = meaning.sum;
  product.rounding = meaning.rounding;
  product.alpha = alpha.get(running);
  product.beta = beta.get(running);
  product.k = product.alpha == DoubleComplex{} ? 0 : p.k;
  const auto a = shape_of(p.ta, p.m, product.k), b = shape_of(p.tb, product.k, p.n);
  for (std::int64_t i = 0; i < p.count; ++i) {
    if (i % 16 == 15) running.tick();
    product.a = {running.read(place_of(p.a, p.are_arrays && product.k > 0, i, running),
                              extent(a.rows, a.columns, p.a.ld), blas::size_of(p.a.type)),
                 p.a.type, p.a.ld};
    product.b = {running.read(place_of(p.b, p.are_arrays && product.k > 0, i, running),
                              extent(b.rows, b.columns, p.b.ld), blas::size_of(p.b.type)),
                 p.b.type, p.b.ld};
    product.d = running.write(const_cast<void*>(place_of(p.c, p.are_arrays, i, running)), extent(p.m, p.n, p.c.ld),
                              blas::size_of(p.c.type));
    product.c = {product.d, p.c.type, p.c.ld};
    product.d_type = p.c.type;
    product.ldd = p.c.ld;
    blas::multiply(product);
  }
}

}  // namespace

cublasComputeType_t compute_of(const Call& call, Type type) {
  if (type == Type::f64 || type == Type::c64) return CUBLAS_COMPUTE_64F;
  if (type == Type::f16) return CUBLAS_COMPUTE_16F;
  const bool has_tf32 = libraries::rounds_to_tf32(call.handle.capability);
  const auto mode = call.handle.math_mode & ~unsigned{CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION};
  if (mode == CUBLAS_TF32_TENSOR_OP_MATH && has_tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  if (mode == CUBLAS_TENSOR_OP_MATH) return CUBLAS_COMPUTE_32F_FAST_16F;
  return CUBLAS_COMPUTE_32F;
}

cublasStatus_t multiply(const Call& call, const Products& p) {
  if (const auto status = check(p); status != CUBLAS_STATUS_SUCCESS)
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? call.unsupported("with sizes of 64 bits") : status;
  Meaning meaning{};
  // Floats of 8 bits are for cuBLASLt.
  const auto is_input = [&](Type type) { return blas::is_input_of(meaning.sum, type) && !blas::is_of_8_bits(type); };
  if (blas::size_of(p.c.type) == 0 || blas::is_of_8_bits(p.c.type) ||
      !blas::meaning_of(p.compute, p.c.type, libraries::rounds_to_tf32(call.handle.capability), meaning) ||
      (meaning.sum == blas::Sum::i32 && p.c.type != Type::i32) || !is_input(p.a.type) || !is_input(p.b.type))
    return call.unsupported("with these types");
  if (p.m == 0 || p.n == 0 || p.count == 0) return CUBLAS_STATUS_SUCCESS;
  const AnyScalar alpha(call, {p.alpha.pointer, meaning.scalar}), beta(call, {p.beta.pointer, meaning.scalar});
  if (!p.c.data || (p.k > 0 && !alpha.is_zero_of_host() && (!p.a.data || !p.b.data)))
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const auto count = static_cast<double>(p.count);
  const Cost cost{(blas::is_complex(p.c.type) ? 8 : 2) * m * n * k * count,
                  count * (m * k * double(blas::size_of(p.a.type)) + n * k * double(blas::size_of(p.b.type)) +
                           2 * m * n * double(blas::size_of(p.c.type))),
                  pipe_of(meaning, p.a.type)};
  return call.enqueue(cost, [p, meaning, alpha, beta](Running& running) { run(p, meaning, alpha, beta, running); });
}

cublasStatus_t gemm_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m, std::int64_t n,
                       std::int64_t k, const void* alpha, const void* a, cudaDataType type_a, std::int64_t lda,
                       const void* b, cudaDataType type_b, std::int64_t ldb, const void* beta, void* c,
                       cudaDataType type_c, std::int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha},
                         {beta},
                         {a, Type(type_a), lda},
                         {b, Type(type_b), ldb},
                         {c, Type(type_c), ldc},
                         1,
                         false,
                         compute});
}

cublasStatus_t gemm_strided_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType type_a,
                               std::int64_t lda, std::int64_t stride_a, const void* b, cudaDataType type_b,
                               std::int64_t ldb, std::int64_t stride_b, const void* beta, void* c, cudaDataType type_c,
                               std::int64_t ldc, std::int64_t stride_c, std::int64_t count, cublasComputeType_t compute,
                               cublasGemmAlgo_t) {
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha},
                         {beta},
                         {a, Type(type_a), lda, stride_a},
                         {b, Type(type_b), ldb, stride_b},
                         {c, Type(type_c), ldc, stride_c},
                         count,
                         false,
                         compute});
}

cublasStatus_t gemm_batched_ex(const Call& call, cublasOperation_t ta, cublasOperation_t tb, std::int64_t m,
                               std::int64_t n, std::int64_t k, const void* alpha, const void* const* a,
                               cudaDataType type_a, std::int64_t lda, const void* const* b, cudaDataType type_b,
                               std::int64_t ldb, const void* beta, void* const* c, cudaDataType type_c,
                               std::int64_t ldc, std::int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply(call, {ta,
                         tb,
                         m,
                         n,
                         k,
                         {alpha},
                         {beta},
                         {a, Type(type_a), lda},
                         {b, Type(type_b), ldb},
                         {c, Type(type_c), ldc},
                         count,
                         true,
                         compute});
}

}  // namespace nvmlkit::cublas::functions
