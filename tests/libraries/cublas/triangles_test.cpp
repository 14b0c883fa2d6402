// Triangles of random sizes, in each type and each way that they lie in memory: products by their definition, and what
// they multiply, they solve.
#include "stored.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_BLAS(trmv, Strmv_v2, Dtrmv_v2, Ctrmv_v2, Ztrmv_v2)
NVMLKIT_BLAS(trsv, Strsv_v2, Dtrsv_v2, Ctrsv_v2, Ztrsv_v2)
NVMLKIT_BLAS(tbmv, Stbmv_v2, Dtbmv_v2, Ctbmv_v2, Ztbmv_v2)
NVMLKIT_BLAS(tbsv, Stbsv_v2, Dtbsv_v2, Ctbsv_v2, Ztbsv_v2)
NVMLKIT_BLAS(tpmv, Stpmv_v2, Dtpmv_v2, Ctpmv_v2, Ztpmv_v2)
NVMLKIT_BLAS(tpsv, Stpsv_v2, Dtpsv_v2, Ctpsv_v2, Ztpsv_v2)
NVMLKIT_BLAS(trmm, Strmm_v2, Dtrmm_v2, Ctrmm_v2, Ztrmm_v2)
NVMLKIT_BLAS(trsm, Strsm_v2, Dtrsm_v2, Ctrsm_v2, Ztrsm_v2)

// A triangle that can be solved, and how it is used.
struct Triangle {
  Stored stored;
  cublasOperation_t t;
  cublasDiagType_t diagonal;

  Triangle(Random& random, Kind kind, bool complex)
      : stored(random, kind, false, complex),
        t(static_cast<cublasOperation_t>(random.below(3))),
        diagonal(random.below(2) ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT) {
    for (std::int64_t j = 0; j < stored.n; ++j)
      for (std::int64_t i = 0; i < stored.n; ++i)
        if (stored.has(i, j))
          stored.memory[stored.at(i, j)] = 0.3 * stored.memory[stored.at(i, j)] + (i == j ? 2.0 : 0);
  }
  // Of op(A).
  DoubleComplex element(std::int64_t i, std::int64_t j) const {
    const bool is_unit = diagonal == CUBLAS_DIAG_UNIT;
    if (t == CUBLAS_OP_N) return stored.of_triangle(i, j, is_unit);
    const auto v = stored.of_triangle(j, i, is_unit);
    return t == CUBLAS_OP_C ? std::conj(v) : v;
  }
};

template <class T>
struct Triangles : CublasTest {
  // multiply(triangle, a, x, step) and solve(the same).
  template <class Multiply, class Solve>
  void with_vectors(Kind kind, Multiply multiply, Solve solve) {
    for (int turn = 0; turn < 30; ++turn) {
      const Triangle a(random, kind, kIsComplex<T>);
      const Steps x(random, a.stored.n, kIsComplex<T>);
      auto wanted = x.memory;
      for (std::int64_t i = 0; i < x.n; ++i) {
        DoubleComplex sum;
        for (std::int64_t j = 0; j < x.n; ++j) sum += a.element(i, j) * x[j];
        wanted[x.at(i)] = sum;
      }
      OnDevice<T> da(narrow<T>(a.stored.memory)), dx(narrow<T>(x.memory));
      ASSERT_EQ(multiply(a, da.data(), dx.data(), int(x.step)), CUBLAS_STATUS_SUCCESS);
      expect_near(dx.get(), wanted, kTolerance<T>, turn);
      ASSERT_EQ(solve(a, da.data(), dx.data(), int(x.step)), CUBLAS_STATUS_SUCCESS);
      expect_near(dx.get(), x.memory, 10 * kTolerance<T>, turn);
    }
  }
};
TYPED_TEST_SUITE(Triangles, Scalars);

#define NVMLKIT_WITH(function, ...)                                                                        \
  [&](const Triangle& t, const TypeParam* a, TypeParam* x, int step) {                                     \
    const auto n = int(t.stored.n), k = int(t.stored.k), ld = int(t.stored.ld);                            \
    static_cast<void>(k), static_cast<void>(ld);                                                           \
    return function<TypeParam>()(this->handle, t.stored.fill(), t.t, t.diagonal, n, __VA_ARGS__, x, step); \
  }

TYPED_TEST(Triangles, Full) { this->with_vectors(Kind::full, NVMLKIT_WITH(trmv, a, ld), NVMLKIT_WITH(trsv, a, ld)); }
TYPED_TEST(Triangles, Bands) {
  this->with_vectors(Kind::band, NVMLKIT_WITH(tbmv, k, a, ld), NVMLKIT_WITH(tbsv, k, a, ld));
}
TYPED_TEST(Triangles, Packed) { this->with_vectors(Kind::packed, NVMLKIT_WITH(tpmv, a), NVMLKIT_WITH(tpsv, a)); }
#undef NVMLKIT_WITH

TYPED_TEST(Triangles, WithMatrices) {
  using T = TypeParam;
  auto& dice = this->random;
  for (int turn = 0; turn < 40; ++turn) {
    const Triangle a(dice, Kind::full, kIsComplex<T>);
    const bool is_left = dice.below(2) == 0;
    const auto order = a.stored.n, other = 1 + dice.below(20);
    const auto m = is_left ? order : other, n = is_left ? other : order;
    const auto ldb = m + dice.below(3), ldc = m + dice.below(3);
    std::vector<DoubleComplex> b(static_cast<std::size_t>(ldb * n)), c(static_cast<std::size_t>(ldc * n));
    for (auto* const list : {&b, &c})
      for (auto& v : *list) v = {dice.number(), kIsComplex<T> ? dice.number() : 0};
    const T alpha = narrow<T>(DoubleComplex(0.5 + dice.number() / 4, 0.5)), back = T(1) / alpha;
    auto wanted = c;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        DoubleComplex sum;
        for (std::int64_t l = 0; l < order; ++l)
          sum += is_left ? a.element(i, l) * b[static_cast<std::size_t>(l + j * ldb)]
                         : b[static_cast<std::size_t>(i + l * ldb)] * a.element(l, j);
        wanted[static_cast<std::size_t>(i + j * ldc)] = wide(alpha) * sum;
      }
    const auto side = is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    OnDevice<T> da(narrow<T>(a.stored.memory)), db(narrow<T>(b)), dc(narrow<T>(c));
    ASSERT_EQ(trmm<T>()(this->handle, side, a.stored.fill(), a.t, a.diagonal, int(m), int(n), &alpha, da.data(),
                        int(a.stored.ld), db.data(), int(ldb), dc.data(), int(ldc)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dc.get(), wanted, kTolerance<T>, turn);
    ASSERT_EQ(trsm<T>()(this->handle, side, a.stored.fill(), a.t, a.diagonal, int(m), int(n), &back, da.data(),
                        int(a.stored.ld), dc.data(), int(ldc)),
              CUBLAS_STATUS_SUCCESS);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i)
        wanted[static_cast<std::size_t>(i + j * ldc)] = b[static_cast<std::size_t>(i + j * ldb)];
    expect_near(dc.get(), wanted, 10 * kTolerance<T>, turn);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
