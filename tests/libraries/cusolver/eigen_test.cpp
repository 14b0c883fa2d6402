// Eigenvalues: in order, with vectors that are orthogonal and fulfil the equation. The trace and the norm of the matrix
// hold the values where there are no vectors.
#include <numeric>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(syevd, syevd, heevd)
NVMLKIT_SOLVER(syevd_size, syevd_bufferSize, heevd_bufferSize)
NVMLKIT_SOLVER(syevj, syevj, heevj)
NVMLKIT_SOLVER(syevj_size, syevj_bufferSize, heevj_bufferSize)
NVMLKIT_SOLVER(syevj_batched, syevjBatched, heevjBatched)
NVMLKIT_SOLVER(syevj_batched_size, syevjBatched_bufferSize, heevjBatched_bufferSize)
NVMLKIT_SOLVER(syevdx, syevdx, heevdx)
NVMLKIT_SOLVER(sygvd, sygvd, hegvd)
NVMLKIT_SOLVER(sygvj, sygvj, hegvj)
NVMLKIT_SOLVER(sygvdx, sygvdx, hegvdx)

template <class T>
struct Eigen : testing::Test {};
TYPED_TEST_SUITE(Eigen, Scalars);

template <class R>
OnDevice<R> values_of(int n) {
  return OnDevice<R>(std::vector<R>(static_cast<std::size_t>(std::max(n, 1))));
}

// What defines them. `vectors` are columns.
template <class T>
void check_vectors(const Dense& a, const Dense& vectors, const std::vector<Real<T>>& values) {
  const int count = vectors.columns;
  const double most = tolerance<T>() * (1 + a.largest()) * std::max(a.rows, 1);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.begin() + count));
  EXPECT_LE(distance(vectors.adjoint() * vectors, identity(count, count)), most);
  EXPECT_LE(distance(a * vectors, vectors * diagonal(values, count, count)), most);
}
template <class T>
void check_values(const Dense& a, const std::vector<Real<T>>& values) {
  double trace = 0, norm = 0, sum = 0, squares = 0;
  for (int i = 0; i < a.rows; ++i) trace += a(i, i).real();
  for (const Number& x : a.numbers) norm += std::norm(x);
  for (int i = 0; i < a.rows; ++i) {
    const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, trace, tolerance<T>() * (1 + norm));
  EXPECT_NEAR(squares, norm, tolerance<T>() * (1 + norm) * 4);
}

// One triangle counts, and the other one may hold anything.
Dense with_rubbish(Dense a, bool is_lower) {
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (is_lower ? i < j : i > j) a(i, j) = 1e3;
  return a;
}

TYPED_TEST(Eigen, Syevd) {
  using T = TypeParam;
  Random random(20);
  for (int turn = 0; turn < 12; ++turn) {
    const int n = random.below(30), ld = n + 1 + random.below(3);
    const bool is_lower = turn % 2;
    const auto a = rounded<T>(random.hermitian<T>(n));
    const auto info = state();
    for (const auto job : {CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_NOVECTOR}) {
      const Stored<T> matrix(with_rubbish(a, is_lower), ld);
      const auto w = values_of<Real<T>>(n);
      int size = 0;
      ASSERT_EQ(syevd_size<T>()(solver(), job, fill_of(is_lower), n, matrix.data(), ld, w.as(), &size),
                CUSOLVER_STATUS_SUCCESS);
      const auto work = workspace<T>(size);
      ASSERT_EQ(syevd<T>()(solver(), job, fill_of(is_lower), n, matrix.data(), ld, w.as(), work.as(), size, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(read(info), 0);
      if (job == CUSOLVER_EIG_MODE_VECTOR) check_vectors<T>(a, matrix.get(), w.read());
      check_values<T>(a, w.read());
    }
  }
}

TYPED_TEST(Eigen, Jacobi) {
  using T = TypeParam;
  Random random(21);
  JacobiEigen* parameters = nullptr;
  ASSERT_EQ(library().cusolverDnCreateSyevjInfo(&parameters), CUSOLVER_STATUS_SUCCESS);
  for (int turn = 0; turn < 8; ++turn) {
    const int n = 1 + random.below(20), ld = n + random.below(3);
    const bool is_lower = turn % 2;
    const auto job = turn % 3 ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto a = rounded<T>(random.hermitian<T>(n));
    const Stored<T> matrix(with_rubbish(a, is_lower), ld);
    const auto w = values_of<Real<T>>(n);
    const auto info = state();
    int size = 0, sweeps = -1;
    double residual = -1;
    ASSERT_EQ(syevj_size<T>()(solver(), job, fill_of(is_lower), n, matrix.data(), ld, w.as(), &size, parameters),
              CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    ASSERT_EQ(syevj<T>()(solver(), job, fill_of(is_lower), n, matrix.data(), ld, w.as(), work.as(), size, info.as(),
                         parameters),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXsyevjGetResidual(solver(), parameters, &residual), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXsyevjGetSweeps(solver(), parameters, &sweeps), CUSOLVER_STATUS_SUCCESS);
    EXPECT_GE(sweeps, 0);
    EXPECT_GE(residual, 0);
    EXPECT_LE(residual, tolerance<T>() * 10 * n);
    if (n > 4) {
      EXPECT_GT(residual, 0) << "rounding leaves something";
    }
    ASSERT_EQ(read(info), 0);
    if (job == CUSOLVER_EIG_MODE_VECTOR) check_vectors<T>(a, matrix.get(), w.read());
    check_values<T>(a, w.read());
  }
  EXPECT_EQ(library().cusolverDnDestroySyevjInfo(parameters), CUSOLVER_STATUS_SUCCESS);
}

TYPED_TEST(Eigen, Batches) {
  using T = TypeParam;
  Random random(22);
  JacobiEigen* parameters = nullptr;
  ASSERT_EQ(library().cusolverDnCreateSyevjInfo(&parameters), CUSOLVER_STATUS_SUCCESS);
  for (int turn = 0; turn < 8; ++turn) {
    const int n = 1 + random.below(9), ld = n + random.below(3), count = 1 + random.below(5);
    const bool is_lower = turn % 2, has_types = turn % 4 > 1;
    std::vector<Dense> all;
    for (int i = 0; i < count; ++i) all.push_back(rounded<T>(random.hermitian<T>(n)));
    const Stored<T> matrices(all, ld);
    const auto w = values_of<Real<T>>(n * count);
    const OnDevice<int> infos(std::vector<int>(static_cast<std::size_t>(count), -77));
    const auto job = CUSOLVER_EIG_MODE_VECTOR;
    if (has_types) {
      const auto real = std::is_same_v<Real<T>, float> ? CUDA_R_32F : CUDA_R_64F;
      std::size_t device = 0, host = 1;
      ASSERT_EQ(library().cusolverDnXsyevBatched_bufferSize(solver(), nullptr, job, fill_of(is_lower), n, type_of<T>(),
                                                            matrices.data(), ld, real, w.as(), type_of<T>(), &device,
                                                            &host, count),
                CUSOLVER_STATUS_SUCCESS);
      EXPECT_GT(device, 0u);
      ASSERT_EQ(
          library().cusolverDnXsyevBatched(solver(), nullptr, job, fill_of(is_lower), n, type_of<T>(), matrices.data(),
                                           ld, real, w.as(), type_of<T>(), nullptr, 0, nullptr, 0, infos.as(), count),
          CUSOLVER_STATUS_SUCCESS);
    } else {
      int size = 0;
      ASSERT_EQ(syevj_batched_size<T>()(solver(), job, fill_of(is_lower), n, matrices.data(), ld, w.as(), &size,
                                        parameters, count),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(syevj_batched<T>()(solver(), job, fill_of(is_lower), n, matrices.data(), ld, w.as(), nullptr, size,
                                   infos.as(), parameters, count),
                CUSOLVER_STATUS_SUCCESS);
    }
    EXPECT_EQ(infos.read(), std::vector<int>(static_cast<std::size_t>(count), 0));
    const auto values = w.read();
    for (int i = 0; i < count; ++i)
      check_vectors<T>(all[static_cast<std::size_t>(i)], matrices.get(i),
                       {values.begin() + i * n, values.begin() + (i + 1) * n});
  }
  double residual = 0;
  int sweeps = 0;
  EXPECT_EQ(library().cusolverDnXsyevjGetResidual(solver(), parameters, &residual), CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(library().cusolverDnXsyevjGetSweeps(solver(), parameters, &sweeps), CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(library().cusolverDnDestroySyevjInfo(parameters), CUSOLVER_STATUS_SUCCESS);
}

// Of all eigenvalues, those that a range has.
template <class R>
std::vector<R> in_range(std::vector<R> all, cusolverEigRange_t range, R low, R high, int first, int last) {
  if (range == CUSOLVER_EIG_RANGE_I) return {all.begin() + first - 1, all.begin() + last};
  if (range == CUSOLVER_EIG_RANGE_V) std::erase_if(all, [=](R x) { return x <= low || x > high; });
  return all;
}

TYPED_TEST(Eigen, Ranges) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(23);
  for (int turn = 0; turn < 12; ++turn) {
    const int n = 3 + random.below(15), first = 1 + random.below(n), last = first + random.below(n - first + 1);
    const R low = static_cast<R>(-n) / 3, high = static_cast<R>(n) / 2;
    const auto range = turn % 3 == 0   ? CUSOLVER_EIG_RANGE_ALL
                       : turn % 3 == 1 ? CUSOLVER_EIG_RANGE_I
                                       : CUSOLVER_EIG_RANGE_V;
    const bool is_general = turn % 2;
    const auto a = rounded<T>(random.hermitian<T>(n)), b = rounded<T>(random.positive<T>(n));
    const auto info = state();
    const auto w = values_of<R>(n), every = values_of<R>(n);
    const Stored<T> matrix(a, n), metric(b, n), other(a, n), other_metric(b, n);
    int found = -1;
    const auto job = CUSOLVER_EIG_MODE_VECTOR;
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    if (is_general) {
      ASSERT_EQ(sygvdx<T>()(solver(), CUSOLVER_EIG_TYPE_1, job, range, fill, n, matrix.data(), n, metric.data(), n, low,
                            high, first, last, &found, w.as(), nullptr, 0, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(sygvd<T>()(solver(), CUSOLVER_EIG_TYPE_1, job, fill, n, other.data(), n, other_metric.data(), n,
                           every.as(), nullptr, 0, info.as()),
                CUSOLVER_STATUS_SUCCESS);
    } else {
      ASSERT_EQ(syevdx<T>()(solver(), job, range, fill, n, matrix.data(), n, low, high, first, last, &found, w.as(),
                            nullptr, 0, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(syevd<T>()(solver(), job, fill, n, other.data(), n, every.as(), nullptr, 0, info.as()),
                CUSOLVER_STATUS_SUCCESS);
    }
    const auto expected = in_range<R>(every.read(), range, low, high, first, last);
    ASSERT_EQ(found, static_cast<int>(expected.size()));
    const auto values = w.read();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values.begin()));
    const auto vectors = matrix.get().part(n, found);
    const auto right = is_general ? b * vectors : vectors;
    EXPECT_LE(distance(a * vectors, right * diagonal(values, found, found)), tolerance<T>() * 100 * n);
  }
}

TYPED_TEST(Eigen, General) {
  using T = TypeParam;
  Random random(24);
  JacobiEigen* parameters = nullptr;
  ASSERT_EQ(library().cusolverDnCreateSyevjInfo(&parameters), CUSOLVER_STATUS_SUCCESS);
  for (int turn = 0; turn < 12; ++turn) {
    const int n = 1 + random.below(15), ld = n + random.below(3);
    const bool is_lower = turn % 2;
    const auto kind = static_cast<cusolverEigType_t>(1 + turn % 3);
    const auto a = rounded<T>(random.hermitian<T>(n)), b = rounded<T>(random.positive<T>(n));
    const Stored<T> matrix(a, ld), metric(b, ld);
    const auto w = values_of<Real<T>>(n);
    const auto info = state();
    if (turn < 6)
      ASSERT_EQ(sygvd<T>()(solver(), kind, CUSOLVER_EIG_MODE_VECTOR, fill_of(is_lower), n, matrix.data(), ld,
                           metric.data(), ld, w.as(), nullptr, 0, info.as()),
                CUSOLVER_STATUS_SUCCESS);
    else
      ASSERT_EQ(sygvj<T>()(solver(), kind, CUSOLVER_EIG_MODE_VECTOR, fill_of(is_lower), n, matrix.data(), ld,
                           metric.data(), ld, w.as(), nullptr, 0, info.as(), parameters),
                CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto x = matrix.get();
    const auto values = diagonal(w.read(), n, n);
    const auto left = kind == CUSOLVER_EIG_TYPE_1 ? a * x : kind == CUSOLVER_EIG_TYPE_2 ? a * b * x : b * a * x;
    const auto right = kind == CUSOLVER_EIG_TYPE_1 ? b * x * values : x * values;
    EXPECT_LE(distance(left, right), tolerance<T>() * 100 * n * (1 + left.largest()));
    EXPECT_GT(x.largest(), 1e-4);
  }
  EXPECT_EQ(library().cusolverDnDestroySyevjInfo(parameters), CUSOLVER_STATUS_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
