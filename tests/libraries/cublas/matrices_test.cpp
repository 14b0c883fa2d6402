// Matrices of random sizes, in each type, against their definition in double precision: with vectors, symmetric ones,
// updates of a triangle, sums.
#include "stored.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_BLAS(gemv, Sgemv_v2, Dgemv_v2, Cgemv_v2, Zgemv_v2)
NVMLKIT_BLAS(gbmv, Sgbmv_v2, Dgbmv_v2, Cgbmv_v2, Zgbmv_v2)
NVMLKIT_BLAS(ger, Sger_v2, Dger_v2, Cgeru_v2, Zgeru_v2)
NVMLKIT_BLAS(gerc, Sger_v2, Dger_v2, Cgerc_v2, Zgerc_v2)
NVMLKIT_BLAS(symm, Ssymm_v2, Dsymm_v2, Csymm_v2, Zsymm_v2)
NVMLKIT_BLAS(hemm, Ssymm_v2, Dsymm_v2, Chemm_v2, Zhemm_v2)
NVMLKIT_BLAS(syrk, Ssyrk_v2, Dsyrk_v2, Csyrk_v2, Zsyrk_v2)
NVMLKIT_BLAS(herk, Ssyrk_v2, Dsyrk_v2, Cherk_v2, Zherk_v2)
NVMLKIT_BLAS(syr2k, Ssyr2k_v2, Dsyr2k_v2, Csyr2k_v2, Zsyr2k_v2)
NVMLKIT_BLAS(her2k, Ssyr2k_v2, Dsyr2k_v2, Cher2k_v2, Zher2k_v2)
NVMLKIT_BLAS(syrkx, Ssyrkx, Dsyrkx, Csyrkx, Zsyrkx)
NVMLKIT_BLAS(geam, Sgeam, Dgeam, Cgeam, Zgeam)
NVMLKIT_BLAS(dgmm, Sdgmm, Ddgmm, Cdgmm, Zdgmm)

constexpr int kMatrixTurns = 30;

template <class T>
struct Matrices : CublasTest {
  std::int64_t size() { return 1 + random.below(25); }
  cublasOperation_t operation() { return static_cast<cublasOperation_t>(random.below(3)); }
  General general(cublasOperation_t t, std::int64_t m, std::int64_t n) { return {random, t, m, n, kIsComplex<T>}; }
  Steps steps(std::int64_t n) { return {random, n, kIsComplex<T>}; }
  // 0 now and then: what lies in the result is not read then.
  T factor(int turn) { return turn % 3 == 0 ? T{} : number_of<T>(random); }

  // call(fill, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc) makes a triangle of alpha * add(op(a), op(b), i, j) + beta
  // * c. The diagonal of a Hermitian matrix is real.
  template <class Alpha, class Beta, class Call, class Add>
  void update(bool is_hermitian, Call call, Add add) {
    const auto turned = is_hermitian && kIsComplex<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
    for (int turn = 0; turn < kMatrixTurns; ++turn) {
      const auto n = size(), k = size();
      const auto t = random.below(2) ? turned : CUBLAS_OP_N;
      const bool is_upper = random.below(2) == 0;
      const auto a = general(t, n, k), b = general(t, n, k);
      auto c = general(CUBLAS_OP_N, n, n);
      for (std::int64_t j = 0; is_hermitian && j < n; ++j) c.memory[c.at(j, j)] = c(j, j).real();
      const Alpha alpha = number_of<Alpha>(random);
      const Beta beta = turn % 3 == 0 ? Beta{} : number_of<Beta>(random);
      auto wanted = c.memory;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = is_upper ? 0 : j; i < (is_upper ? j + 1 : n); ++i) {
          DoubleComplex sum;
          for (std::int64_t l = 0; l < k; ++l) sum += add(wide(alpha), a, b, i, j, l);
          wanted[c.at(i, j)] = sum + wide(beta) * c(i, j);
        }
      OnDevice<T> da(narrow<T>(a.memory)), db(narrow<T>(b.memory)), dc(narrow<T>(c.memory));
      ASSERT_EQ(call(is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, t, int(n), int(k), &alpha, da.data(),
                     int(a.ld), db.data(), int(b.ld), &beta, dc.data(), int(c.ld)),
                CUBLAS_STATUS_SUCCESS);
      expect_near(dc.get(), wanted, kTolerance<T>, turn);
    }
  }
  template <class Multiply>
  void symmetric(bool is_hermitian, Multiply multiply) {
    for (int turn = 0; turn < kMatrixTurns; ++turn) {
      const Stored a(random, Kind::full, is_hermitian && kIsComplex<T>, kIsComplex<T>);
      const bool is_left = random.below(2) == 0;
      const auto m = is_left ? a.n : size(), n = is_left ? size() : a.n;
      const auto b = general(CUBLAS_OP_N, m, n), c = general(CUBLAS_OP_N, m, n);
      const T alpha = number_of<T>(random), beta = factor(turn);
      auto wanted = c.memory;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
          DoubleComplex sum;
          for (std::int64_t l = 0; l < a.n; ++l) sum += is_left ? a.element(i, l) * b(l, j) : b(i, l) * a.element(l, j);
          wanted[c.at(i, j)] = wide(alpha) * sum + wide(beta) * c(i, j);
        }
      OnDevice<T> da(narrow<T>(a.memory)), db(narrow<T>(b.memory)), dc(narrow<T>(c.memory));
      ASSERT_EQ(multiply(handle, is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, a.fill(), int(m), int(n), &alpha,
                         da.data(), int(a.ld), db.data(), int(b.ld), &beta, dc.data(), int(c.ld)),
                CUBLAS_STATUS_SUCCESS);
      expect_near(dc.get(), wanted, kTolerance<T>, turn);
    }
  }
};
TYPED_TEST_SUITE(Matrices, Scalars);

TYPED_TEST(Matrices, TimesVectors) {
  using T = TypeParam;
  for (int turn = 0; turn < kMatrixTurns; ++turn) {
    const auto m = this->size(), n = this->size();  // of op(A)
    const auto t = this->operation();
    auto a = this->general(t, m, n);
    const auto x = this->steps(n), y = this->steps(m);
    const T alpha = number_of<T>(this->random), beta = this->factor(turn);
    const auto wanted_of = [&](auto has) {
      auto wanted = y.memory;
      for (std::int64_t i = 0; i < m; ++i) {
        DoubleComplex sum;
        for (std::int64_t j = 0; j < n; ++j)
          if (t == CUBLAS_OP_N ? has(i, j) : has(j, i)) sum += a(i, j) * x[j];
        wanted[y.at(i)] = wide(alpha) * sum + wide(beta) * y[i];
      }
      return wanted;
    };
    OnDevice<T> da(narrow<T>(a.memory)), dx(narrow<T>(x.memory)), dy(narrow<T>(y.memory));
    ASSERT_EQ(gemv<T>()(this->handle, t, int(a.rows), int(a.columns), &alpha, da.data(), int(a.ld), dx.data(),
                        int(x.step), &beta, dy.data(), int(y.step)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dy.get(), wanted_of([](auto, auto) { return true; }), kTolerance<T>, turn);
    const auto below = this->random.below(a.rows), above = this->random.below(a.columns);
    const auto ld = below + above + 1 + this->random.below(3);
    const auto is_in_band = [&](std::int64_t i, std::int64_t j) { return i - j <= below && j - i <= above; };
    std::vector<DoubleComplex> band(static_cast<std::size_t>(ld * a.columns));
    for (std::int64_t j = 0; j < a.columns; ++j)
      for (std::int64_t i = 0; i < a.rows; ++i)
        if (is_in_band(i, j)) band[static_cast<std::size_t>(above + i - j + j * ld)] = a.memory[a.at(i, j)];
    OnDevice<T> of_band(narrow<T>(band));
    dy.set(narrow<T>(y.memory));
    ASSERT_EQ(gbmv<T>()(this->handle, t, int(a.rows), int(a.columns), int(below), int(above), &alpha, of_band.data(),
                        int(ld), dx.data(), int(x.step), &beta, dy.data(), int(y.step)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dy.get(), wanted_of(is_in_band), kTolerance<T>, turn);
  }
}

TYPED_TEST(Matrices, AddTwoVectors) {
  using T = TypeParam;
  for (int turn = 0; turn < kMatrixTurns; ++turn) {
    const auto a = this->general(CUBLAS_OP_N, this->size(), this->size());
    const auto x = this->steps(a.rows), y = this->steps(a.columns);
    const T alpha = number_of<T>(this->random);
    for (const bool conjugates : {false, true}) {
      auto wanted = a.memory;
      for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = 0; i < a.rows; ++i)
          wanted[a.at(i, j)] += wide(alpha) * x[i] * (conjugates ? std::conj(y[j]) : y[j]);
      OnDevice<T> da(narrow<T>(a.memory)), dx(narrow<T>(x.memory)), dy(narrow<T>(y.memory));
      ASSERT_EQ((conjugates ? gerc<T>() : ger<T>())(this->handle, int(a.rows), int(a.columns), &alpha, dx.data(),
                                                    int(x.step), dy.data(), int(y.step), da.data(), int(a.ld)),
                CUBLAS_STATUS_SUCCESS);
      expect_near(da.get(), wanted, kTolerance<T>, turn);
    }
  }
}

TYPED_TEST(Matrices, SymmetricOnes) {
  this->symmetric(false, symm<TypeParam>());
  this->symmetric(true, hemm<TypeParam>());
}

TYPED_TEST(Matrices, UpdatesOfATriangle) {
  using T = TypeParam;
  using Real = RealOf<T>;
  const auto without_b = [this](auto function) {
    return [this, function](auto fill, auto t, int n, int k, auto* alpha, T* a, int lda, T*, int, auto* beta, T* c,
                            int ldc) { return function(this->handle, fill, t, n, k, alpha, a, lda, beta, c, ldc); };
  };
  const auto with_b = [this](auto function) {
    return [this, function](auto... all) { return function(this->handle, all...); };
  };
  this->template update<T, T>(false, without_b(syrk<T>()), [](auto alpha, auto& a, auto&, auto i, auto j, auto l) {
    return alpha * a(i, l) * a(j, l);
  });
  this->template update<Real, Real>(true, without_b(herk<T>()), [](auto alpha, auto& a, auto&, auto i, auto j, auto l) {
    return alpha * a(i, l) * std::conj(a(j, l));
  });
  this->template update<T, T>(false, with_b(syr2k<T>()), [](auto alpha, auto& a, auto& b, auto i, auto j, auto l) {
    return alpha * (a(i, l) * b(j, l) + b(i, l) * a(j, l));
  });
  this->template update<T, Real>(true, with_b(her2k<T>()), [](auto alpha, auto& a, auto& b, auto i, auto j, auto l) {
    return alpha * a(i, l) * std::conj(b(j, l)) + std::conj(alpha) * b(i, l) * std::conj(a(j, l));
  });
  this->template update<T, T>(false, with_b(syrkx<T>()), [](auto alpha, auto& a, auto& b, auto i, auto j, auto l) {
    return alpha * a(i, l) * b(j, l);
  });
}

TYPED_TEST(Matrices, SumsAndDiagonals) {
  using T = TypeParam;
  for (int turn = 0; turn < kMatrixTurns; ++turn) {
    const auto m = this->size(), n = this->size();
    const auto a = this->general(this->operation(), m, n), b = this->general(this->operation(), m, n),
               c = this->general(CUBLAS_OP_N, m, n), d = this->general(CUBLAS_OP_N, m, n);
    const T alpha = this->factor(turn), beta = this->factor(turn + 1);
    auto wanted = c.memory;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) wanted[c.at(i, j)] = wide(alpha) * a(i, j) + wide(beta) * b(i, j);
    OnDevice<T> da(narrow<T>(a.memory)), db(narrow<T>(b.memory)), dc(narrow<T>(c.memory)), dd(narrow<T>(d.memory));
    ASSERT_EQ(geam<T>()(this->handle, a.t, b.t, int(m), int(n), &alpha, da.data(), int(a.ld), &beta, db.data(),
                        int(b.ld), dc.data(), int(c.ld)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dc.get(), wanted, kTolerance<T>, turn);
    const bool is_left = turn % 2 == 0;
    const auto x = this->steps(is_left ? m : n);
    wanted = c.memory;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) wanted[c.at(i, j)] = d(i, j) * x[is_left ? i : j];
    OnDevice<T> dx(narrow<T>(x.memory));
    dc.set(narrow<T>(c.memory));
    ASSERT_EQ(dgmm<T>()(this->handle, is_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, int(m), int(n), dd.data(),
                        int(d.ld), dx.data(), int(x.step), dc.data(), int(c.ld)),
              CUBLAS_STATUS_SUCCESS);
    expect_near(dc.get(), wanted, kTolerance<T>, turn);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
