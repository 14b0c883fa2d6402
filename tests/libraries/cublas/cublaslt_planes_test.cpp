// libcublasLt: products of complex matrices whose real and imaginary parts lie in planes.
#include <complex>

#include "cublaslt_support.hpp"
#include "libraries/blas/types.hpp"

namespace nvmlkit::library_test {
namespace {

using blas::Bfloat16;
using blas::Half;
using Number = std::complex<double>;

template <class T>
T narrow_of(double v) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(v);
  else
    return T::of(v);
}
template <class T>
double wide_of(T v) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<double>(v);
  else
    return static_cast<double>(T::wide(v));
}

// A batch; the plane of the imaginary parts may come first.
template <class T>
struct PlanarBatch {
  std::int64_t rows, columns, ld, stride, plane;
  bool is_by_rows, imaginary_first;
  std::vector<T> memory;
  MatrixLayout* layout = nullptr;

  PlanarBatch(Random& random, cudaDataType type, std::int64_t m, std::int64_t n, std::int32_t count, bool by_rows)
      : rows(m), columns(n), is_by_rows(by_rows), imaginary_first(random.below(2) == 1) {
    ld = (by_rows ? n : m) + random.below(4);
    stride = ld * (by_rows ? m : n) + random.below(5);
    plane = stride * count + random.below(7);
    for (std::int64_t k = 0; k < 2 * plane; ++k) memory.push_back(narrow_of<T>(random.number()));
    EXPECT_EQ(lt_library().cublasLtMatrixLayoutCreate(&layout, type, std::uint64_t(m), std::uint64_t(n), ld),
              CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, static_cast<std::int32_t>(by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL));
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
    set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, (imaginary_first ? -plane : plane) * static_cast<std::int64_t>(sizeof(T)));
  }
  ~PlanarBatch() { lt_library().cublasLtMatrixLayoutDestroy(layout); }
  PlanarBatch(const PlanarBatch&) = delete;
  PlanarBatch& operator=(const PlanarBatch&) = delete;

  template <class V>
  void set(cublasLtMatrixLayoutAttribute_t which, V value) {
    EXPECT_EQ(lt_library().cublasLtMatrixLayoutSetAttribute(layout, which, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  void* at(const OnDevice<T>& device) const { return device.data() + (imaginary_first ? plane : 0); }
  std::size_t place(std::int64_t q, std::int64_t i, std::int64_t j, bool imaginary) const {
    return static_cast<std::size_t>(q * stride + (is_by_rows ? i * ld + j : i + j * ld) +
                                    (imaginary == imaginary_first ? 0 : plane));
  }
  Number get(const std::vector<T>& from, std::int64_t q, std::int64_t i, std::int64_t j) const {
    return {wide_of(from[place(q, i, j, false)]), wide_of(from[place(q, i, j, true)])};
  }
};

class CublasLtPlanes : public testing::Test {
 protected:
  void SetUp() override {
    need_context();
    ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(lib.cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_C_32F), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    lib.cublasLtMatmulDescDestroy(description);
    lib.cublasLtDestroy(handle);
  }
  void turn(cublasLtMatmulDescAttributes_t which, std::int32_t operation) {
    ASSERT_EQ(lib.cublasLtMatmulDescSetAttribute(description, which, &operation, sizeof operation),
              CUBLAS_STATUS_SUCCESS);
  }
  template <class A, class C>
  void check(cudaDataType type_a, cudaDataType type_c, double tolerance);

  const Cublaslt& lib = lt_library();
  cublaslt::Handle* handle = nullptr;
  MatmulDescription* description = nullptr;
  Random random;
};

template <class A, class C>
void CublasLtPlanes::check(cudaDataType type_a, cudaDataType type_c, double tolerance) {
  for (int round = 0; round < 24; ++round) {
    const auto m = 1 + random.below(12), n = 1 + random.below(12), k = 1 + random.below(12);
    const auto count = static_cast<std::int32_t>(1 + random.below(3));
    const bool by_rows = round % 4 == 3;
    const auto ta = static_cast<std::int32_t>(random.below(by_rows ? 2 : 3)),
               tb = static_cast<std::int32_t>(random.below(by_rows ? 2 : 3));
    PlanarBatch<A> a(random, type_a, ta ? k : m, ta ? m : k, count, ta != 2 && random.below(2)),
        b(random, type_a, tb ? n : k, tb ? k : n, count, tb != 2 && random.below(2));
    PlanarBatch<C> c(random, type_c, m, n, count, by_rows), d(random, type_c, m, n, count, by_rows);
    const OnDevice<A> on_a(a.memory), on_b(b.memory);
    const OnDevice<C> on_c(c.memory), on_d(d.memory);
    turn(CUBLASLT_MATMUL_DESC_TRANSA, ta);
    turn(CUBLASLT_MATMUL_DESC_TRANSB, tb);
    const std::complex<float> alpha(0.5f, -1), beta = round % 3 == 0 ? 0.0f : std::complex<float>(0.25f, 2);
    const bool in_place = round % 5 == 4;
    const auto& result = in_place ? c : d;
    const auto& on_result = in_place ? on_c : on_d;
    ASSERT_EQ(
        lib.cublasLtMatmul(handle, description, &alpha, a.at(on_a), a.layout, b.at(on_b), b.layout, &beta, c.at(on_c),
                           c.layout, result.at(on_result), result.layout, nullptr, nullptr, 0, nullptr),
        CUBLAS_STATUS_SUCCESS);
    auto found = on_result.get();
    for (std::int32_t q = 0; q < count; ++q)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          Number sum = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            const auto x = ta ? a.get(a.memory, q, l, i) : a.get(a.memory, q, i, l);
            const auto y = tb ? b.get(b.memory, q, j, l) : b.get(b.memory, q, l, j);
            sum += (ta == 2 ? std::conj(x) : x) * (tb == 2 ? std::conj(y) : y);
          }
          const auto expected = Number(alpha) * sum + Number(beta) * c.get(c.memory, q, i, j);
          ASSERT_LE(std::abs(result.get(found, q, i, j) - expected), tolerance * (1 + std::abs(expected)))
              << "round " << round;
          for (const bool imaginary : {false, true}) {
            const auto at = result.place(q, i, j, imaginary);
            found[at] = result.memory[at];
          }
        }
    for (std::size_t x = 0; x < found.size(); ++x)
      ASSERT_EQ(wide_of(found[x]), wide_of(result.memory[x])) << "beside the numbers";
  }
}

TEST_F(CublasLtPlanes, Halves) { check<Half, Half>(CUDA_C_16F, CUDA_C_16F, 2e-3); }
TEST_F(CublasLtPlanes, HalvesToFloats) { check<Half, float>(CUDA_C_16F, CUDA_C_32F, 1e-5); }
TEST_F(CublasLtPlanes, Bfloats) { check<Bfloat16, Bfloat16>(CUDA_C_16BF, CUDA_C_16BF, 2e-2); }
TEST_F(CublasLtPlanes, BfloatsToFloats) { check<Bfloat16, float>(CUDA_C_16BF, CUDA_C_32F, 1e-5); }

// From pairs to planes, turned and conjugated, and back.
TEST_F(CublasLtPlanes, AreMadeOfPairs) {
  TransformDescription* transform = nullptr;
  ASSERT_EQ(lib.cublasLtMatrixTransformDescCreate(&transform, CUDA_C_32F), CUBLAS_STATUS_SUCCESS);
  for (int round = 0; round < 12; ++round) {
    const auto m = 1 + random.below(9), n = 1 + random.below(9);
    std::vector<Half> pairs;
    for (std::int64_t k = 0; k < 2 * m * n; ++k) pairs.push_back(Half::of(random.number()));
    PlanarBatch<Half> planes(random, CUDA_C_16F, n, m, 1, round % 2 == 1);
    const OnDevice<Half> on_pairs(pairs), on_planes(planes.memory), back(std::vector<Half>(pairs.size()));
    MatrixLayout* of_pairs = nullptr;
    lib.cublasLtMatrixLayoutCreate(&of_pairs, CUDA_C_16F, std::uint64_t(m), std::uint64_t(n), m);
    const std::int32_t conjugated = 2;
    ASSERT_EQ(lib.cublasLtMatrixTransformDescSetAttribute(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &conjugated,
                                                          sizeof conjugated),
              CUBLAS_STATUS_SUCCESS);
    const std::complex<float> one = 1;
    const auto turned = [&](const void* from, MatrixLayout* of_from, void* to, MatrixLayout* of_to) {
      return lib.cublasLtMatrixTransform(handle, transform, &one, from, of_from, nullptr, nullptr, nullptr, to, of_to,
                                         nullptr);
    };
    ASSERT_EQ(turned(on_pairs.data(), of_pairs, planes.at(on_planes), planes.layout), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(turned(planes.at(on_planes), planes.layout, back.data(), of_pairs), CUBLAS_STATUS_SUCCESS);
    const auto found = on_planes.get(), again = back.get();
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        const auto at = static_cast<std::size_t>(2 * (i + j * m));
        EXPECT_EQ(planes.get(found, 0, j, i), Number(wide_of(pairs[at]), -wide_of(pairs[at + 1])));
        EXPECT_EQ(wide_of(again[at]), wide_of(pairs[at]));
        EXPECT_EQ(wide_of(again[at + 1]), wide_of(pairs[at + 1]));
      }
    lib.cublasLtMatrixLayoutDestroy(of_pairs);
  }
  lib.cublasLtMatrixTransformDescDestroy(transform);
}

TEST_F(CublasLtPlanes, Refused) {
  PlanarBatch<Half> a(random, CUDA_C_16F, 4, 4, 1, false), b(random, CUDA_C_16F, 4, 4, 1, false),
      c(random, CUDA_C_16F, 4, 4, 1, false);
  PlanarBatch<float> wide(random, CUDA_C_32F, 4, 4, 1, false);
  const auto ask = [&](MatrixLayout* of_a, MatrixLayout* of_c) {
    HeuristicResult found{};
    int count = 0;
    return lib.cublasLtMatmulAlgoGetHeuristic(handle, description, of_a, b.layout, of_c, of_c, nullptr, 1, &found,
                                              &count);
  };
  EXPECT_EQ(ask(a.layout, c.layout), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(ask(a.layout, wide.layout), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(ask(wide.layout, c.layout), CUBLAS_STATUS_NOT_SUPPORTED) << "inputs of 32 bits";
  PlanarBatch<Half> other(random, CUDA_C_16F, 5, 4, 1, false);
  EXPECT_EQ(ask(other.layout, c.layout), CUBLAS_STATUS_INVALID_VALUE) << "sizes that do not fit";
  a.set(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, std::int64_t{0});
  EXPECT_EQ(ask(a.layout, c.layout), CUBLAS_STATUS_NOT_SUPPORTED) << "planes beside pairs";
}

}  // namespace
}  // namespace nvmlkit::library_test
