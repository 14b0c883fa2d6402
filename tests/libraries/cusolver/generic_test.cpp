// The functions with data types as arguments and 64-bit sizes.
#include "generic.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(reflectors_of, geqrf, geqrf)

TYPED_TEST_SUITE(Generic, Scalars);

TYPED_TEST(Generic, Systems) {
  using T = TypeParam;
  Random random(40);
  for (int turn = 0; turn < 6; ++turn) {
    const int n = 1 + random.below(20), ld = n + random.below(3), columns = 1 + random.below(3);
    const auto a = rounded<T>(random.positive<T>(n)), x = random.matrix<T>(n, columns);
    const auto info = state();
    const double most = tolerance<T>() * 100 * n * (1 + a.largest());
    std::size_t device = 0, host = 77;
    {
      const Stored<T> factor(a, ld), right(a * x, ld);
      const auto fill = fill_of(turn % 2);
      ASSERT_EQ(library().cusolverDnXpotrf_bufferSize(solver(), this->parameters, fill, n, this->type, factor.data(),
                                                      ld, this->type, &device, &host),
                CUSOLVER_STATUS_SUCCESS);
      EXPECT_EQ(host, 0u);
      const OnDevice<char> work(std::vector<char>(device, 0));
      ASSERT_EQ(library().cusolverDnXpotrf(solver(), this->parameters, fill, n, this->type, factor.data(), ld,
                                           this->type, work.as(), device, nullptr, host, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(library().cusolverDnXpotrs(solver(), this->parameters, fill, n, columns, this->type, factor.data(), ld,
                                           this->type, right.data(), ld, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(read(info), 0);
      EXPECT_LE(distance(a * right.get(), a * x), most);
    }
    for (const bool has_pivots : {true, false}) {
      const Stored<T> factor(a, ld), right(a * x, ld);
      const OnDevice<std::int64_t> pivots(std::vector<std::int64_t>(static_cast<std::size_t>(n)));
      auto* const own = has_pivots ? pivots.as() : nullptr;
      ASSERT_EQ(library().cusolverDnXgetrf_bufferSize(solver(), this->parameters, n, n, this->type, factor.data(), ld,
                                                      this->type, &device, &host),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(library().cusolverDnXgetrf(solver(), this->parameters, n, n, this->type, factor.data(), ld, own,
                                           this->type, nullptr, device, nullptr, host, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(library().cusolverDnXgetrs(solver(), this->parameters, CUBLAS_OP_N, n, columns, this->type,
                                           factor.data(), ld, own, this->type, right.data(), ld, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(read(info), 0);
      EXPECT_LE(distance(a * right.get(), a * x), most);
    }
  }
}

TYPED_TEST(Generic, Triangles) {
  using T = TypeParam;
  Random random(41);
  for (int turn = 0; turn < 8; ++turn) {
    const int n = 1 + random.below(12), ld = n + random.below(3);
    const bool is_lower = turn % 2, is_unit = turn % 4 > 1;
    auto a = random.matrix<T>(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = is_unit ? Number(kGap) : a(i, i) + 3.0;
    a = rounded<T>(a);
    const Stored<T> matrix(a, ld);
    const auto info = state();
    std::size_t device = 0, host = 77;
    const auto diag = is_unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    ASSERT_EQ(library().cusolverDnXtrtri_bufferSize(solver(), fill_of(is_lower), diag, n, this->type, matrix.data(), ld,
                                                    &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXtrtri(solver(), fill_of(is_lower), diag, n, this->type, matrix.data(), ld, nullptr,
                                         device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto triangle = [&](const Dense& of) {
      auto out = is_lower ? of.lower() : of.upper();
      for (int i = 0; i < n && is_unit; ++i) out(i, i) = 1;
      return out;
    };
    const auto inverse = triangle(matrix.get());
    EXPECT_LE(distance(triangle(a) * inverse, identity(n, n)), tolerance<T>() * 100 * (1 + inverse.largest()));
  }
}

TYPED_TEST(Generic, QrAndItsTriangle) {
  using T = TypeParam;
  Random random(42);
  for (int turn = 0; turn < 6; ++turn) {
    const int k = 1 + random.below(8), n = k + random.below(8), ld = n + random.below(3);
    const auto a = rounded<T>(random.matrix<T>(n, k));
    const Stored<T> factor(a, ld), triangle(Dense(k, k), k), other(a, ld);
    const OnDevice<T> tau(std::vector<T>(static_cast<std::size_t>(k))),
        other_tau(std::vector<T>(static_cast<std::size_t>(k)));
    const auto info = state();
    std::size_t device = 0, host = 77;
    ASSERT_EQ(library().cusolverDnXgeqrf_bufferSize(solver(), this->parameters, n, k, this->type, factor.data(), ld,
                                                    this->type, tau.as(), this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXgeqrf(solver(), this->parameters, n, k, this->type, factor.data(), ld, this->type,
                                         tau.as(), this->type, nullptr, device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    ASSERT_EQ(reflectors_of<T>()(solver(), n, k, other.data(), ld, other_tau.as(), nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(distance(factor.get(), other.get()), 0);
    EXPECT_EQ(tau.read(), other_tau.read());
    ASSERT_EQ(library().cusolverDnXlarft_bufferSize(
                  solver(), this->parameters, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n, k, this->type,
                  factor.data(), ld, this->type, tau.as(), this->type, triangle.data(), k, this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXlarft(solver(), this->parameters, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n,
                                         k, this->type, factor.data(), ld, this->type, tau.as(), this->type,
                                         triangle.data(), k, this->type, nullptr, device, nullptr, host),
              CUSOLVER_STATUS_SUCCESS);
    // Q = I - V T V^H, and Q^H A = R.
    const auto found = factor.get();
    const auto v = found.only([](int i, int j) { return i > j; }) + identity(n, k);
    const auto q = identity(n, n) - v * triangle.get().upper() * v.adjoint();
    EXPECT_LE(distance(q.adjoint() * a, found.upper()), tolerance<T>() * 4 * n);
  }
}

TYPED_TEST(Generic, SymmetricEigenvalues) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(43);
  for (int turn = 0; turn < 6; ++turn) {
    const int n = 3 + random.below(15), ld = n + random.below(3);
    const auto a = rounded<T>(random.hermitian<T>(n));
    const Stored<T> matrix(a, ld), some(a, ld);
    const OnDevice<R> w(std::vector<R>(static_cast<std::size_t>(n))),
        some_w(std::vector<R>(static_cast<std::size_t>(n)));
    const auto info = state();
    const auto fill = fill_of(turn % 2);
    const auto job = CUSOLVER_EIG_MODE_VECTOR;
    std::size_t device = 0, host = 77;
    ASSERT_EQ(library().cusolverDnXsyevd_bufferSize(solver(), this->parameters, job, fill, n, this->type, matrix.data(),
                                                    ld, this->kReal, w.as(), this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXsyevd(solver(), this->parameters, job, fill, n, this->type, matrix.data(), ld,
                                         this->kReal, w.as(), this->type, nullptr, device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto x = matrix.get();
    EXPECT_LE(distance(a * x, x * diagonal(w.read(), n, n)), tolerance<T>() * 10 * n);
    EXPECT_LE(distance(x.adjoint() * x, identity(n, n)), tolerance<T>() * 10 * n);
    R low = -1, high = 2;
    std::int64_t found = -1;
    ASSERT_EQ(library().cusolverDnXsyevdx(solver(), this->parameters, job, CUSOLVER_EIG_RANGE_V, fill, n, this->type,
                                          some.data(), ld, &low, &high, 0, 0, &found, this->kReal, some_w.as(),
                                          this->type, nullptr, device, nullptr, host, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    const auto all = w.read(), own = some_w.read();
    const auto is_within = [&](R value) { return value > low && value <= high; };
    ASSERT_EQ(found, std::count_if(all.begin(), all.end(), is_within));
    EXPECT_TRUE(std::all_of(own.begin(), own.begin() + found, is_within));
    const int count = static_cast<int>(found);
    const auto vectors = some.get().part(n, count);
    EXPECT_LE(distance(a * vectors, vectors * diagonal(own, count, count)), tolerance<T>() * 10 * n);
  }
}

// Vectors of a real matrix: pairs of columns, real and imaginary part, for conjugate eigenvalues.
Dense unpacked(const Dense& packed, const std::vector<Number>& values, bool is_packed) {
  Dense out = packed;
  for (int j = 0; is_packed && j < out.columns; ++j) {
    if (values[static_cast<std::size_t>(j)].imag() == 0) continue;
    for (int i = 0; i < out.rows; ++i) {
      const Number x = packed(i, j), y = packed(i, j + 1) * Number(0, 1);
      out(i, j) = x + y;
      out(i, j + 1) = x - y;
    }
    ++j;
  }
  return out;
}

TYPED_TEST(Generic, Eigenvalues) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(44);
  const bool is_real = std::is_floating_point_v<T>;
  const auto complex = std::is_same_v<R, float> ? CUDA_C_32F : CUDA_C_64F;
  for (int turn = 0; turn < 8; ++turn) {
    const int n = 1 + random.below(15), ld = n + random.below(3);
    const bool is_split = is_real && turn % 2;  // W: the imaginary parts behind the real ones
    const auto w_type = is_split ? this->kReal : complex;
    const auto a = rounded<T>(random.matrix<T>(n, n));
    const Stored<T> matrix(a, ld), vectors(Dense(n, n), ld);
    const OnDevice<R> w(std::vector<R>(static_cast<std::size_t>(2 * n)));
    const auto info = state();
    std::size_t device = 0, host = 77;
    ASSERT_EQ(library().cusolverDnXgeev_bufferSize(solver(), this->parameters, CUSOLVER_EIG_MODE_NOVECTOR,
                                                   CUSOLVER_EIG_MODE_VECTOR, n, this->type, matrix.data(), ld, w_type,
                                                   w.as(), this->type, nullptr, 1, this->type, vectors.data(), ld,
                                                   this->type, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(
        library().cusolverDnXgeev(solver(), this->parameters, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n,
                                  this->type, matrix.data(), ld, w_type, w.as(), this->type, nullptr, 1, this->type,
                                  vectors.data(), ld, this->type, nullptr, device, nullptr, host, info.as()),
        CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto parts = w.read();
    std::vector<Number> values;
    Dense spectrum(n, n);
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int k) { return static_cast<double>(parts[static_cast<std::size_t>(k)]); };
      values.push_back(is_split ? Number(at(i), at(n + i)) : Number(at(2 * i), at(2 * i + 1)));
      spectrum(i, i) = values.back();
    }
    const auto x = unpacked(vectors.get(), values, is_real);
    EXPECT_LE(distance(a * x, x * spectrum), tolerance<T>() * 10 * n);
    for (int j = 0; j < n; ++j) {
      double norm = 0;
      for (int i = 0; i < n; ++i) norm += std::norm(x(i, j));
      EXPECT_NEAR(norm, 1, tolerance<T>() * n);
    }
  }
}

TYPED_TEST(Generic, TypesThatDoNotFit) {
  using T = TypeParam;
  const Stored<T> matrix(identity(4, 4), 4);
  const auto info = state();
  const auto other = this->type == CUDA_R_32F ? CUDA_R_64F : CUDA_R_32F;
  std::size_t device = 0, host = 0;
  for (const auto wrong : {other, CUDA_R_16F, static_cast<cudaDataType>(1234)}) {
    EXPECT_EQ(library().cusolverDnXpotrf_bufferSize(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, 4, wrong, matrix.data(),
                                                    4, this->type, &device, &host),
              CUSOLVER_STATUS_INVALID_VALUE);
    EXPECT_EQ(library().cusolverDnXpotrf(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, 4, this->type, matrix.data(), 4,
                                         wrong, nullptr, 0, nullptr, 0, info.as()),
              CUSOLVER_STATUS_INVALID_VALUE);
  }
  EXPECT_EQ(library().cusolverDnXpotrf(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_16F, matrix.data(), 4,
                                       CUDA_R_16F, nullptr, 0, nullptr, 0, info.as()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(
      library().cusolverDnXpotrf(solver(), nullptr, CUBLAS_FILL_MODE_LOWER, std::int64_t{1} << 40, this->type,
                                 matrix.data(), std::int64_t{1} << 40, this->type, nullptr, 0, nullptr, 0, info.as()),
      CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(read(info), -77);
}

}  // namespace
}  // namespace nvmlkit::library_test
