// Products of random shapes, orders, strides, batches, types and epilogues, against sums in double precision.
#include <cmath>
#include <complex>
#include <optional>

#include "cublaslt_support.hpp"
#include "libraries/blas/types.hpp"

namespace nvmlkit::library_test {
namespace {

using blas::Bfloat16;
using blas::Half;

template <class T>
T narrow_of(double v) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(v);
  else
    return T::of(v);
}
template <class T>
double wide_of(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return v;
  else
    return static_cast<double>(T::wide(v));
}

// A batch of matrices and its layout.
template <class T>
struct Batch {
  std::int64_t rows, columns, ld, stride;
  std::int32_t count;
  bool is_by_rows;
  std::vector<T> memory;
  MatrixLayout* layout = nullptr;

  Batch(Random& random, cudaDataType type, std::int64_t m, std::int64_t n, std::int32_t matrices, bool by_rows)
      : rows(m), columns(n), count(matrices), is_by_rows(by_rows) {
    ld = (is_by_rows ? n : m) + random.below(4);
    stride = ld * (is_by_rows ? m : n) + random.below(5);
    for (std::int64_t k = 0; k < stride * count; ++k) memory.push_back(narrow_of<T>(random.number()));
    const auto& lib = lt_library();
    EXPECT_EQ(lib.cublasLtMatrixLayoutCreate(&layout, type, std::uint64_t(m), std::uint64_t(n), ld),
              CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, static_cast<std::int32_t>(is_by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL));
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }
  ~Batch() { lt_library().cublasLtMatrixLayoutDestroy(layout); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  template <class V>
  void set(cublasLtMatrixLayoutAttribute_t which, V value) const {
    EXPECT_EQ(lt_library().cublasLtMatrixLayoutSetAttribute(layout, which, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  // The addresses of its matrices in memory of the device, which replace the stride.
  std::vector<const void*> by_pointers(const void* on_device) const {
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, static_cast<std::uint32_t>(CUBLASLT_BATCH_MODE_POINTER_ARRAY));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{0});
    std::vector<const void*> out;
    for (std::int32_t q = 0; q < count; ++q) out.push_back(static_cast<const T*>(on_device) + q * stride);
    return out;
  }
  std::size_t at(std::int64_t q, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(q * stride + (is_by_rows ? i * ld + j : i + j * ld));
  }
  double operator()(std::int64_t q, std::int64_t i, std::int64_t j) const { return wide_of(memory[at(q, i, j)]); }
};

// Inputs of A, results of C, scalars of S.
template <class A, class C, class S>
class RandomProducts {
 public:
  RandomProducts(cudaDataType type_a, cudaDataType type_c, cublasComputeType_t compute, cudaDataType scalar)
      : type_a_(type_a), type_c_(type_c), compute_(compute), scalar_(scalar) {
    EXPECT_EQ(lib_.cublasLtCreate(&handle_), CUBLAS_STATUS_SUCCESS);
  }
  ~RandomProducts() { lib_.cublasLtDestroy(handle_); }
  RandomProducts(const RandomProducts&) = delete;
  RandomProducts& operator=(const RandomProducts&) = delete;

  void check(double tolerance) {
    for (int turn = 0; turn < 40 && !testing::Test::HasFailure(); ++turn) {
      MatmulDescription* description = nullptr;
      ASSERT_EQ(lib_.cublasLtMatmulDescCreate(&description, compute_, scalar_), CUBLAS_STATUS_SUCCESS);
      one(description, turn, tolerance);
      lib_.cublasLtMatmulDescDestroy(description);
    }
  }

 private:
  template <class V>
  void set(MatmulDescription* description, cublasLtMatmulDescAttributes_t which, V value) {
    ASSERT_EQ(lib_.cublasLtMatmulDescSetAttribute(description, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS);
  }
  void one(MatmulDescription* description, int turn, double tolerance) {
    const auto size = [&] { return 1 + random_.below(30); };
    const auto m = size(), n = size(), k = size();
    const auto count = static_cast<std::int32_t>(1 + random_.below(4));
    const bool turns_a = random_.below(2), turns_b = random_.below(2);
    const bool rows_of_a = random_.below(3) == 0, rows_of_b = random_.below(3) == 0,
               rows_of_result = random_.below(3) == 0;
    const Batch<A> a(random_, type_a_, turns_a ? k : m, turns_a ? m : k, count, rows_of_a),
        b(random_, type_a_, turns_b ? n : k, turns_b ? k : n, count, rows_of_b);
    const Batch<C> c(random_, type_c_, m, n, count, rows_of_result), d(random_, type_c_, m, n, count, rows_of_result);
    // Rows have no epilogue.
    const bool has_bias = !rows_of_result && random_.below(2), has_relu = !rows_of_result && random_.below(2);
    std::vector<C> bias;
    for (std::int64_t i = 0; i < m; ++i) bias.push_back(narrow_of<C>(random_.number()));
    const S alpha = static_cast<S>(random_.number()), beta = turn % 3 == 0 ? S{} : static_cast<S>(random_.number());
    const OnDevice<A> da(a.memory), db(b.memory);
    const OnDevice<C> dc(c.memory), dd(d.memory), of_bias(bias);
    // 1 is CUBLAS_OP_T, of the other library's header.
    set(description, CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{turns_a});
    set(description, CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{turns_b});
    if (has_bias) set(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, of_bias.data());
    set(description, CUBLASLT_MATMUL_DESC_EPILOGUE,
        static_cast<std::uint32_t>(has_bias && has_relu ? CUBLASLT_EPILOGUE_RELU_BIAS
                                   : has_bias           ? CUBLASLT_EPILOGUE_BIAS
                                   : has_relu           ? CUBLASLT_EPILOGUE_RELU
                                                        : CUBLASLT_EPILOGUE_DEFAULT));
    using Pointers = OnDevice<const void*>;
    std::optional<Pointers> pa, pb, pc, pd;
    if (random_.below(2)) {
      pa.emplace(a.by_pointers(da.data()));
      pb.emplace(b.by_pointers(db.data()));
      pc.emplace(c.by_pointers(dc.data()));
      pd.emplace(d.by_pointers(dd.data()));
    }
    const auto place = [](const std::optional<Pointers>& pointers, void* data) {
      return pointers ? static_cast<void*>(pointers->data()) : data;
    };
    ASSERT_EQ(lib_.cublasLtMatmul(handle_, description, &alpha, place(pa, da.data()), a.layout, place(pb, db.data()),
                                  b.layout, &beta, place(pc, dc.data()), c.layout, place(pd, dd.data()), d.layout,
                                  nullptr, nullptr, 0, nullptr),
              CUBLAS_STATUS_SUCCESS)
        << "turn " << turn;
    ASSERT_EQ(driver().cuCtxSynchronize(), cuda::CUDA_SUCCESS);
    std::vector<double> wanted;
    for (const C v : d.memory) wanted.push_back(wide_of(v));
    for (std::int32_t q = 0; q < count; ++q)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += (turns_a ? a(q, l, i) : a(q, i, l)) * (turns_b ? b(q, j, l) : b(q, l, j));
          sum = static_cast<double>(alpha) * sum + static_cast<double>(beta) * c(q, i, j);
          if (has_bias) sum += wide_of(bias[static_cast<std::size_t>(i)]);
          wanted[d.at(q, i, j)] = has_relu ? std::max(sum, 0.0) : sum;
        }
    const auto found = dd.get();
    for (std::size_t at = 0; at < found.size(); ++at)
      ASSERT_NEAR(wide_of(found[at]), wanted[at], tolerance * (1 + std::abs(wanted[at])))
          << "turn " << turn << ", place " << at;
  }

  const Cublaslt& lib_ = lt_library();
  cudaDataType type_a_, type_c_;
  cublasComputeType_t compute_;
  cudaDataType scalar_;
  Handle* handle_ = nullptr;
  Random random_;
};

struct CublasLtProducts : testing::Test {
  void SetUp() override { need_context(); }
};

TEST_F(CublasLtProducts, OfFloat) {
  RandomProducts<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F).check(1e-5);
}
TEST_F(CublasLtProducts, OfDouble) {
  RandomProducts<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F).check(1e-13);
}
TEST_F(CublasLtProducts, OfHalf) {
  RandomProducts<Half, Half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F).check(2e-3);
}
TEST_F(CublasLtProducts, OfBfloat16) {
  RandomProducts<Bfloat16, Bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F).check(2e-2);
}

// A leading dimension of 0 is one column of C for all, or one row.
TEST(CublasLtRows, OfCAreRepeated) {
  need_context();
  const auto& lib = lt_library();
  Handle* handle = nullptr;
  MatmulDescription* description = nullptr;
  ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  const OnDevice<float> a({1, 2}), b({1, 10, 100}), c({7, 8, 9}), d(std::vector<float>(6));
  for (const auto order : {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW}) {
    const bool by_rows = order == CUBLASLT_ORDER_ROW;
    const auto layout = [&](std::uint64_t m, std::uint64_t n, std::int64_t ld) {
      MatrixLayout* out = nullptr;
      lib.cublasLtMatrixLayoutCreate(&out, CUDA_R_32F, m, n, ld);
      const auto number = static_cast<std::int32_t>(order);
      lib.cublasLtMatrixLayoutSetAttribute(out, CUBLASLT_MATRIX_LAYOUT_ORDER, &number, sizeof number);
      return out;
    };
    auto *const of_a = layout(2, 1, by_rows ? 1 : 2), *const of_b = layout(1, 3, by_rows ? 3 : 1),
                *const of_c = layout(2, 3, 0), *const of_d = layout(2, 3, by_rows ? 3 : 2);
    const float alpha = 1, beta = 1000;
    ASSERT_EQ(lib.cublasLtMatmul(handle, description, &alpha, a.data(), of_a, b.data(), of_b, &beta, c.data(), of_c,
                                 d.data(), of_d, nullptr, nullptr, 0, nullptr),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(d.get(), by_rows ? (std::vector<float>{7001, 8010, 9100, 7002, 8020, 9200})
                               : (std::vector<float>{7001, 8002, 7010, 8020, 7100, 8200}));
    for (auto* each : {of_a, of_b, of_c, of_d}) lib.cublasLtMatrixLayoutDestroy(each);
  }
  lib.cublasLtMatmulDescDestroy(description);
  lib.cublasLtDestroy(handle);
}

// Rows alone may be conjugated; rows beside columns may not, as documented.
TEST(CublasLtRows, AreConjugated) {
  need_context();
  using Number = std::complex<float>;
  const auto& lib = lt_library();
  Handle* handle = nullptr;
  MatmulDescription* description = nullptr;
  ASSERT_EQ(lib.cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(lib.cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_C_32F), CUBLAS_STATUS_SUCCESS);
  Random random;
  const auto numbers = [&](std::int64_t count) {
    std::vector<Number> out;
    for (std::int64_t i = 0; i < count; ++i)
      out.emplace_back(static_cast<float>(random.number()), static_cast<float>(random.number()));
    return out;
  };
  const auto rows = [&](std::int64_t m, std::int64_t n) {
    MatrixLayout* out = nullptr;
    lib.cublasLtMatrixLayoutCreate(&out, CUDA_C_32F, std::uint64_t(m), std::uint64_t(n), n);
    const auto order = static_cast<std::int32_t>(CUBLASLT_ORDER_ROW);
    lib.cublasLtMatrixLayoutSetAttribute(out, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    return out;
  };
  constexpr std::int64_t kM = 5, kN = 7, kK = 4;
  for (const std::int32_t ta : {0, 1, 2})
    for (const std::int32_t tb : {0, 1, 2}) {
      const auto a = numbers(kM * kK), b = numbers(kK * kN), c = numbers(kM * kN);
      const OnDevice<Number> on_a(a), on_b(b), on_c(c);
      auto *const of_a = ta ? rows(kK, kM) : rows(kM, kK), *const of_b = tb ? rows(kN, kK) : rows(kK, kN),
                  *const of_c = rows(kM, kN);
      lib.cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
      lib.cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
      const Number alpha(0.5f, 1), beta(2, -1);
      ASSERT_EQ(lib.cublasLtMatmul(handle, description, &alpha, on_a.data(), of_a, on_b.data(), of_b, &beta,
                                   on_c.data(), of_c, on_c.data(), of_c, nullptr, nullptr, 0, nullptr),
                CUBLAS_STATUS_SUCCESS);
      const auto found = on_c.get();
      for (std::int64_t i = 0; i < kM; ++i)
        for (std::int64_t j = 0; j < kN; ++j) {
          Number sum = 0;
          for (std::int64_t k = 0; k < kK; ++k) {
            const auto x = a[static_cast<std::size_t>(ta ? k * kM + i : i * kK + k)],
                       y = b[static_cast<std::size_t>(tb ? j * kK + k : k * kN + j)];
            sum += (ta == 2 ? std::conj(x) : x) * (tb == 2 ? std::conj(y) : y);
          }
          const auto at = static_cast<std::size_t>(i * kN + j);
          EXPECT_LE(std::abs(found[at] - (alpha * sum + beta * c[at])), 1e-5f) << ta << " " << tb;
        }
      const auto columns = static_cast<std::int32_t>(CUBLASLT_ORDER_COL);
      const std::int64_t ld = ta ? kK : kM;
      lib.cublasLtMatrixLayoutSetAttribute(of_a, CUBLASLT_MATRIX_LAYOUT_ORDER, &columns, sizeof columns);
      lib.cublasLtMatrixLayoutSetAttribute(of_a, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld);
      EXPECT_EQ(lib.cublasLtMatmul(handle, description, &alpha, on_a.data(), of_a, on_b.data(), of_b, &beta,
                                   on_c.data(), of_c, on_c.data(), of_c, nullptr, nullptr, 0, nullptr),
                ta == 2 || tb == 2 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS);
      for (auto* each : {of_a, of_b, of_c}) lib.cublasLtMatrixLayoutDestroy(each);
    }
  lib.cublasLtMatmulDescDestroy(description);
  lib.cublasLtDestroy(handle);
}

}  // namespace
}  // namespace nvmlkit::library_test
