// Systems of equations by factors of a lower precision: the solution has the digits of the main one.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

// The functions of a scalar for its lower precisions, the scalar itself first.
template <class T>
auto solvers() {
  const auto& l = library();
  if constexpr (std::is_same_v<T, float>)
    return std::vector{l.cusolverDnSSgesv, l.cusolverDnSHgesv, l.cusolverDnSBgesv, l.cusolverDnSXgesv};
  else if constexpr (std::is_same_v<T, double>)
    return std::vector{l.cusolverDnDDgesv, l.cusolverDnDSgesv, l.cusolverDnDHgesv, l.cusolverDnDBgesv,
                       l.cusolverDnDXgesv};
  else if constexpr (std::is_same_v<T, Complex>)
    return std::vector{l.cusolverDnCCgesv, l.cusolverDnCKgesv, l.cusolverDnCEgesv, l.cusolverDnCYgesv};
  else
    return std::vector{l.cusolverDnZZgesv, l.cusolverDnZCgesv, l.cusolverDnZKgesv, l.cusolverDnZEgesv,
                       l.cusolverDnZYgesv};
}

template <class T>
struct RefinedSolves : testing::Test {};
TYPED_TEST_SUITE(RefinedSolves, Scalars);

TYPED_TEST(RefinedSolves, HaveTheDigitsOfTheMainPrecision) {
  using T = TypeParam;
  Random random(1);
  for (const auto solve : solvers<T>())
    for (const int n : {0, 1, 7, 33}) {
      const int columns = 1 + random.below(3), ld = n + 2;
      auto a = random.matrix<T>(n, n);
      for (int i = 0; i < n; ++i) a(i, i) += 2.0 * n;  // far from singular
      a = rounded<T>(a);
      const auto x = random.matrix<T>(n, columns);
      const Stored<T> matrix(a, ld), right(a * x, ld), found(Dense(n, columns), ld);
      const OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(n) + 1));
      const auto info = state();
      int steps = -99;
      ASSERT_EQ(solve(solver(), n, columns, matrix.data(), ld, pivots.as(), right.data(), ld, found.data(), ld, nullptr,
                      0, &steps, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      EXPECT_EQ(read(info), 0);
      EXPECT_GE(steps, 0) << n;
      EXPECT_LE((found.get() - x).largest(), 20 * tolerance<T>()) << n;
      if (solve != solvers<T>().front()) {
        EXPECT_EQ((matrix.get() - a).largest(), 0) << "the matrix stays";
      }
    }
}

TYPED_TEST(RefinedSolves, LeastSquares) {
  using T = TypeParam;
  Random random(2);
  const int m = 20, n = 6, columns = 2;
  const auto a = rounded<T>(random.matrix<T>(m, n)), b = rounded<T>(random.matrix<T>(m, columns));
  const Stored<T> matrix(a, m), right(b, m), found(Dense(n, columns), n);
  const auto info = state();
  int steps = -99;
  const auto call = [&](int rows) {
    if constexpr (std::is_same_v<T, float>)
      return library().cusolverDnSSgels(solver(), rows, n, columns, matrix.data(), m, right.data(), m, found.data(), n,
                                        nullptr, 0, &steps, info.as());
    else if constexpr (std::is_same_v<T, double>)
      return library().cusolverDnDSgels(solver(), rows, n, columns, matrix.data(), m, right.data(), m, found.data(), n,
                                        nullptr, 0, &steps, info.as());
    else if constexpr (std::is_same_v<T, Complex>)
      return library().cusolverDnCCgels(solver(), rows, n, columns, matrix.data(), m, right.data(), m, found.data(), n,
                                        nullptr, 0, &steps, info.as());
    else
      return library().cusolverDnZCgels(solver(), rows, n, columns, matrix.data(), m, right.data(), m, found.data(), n,
                                        nullptr, 0, &steps, info.as());
  };
  ASSERT_EQ(call(m), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(read(info), 0);
  EXPECT_EQ(steps, 0);
  EXPECT_LE((a.adjoint() * (b - a * found.get())).largest(), 50 * tolerance<T>());
  EXPECT_EQ(call(n - 1), CUSOLVER_STATUS_INVALID_VALUE);
}

// Factors of float do not help a matrix as bad as this one.
TEST(Refinement, FallsBackToTheMainPrecision) {
  const int n = 10;
  Dense a(n, n), ones(n, 1);
  for (int i = 0; i < n; ++i) {
    ones(i, 0) = 1;
    for (int j = 0; j < n; ++j) a(i, j) = 1.0 / (i + j + 1);  // of Hilbert
  }
  a = rounded<double>(a);
  const auto b = rounded<double>(a * ones);
  const Stored<double> matrix(a, n), right(b, n), found(Dense(n, 1), n);
  const OnDevice<int> pivots{std::vector<int>(n)};
  const auto info = state();
  int steps = 0;
  ASSERT_EQ(library().cusolverDnDHgesv(solver(), n, 1, matrix.data(), n, pivots.as(), right.data(), n, found.data(), n,
                                       nullptr, 0, &steps, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_LT(steps, 0);
  EXPECT_EQ(read(info), 0);
  EXPECT_LE((b - a * found.get()).largest(), 1e-13);
  EXPECT_GT((matrix.get() - a).largest(), 0) << "its factors are there";
}

TEST(Refinement, ASingularMatrixIsFound) {
  const Stored<double> matrix(Dense(3, 3), 3), right(identity(3, 1), 3), found(Dense(3, 1), 3);
  const auto info = state();
  int steps = 0;
  ASSERT_EQ(library().cusolverDnDSgesv(solver(), 3, 1, matrix.data(), 3, nullptr, right.data(), 3, found.data(), 3,
                                       nullptr, 0, &steps, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(steps, -3);
  EXPECT_EQ(read(info), 1);
}

// 1e6 is no number of half: the factors would be infinite.
TEST(Refinement, WhatTheLowerPrecisionDoesNotHoldIsFactoredInTheMainOne) {
  const int n = 3;
  auto a = identity(n, n);
  for (auto& x : a.numbers) x *= 1e6;
  const Stored<float> matrix(a, n), right(a, n), found(Dense(n, n), n);
  const auto info = state();
  int steps = 0;
  ASSERT_EQ(library().cusolverDnSHgesv(solver(), n, n, matrix.data(), n, nullptr, right.data(), n, found.data(), n,
                                       nullptr, 0, &steps, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(steps, -2);
  EXPECT_EQ(read(info), 0);
  EXPECT_EQ((found.get() - identity(n, n)).largest(), 0);
}

TEST(Refinement, SettingsChooseThePrecisions) {
  auto& l = library();
  RefinementSettings* settings = nullptr;
  RefinementResults* results = nullptr;
  ASSERT_EQ(l.cusolverDnIRSParamsCreate(&settings), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(l.cusolverDnIRSInfosCreate(&results), CUSOLVER_STATUS_SUCCESS);
  const Stored<Complex> matrix(identity(4, 4), 4), right(identity(4, 1), 4), found(Dense(4, 1), 4);
  const auto info = state();
  int steps = -99, told = -99;
  const auto solve = [&](RefinementSettings* how, RefinementResults* to) {
    return l.cusolverDnIRSXgesv(solver(), how, to, 4, 1, matrix.data(), 4, right.data(), 4, found.data(), 4, nullptr, 0,
                                &steps, info.as());
  };
  std::size_t bytes = 0;
  EXPECT_EQ(solve(nullptr, results), CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  EXPECT_EQ(solve(settings, results), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
  EXPECT_EQ(l.cusolverDnIRSParamsSetTol(settings, 1e-6), CUSOLVER_STATUS_INVALID_VALUE) << "the precision comes first";
  EXPECT_EQ(l.cusolverDnIRSParamsSetSolverPrecisions(settings, CUSOLVER_C_32F, CUSOLVER_R_16F),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(solve(settings, results), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC) << "a real one";
  EXPECT_EQ(l.cusolverDnIRSParamsSetSolverLowestPrecision(settings, CUSOLVER_C_64F), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(solve(settings, results), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC) << "a wider one";
  EXPECT_EQ(l.cusolverDnIRSParamsSetSolverLowestPrecision(settings, CUSOLVER_C_16F), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(solve(settings, results), CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE);
  EXPECT_EQ(l.cusolverDnIRSParamsSetRefinementSolver(settings, CUSOLVER_IRS_REFINE_GMRES), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(solve(settings, nullptr), CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  EXPECT_EQ(l.cusolverDnIRSXgesv_bufferSize(solver(), settings, 4, 1, &bytes), CUSOLVER_STATUS_SUCCESS);
  EXPECT_GT(bytes, 0u);
  ASSERT_EQ(solve(settings, results), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(read(info), 0);
  EXPECT_EQ(l.cusolverDnIRSInfosGetNiters(results, &told), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(told, steps);
  EXPECT_EQ((found.get() - identity(4, 1)).largest(), 0);
  EXPECT_EQ(l.cusolverDnIRSParamsSetMaxIters(settings, 0), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(solve(settings, results), CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER);
  EXPECT_EQ(l.cusolverDnIRSInfosDestroy(results), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(l.cusolverDnIRSParamsDestroy(settings), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(l.cusolverDnIRSParamsDestroy(nullptr), CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
}

// The norms of the residual, of a solve that the results keep them for.
template <class T>
struct History : testing::Test {};
TYPED_TEST_SUITE(History, Scalars);

TYPED_TEST(History, HasTheNormOfEachStep) {
  using T = TypeParam;
  using Real = decltype(std::abs(T{}));
  constexpr bool kIsWide = sizeof(Real) == 8, kIsComplex = sizeof(T) != sizeof(Real);
  const auto main = kIsComplex ? (kIsWide ? CUSOLVER_C_64F : CUSOLVER_C_32F)
                    : kIsWide  ? CUSOLVER_R_64F
                               : CUSOLVER_R_32F;
  auto& l = library();
  Random random(3);
  for (const auto lowest : {main, kIsComplex ? CUSOLVER_C_16F : CUSOLVER_R_16F})
    for (const int n : {1, 5, 24}) {
      RefinementSettings* settings = nullptr;
      RefinementResults* results = nullptr;
      ASSERT_EQ(l.cusolverDnIRSParamsCreate(&settings), CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(l.cusolverDnIRSInfosCreate(&results), CUSOLVER_STATUS_SUCCESS);
      l.cusolverDnIRSParamsSetSolverPrecisions(settings, main, lowest);
      l.cusolverDnIRSParamsSetRefinementSolver(settings, CUSOLVER_IRS_REFINE_CLASSICAL);
      void* found = nullptr;
      EXPECT_EQ(l.cusolverDnIRSInfosGetResidualHistory(results, &found), CUSOLVER_STATUS_INVALID_VALUE);
      ASSERT_EQ(l.cusolverDnIRSInfosRequestResidual(results), CUSOLVER_STATUS_SUCCESS);
      auto a = random.matrix<T>(n, n);
      for (int i = 0; i < n; ++i) a(i, i) += 2.0 * n;
      a = rounded<T>(a);
      const auto b = rounded<T>(random.matrix<T>(n, 2));
      const Stored<T> matrix(a, n), right(b, n), solution(Dense(n, 2), n);
      const auto info = state();
      int steps = -1, most = -1;
      ASSERT_EQ(l.cusolverDnIRSXgesv(solver(), settings, results, n, 2, matrix.data(), n, right.data(), n,
                                     solution.data(), n, nullptr, 0, &steps, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(l.cusolverDnIRSInfosGetMaxIters(results, &most), CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(l.cusolverDnIRSInfosGetResidualHistory(results, &found), CUSOLVER_STATUS_SUCCESS);
      ASSERT_GE(steps, 0);
      const auto* const counts = static_cast<const Real*>(found);
      const auto* const norms = counts + most + 1;
      for (int i = 0; i <= steps; ++i) EXPECT_EQ(counts[i], i);
      for (int i = 1; i <= steps; ++i) EXPECT_LT(norms[i], norms[i - 1]) << "of these matrices, each step gains";
      if (lowest != main && n > 1) {
        EXPECT_GT(steps, 0);
      }
      // Rounded in a product of another order.
      EXPECT_NEAR(norms[steps], (b - a * solution.get()).largest(), 100 * n * tolerance<T>());
      EXPECT_EQ(l.cusolverDnIRSInfosDestroy(results), CUSOLVER_STATUS_SUCCESS);
      EXPECT_EQ(l.cusolverDnIRSParamsDestroy(settings), CUSOLVER_STATUS_SUCCESS);
    }
}

}  // namespace
}  // namespace nvmlkit::library_test
