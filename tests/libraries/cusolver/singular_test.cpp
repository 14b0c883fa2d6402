// Singular values: in order, not negative; orthogonal vectors that give the matrix again.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(gesvd, gesvd, gesvd)
NVMLKIT_SOLVER(gesvd_size, gesvd_bufferSize, gesvd_bufferSize)
NVMLKIT_SOLVER(gesvdj, gesvdj, gesvdj)
NVMLKIT_SOLVER(gesvdj_size, gesvdj_bufferSize, gesvdj_bufferSize)
NVMLKIT_SOLVER(gesvdj_batched, gesvdjBatched, gesvdjBatched)
NVMLKIT_SOLVER(gesvda, gesvdaStridedBatched, gesvdaStridedBatched)

template <class T>
struct Singular : testing::Test {};
TYPED_TEST_SUITE(Singular, Scalars);

// A = U S V^H. U and V may be of full size, or of as many columns as singular values.
template <class T>
void check_singular(const Dense& a, const Dense& u, const std::vector<Real<T>>& s, const Dense& v) {
  const double most = tolerance<T>() * std::max(a.rows, a.columns) * 2;
  const int least = std::min(a.rows, a.columns);
  for (int i = 0; i < least; ++i) {
    EXPECT_GE(s[static_cast<std::size_t>(i)], 0);
    if (i > 0) {
      EXPECT_LE(s[static_cast<std::size_t>(i)], s[static_cast<std::size_t>(i - 1)]);
    }
  }
  EXPECT_LE(distance(u.adjoint() * u, identity(u.columns, u.columns)), most);
  EXPECT_LE(distance(v.adjoint() * v, identity(v.columns, v.columns)), most);
  EXPECT_LE(distance(u * diagonal(s, u.columns, v.columns) * v.adjoint(), a), most);
}
// Without vectors: the squares of the values are the norm of the matrix.
template <class T>
void check_norm(const Dense& a, const std::vector<Real<T>>& s) {
  double norm = 0, squares = 0;
  for (const Number& x : a.numbers) norm += std::norm(x);
  for (int i = 0; i < std::min(a.rows, a.columns); ++i) {
    const auto value = static_cast<double>(s[static_cast<std::size_t>(i)]);
    squares += value * value;
  }
  EXPECT_NEAR(squares, norm, tolerance<T>() * 10 * (1 + norm));
}

template <class T>
OnDevice<Real<T>> values_for(int count) {
  return OnDevice<Real<T>>(std::vector<Real<T>>(static_cast<std::size_t>(std::max(count, 1))));
}

TYPED_TEST(Singular, Gesvd) {
  using T = TypeParam;
  Random random(30);
  for (int turn = 0; turn < 16; ++turn) {
    const int n = 1 + random.below(15), m = n + random.below(10), ld = m + random.below(3);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld), u(Dense(m, m), ld), vt(Dense(n, n), n + 1);
    const auto s = values_for<T>(n), rest = values_for<T>(n);
    const auto info = state();
    int size = 0;
    ASSERT_EQ(gesvd_size<T>()(solver(), m, n, &size), CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    const char left = "ASON"[turn % 4], right = "ASAN"[turn / 4];
    ASSERT_EQ(gesvd<T>()(solver(), static_cast<signed char>(left), static_cast<signed char>(right), m, n, matrix.data(),
                         ld, s.as(), u.data(), ld, vt.data(), n + 1, work.as(), size, rest.as(), info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    check_norm<T>(a, s.read());
    if (left == 'N' || right == 'N') continue;
    const auto whole = u.get();
    check_singular<T>(a,
                      left == 'A'   ? whole
                      : left == 'S' ? whole.part(m, n)
                                    : matrix.get(),
                      s.read(), vt.get().adjoint());
  }
}

TYPED_TEST(Singular, Jacobi) {
  using T = TypeParam;
  Random random(31);
  JacobiSingular* parameters = nullptr;
  ASSERT_EQ(library().cusolverDnCreateGesvdjInfo(&parameters), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverDnXgesvdjSetTolerance(parameters, 1e-7), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverDnXgesvdjSetMaxSweeps(parameters, 15), CUSOLVER_STATUS_SUCCESS);
  for (int turn = 0; turn < 16; ++turn) {
    const int m = 1 + random.below(20), n = 1 + random.below(20), least = std::min(m, n), ld = m + random.below(3);
    const bool is_thin = turn % 2;
    const int columns_u = is_thin ? least : m, columns_v = is_thin ? least : n;
    const auto job = turn % 5 ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld), u(Dense(m, columns_u), ld), v(Dense(n, columns_v), n + 1);
    const auto s = values_for<T>(least);
    const auto info = state();
    int size = 0;
    ASSERT_EQ(gesvdj_size<T>()(solver(), job, is_thin, m, n, matrix.data(), ld, s.as(), u.data(), ld, v.data(), n + 1,
                               &size, parameters),
              CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    ASSERT_EQ(gesvdj<T>()(solver(), job, is_thin, m, n, matrix.data(), ld, s.as(), u.data(), ld, v.data(), n + 1,
                          work.as(), size, info.as(), parameters),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    double residual = -1;
    ASSERT_EQ(library().cusolverDnXgesvdjGetResidual(solver(), parameters, &residual), CUSOLVER_STATUS_SUCCESS);
    EXPECT_GE(residual, 0);
    EXPECT_LE(residual, tolerance<T>() * 10 * std::max(m, n));
    check_norm<T>(a, s.read());
    if (job == CUSOLVER_EIG_MODE_VECTOR) check_singular<T>(a, u.get(), s.read(), v.get());
  }
  EXPECT_EQ(library().cusolverDnDestroyGesvdjInfo(parameters), CUSOLVER_STATUS_SUCCESS);
}

TYPED_TEST(Singular, BatchesOfJacobi) {
  using T = TypeParam;
  Random random(32);
  JacobiSingular* parameters = nullptr;
  ASSERT_EQ(library().cusolverDnCreateGesvdjInfo(&parameters), CUSOLVER_STATUS_SUCCESS);
  for (int turn = 0; turn < 8; ++turn) {
    const int m = 1 + random.below(9), n = 1 + random.below(9), count = 1 + random.below(4), ld = m + random.below(3);
    const std::ptrdiff_t least = std::min(m, n);
    std::vector<Dense> all, us, vs;
    for (int i = 0; i < count; ++i) {
      all.push_back(rounded<T>(random.matrix<T>(m, n)));
      us.emplace_back(m, m);
      vs.emplace_back(n, n);
    }
    const Stored<T> matrices(all, ld), u(us, ld), v(vs, n + 2);
    const auto s = values_for<T>(static_cast<int>(least) * count);
    const OnDevice<int> infos(std::vector<int>(static_cast<std::size_t>(count), -77));
    ASSERT_EQ(gesvdj_batched<T>()(solver(), CUSOLVER_EIG_MODE_VECTOR, m, n, matrices.data(), ld, s.as(), u.data(), ld,
                                  v.data(), n + 2, nullptr, 0, infos.as(), parameters, count),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(infos.read(), std::vector<int>(static_cast<std::size_t>(count), 0));
    const auto values = s.read();
    for (int i = 0; i < count; ++i)
      check_singular<T>(all[static_cast<std::size_t>(i)], u.get(i),
                        {values.begin() + i * least, values.begin() + (i + 1) * least}, v.get(i));
  }
  EXPECT_EQ(library().cusolverDnDestroyGesvdjInfo(parameters), CUSOLVER_STATUS_SUCCESS);
}

TYPED_TEST(Singular, StridedBatches) {
  using T = TypeParam;
  Random random(33);
  for (int turn = 0; turn < 10; ++turn) {
    const int n = 1 + random.below(9), m = n + random.below(9), count = 1 + random.below(4), ld = m + random.below(3);
    const int rank = turn % 2 ? n : 1 + random.below(n);
    std::vector<Dense> all, us, vs;
    for (int i = 0; i < count; ++i) {
      all.push_back(rounded<T>(random.matrix<T>(m, n)));
      us.emplace_back(m, rank);
      vs.emplace_back(n, rank);
    }
    const Stored<T> matrices(all, ld), u(us, ld), v(vs, n + 1);
    const auto s = values_for<T>((rank + 1) * count);
    const OnDevice<int> infos(std::vector<int>(static_cast<std::size_t>(count), -77));
    std::vector<double> norms(static_cast<std::size_t>(count), -1);
    ASSERT_EQ(gesvda<T>()(solver(), CUSOLVER_EIG_MODE_VECTOR, rank, m, n, matrices.data(), ld, ld * n, s.as(), rank + 1,
                          u.data(), ld, ld * rank, v.data(), n + 1, (n + 1) * rank, nullptr, 0, infos.as(),
                          norms.data(), count),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(infos.read(), std::vector<int>(static_cast<std::size_t>(count), 0));
    const auto values = s.read();
    for (int i = 0; i < count; ++i) {
      const auto& a = all[static_cast<std::size_t>(i)];
      const auto begin = values.begin() + i * (rank + 1);
      const std::vector<Real<T>> own(begin, begin + rank);
      if (rank == n) check_singular<T>(a, u.get(i), own, v.get(i));
      EXPECT_EQ(distance(matrices.get(i), a), 0) << "the matrix is changed";
      double missing = 0;
      for (const Number& x : (a - u.get(i) * diagonal(own, rank, rank) * v.get(i).adjoint()).numbers)
        missing += std::norm(x);
      EXPECT_NEAR(norms[static_cast<std::size_t>(i)], std::sqrt(missing), tolerance<T>() * 10 * m);
    }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
