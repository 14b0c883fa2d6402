// Factors of sparse matrices that a program keeps, and those that cuSolverRf makes again.
#include <array>
#include <cstdlib>

#include "sparse_lu.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(KeptFactors, OfGeneralMatricesGiveTheMatrixAgain) {
  Random random(70);
  for (const int n : {1, 2, 9, 40}) {
    const auto a = sparse_matrix(random, n, n > 1);
    const Lu lu(a);
    EXPECT_LE(distance((lu.lower.dense() + identity(n, n)) * lu.upper.dense(), lu.turned(a)), 1e-12);
  }
}

// One of cuSolverRf's handles, with the factors of a matrix.
struct Again {
  Refactorization* rf = nullptr;
  int n;
  bool by_columns;
  OnDevice<int> p, q;

  Again(const Dense& a, const Lu& lu, bool turned, bool upper_has_ones, bool stores_ones, bool on_device)
      : n(a.rows), by_columns(turned), p(lu.p), q(lu.q) {
    EXPECT_EQ(library().cusolverRfCreate(&rf), CUSOLVER_STATUS_SUCCESS);
    const auto unit = (stores_ones ? 0 : 2) + (upper_has_ones ? 1 : 0);
    EXPECT_EQ(
        library().cusolverRfSetMatrixFormat(rf, turned ? CUSOLVERRF_MATRIX_FORMAT_CSC : CUSOLVERRF_MATRIX_FORMAT_CSR,
                                            static_cast<cusolverRfUnitDiagonal_t>(unit)),
        CUSOLVER_STATUS_SUCCESS);
    auto lower = lu.lower.dense() + identity(n, n), upper = lu.upper.dense();
    if (upper_has_ones)
      for (int i = 0; i < n; ++i) {
        const Number pivot = upper(i, i);
        for (int j = 0; j < n; ++j) upper(i, j) /= pivot, lower(j, i) *= pivot;
      }
    auto& with_ones = upper_has_ones ? upper : lower;
    if (!stores_ones) with_ones = with_ones.only([](int i, int j) { return i != j; });
    Arrays m(a, turned), l(lower, turned), u(upper, turned);
    auto order = lu.p, columns = lu.q;
    if (!on_device) {
      EXPECT_EQ(library().cusolverRfSetupHost(n, m.count(), m.offsets.data(), m.indices.data(), m.values.data(),
                                              l.count(), l.offsets.data(), l.indices.data(), l.values.data(), u.count(),
                                              u.offsets.data(), u.indices.data(), u.values.data(), order.data(),
                                              columns.data(), rf),
                CUSOLVER_STATUS_SUCCESS);
    } else {
      const OnDevice<int> mo(m.offsets), mi(m.indices), lo(l.offsets), li(l.indices), uo(u.offsets), ui(u.indices);
      const OnDevice<double> mv(m.values), lv(l.values), uv(u.values);
      EXPECT_EQ(library().cusolverRfSetupDevice(n, m.count(), mo.as(), mi.as(), mv.as(), l.count(), lo.as(), li.as(),
                                                lv.as(), u.count(), uo.as(), ui.as(), uv.as(), p.as(), q.as(), rf),
                CUSOLVER_STATUS_SUCCESS);
    }
  }
  ~Again() { EXPECT_EQ(library().cusolverRfDestroy(rf), CUSOLVER_STATUS_SUCCESS); }

  cusolverStatus_t reset(const Dense& a) {
    const Arrays m(a, by_columns);
    const OnDevice<int> offsets(m.offsets), indices(m.indices);
    const OnDevice<double> values(m.values);
    return library().cusolverRfResetValues(n, m.count(), offsets.as(), indices.as(), values.as(), p.as(), q.as(), rf);
  }
  // |A x - b| for the solution of random b
  double residual(const Dense& a, Random& random) {
    const auto b = random.matrix<double>(n, 1);
    std::vector<double> numbers;
    for (const auto& x : b.numbers) numbers.push_back(x.real());
    const OnDevice<double> x(numbers), spare(numbers);
    EXPECT_EQ(library().cusolverRfSolve(rf, p.as(), q.as(), 1, spare.as(), n, x.as(), n), CUSOLVER_STATUS_SUCCESS);
    Dense solution(n, 1);
    const auto found = x.read();
    for (int i = 0; i < n; ++i) solution(i, 0) = found[place(i)];
    Dense exact(n, 1);
    for (int i = 0; i < n; ++i) exact(i, 0) = numbers[place(i)];
    return distance(a * solution, exact);
  }
};

TEST(Refactorization, SolvesWithOtherNumbers) {
  Random random(71);
  for (int round = 0; round < 16; ++round) {
    const int n = 1 + random.below(40);
    const auto a = sparse_matrix(random, n, n > 1), b = changed(random, a);
    const Lu lu(a);
    Again again(a, lu, (round & 1) != 0, (round & 2) != 0, (round & 4) != 0, (round & 8) != 0);
    EXPECT_LE(again.residual(a, random), 1e-10) << "round " << round;                  // the factors of the setup
    EXPECT_EQ(library().cusolverRfRefactor(again.rf), CUSOLVER_STATUS_INVALID_VALUE);  // not analyzed
    ASSERT_EQ(library().cusolverRfAnalyze(again.rf), CUSOLVER_STATUS_SUCCESS);
    for (const auto& matrix : {b, a}) {
      ASSERT_EQ(again.reset(matrix), CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(library().cusolverRfRefactor(again.rf), CUSOLVER_STATUS_SUCCESS);
      EXPECT_LE(again.residual(matrix, random), 1e-10) << "round " << round;
    }
  }
}

TEST(Refactorization, FactorsAreReadInEachWay) {
  Random random(72);
  const int n = 20;
  const auto a = sparse_matrix(random, n, false), b = changed(random, a);
  const Lu lu(a);
  Again again(a, lu, false, false, false, false);
  int count = 0, *offsets = nullptr, *indices = nullptr;
  double* values = nullptr;
  ASSERT_EQ(library().cusolverRfAccessBundledFactorsDevice(again.rf, &count, &offsets, &indices, &values),
            CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfAnalyze(again.rf), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(again.reset(b), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfRefactor(again.rf), CUSOLVER_STATUS_SUCCESS);
  int bundle_count = 0, lower_count = 0, upper_count = 0;
  std::array<int*, 6> numbers{};
  std::array<double*, 3> sides{};
  ASSERT_EQ(library().cusolverRfExtractBundledFactorsHost(again.rf, &bundle_count, &numbers[0], &numbers[1], &sides[0]),
            CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfExtractSplitFactorsHost(again.rf, &lower_count, &numbers[2], &numbers[3], &sides[1],
                                                        &upper_count, &numbers[4], &numbers[5], &sides[2]),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(count, bundle_count);
  EXPECT_EQ(lower_count + upper_count, count);
  std::vector<double> on_device(place(count));
  ASSERT_EQ(gpu().get(on_device.data(), reinterpret_cast<cuda::CUdeviceptr>(values), place(count) * 8),
            cuda::CUDA_SUCCESS);
  EXPECT_TRUE(std::equal(on_device.begin(), on_device.end(), sides[0]));
  const auto dense = [&](std::size_t k, int size) {
    Arrays out;
    out.offsets.assign(numbers[2 * k], numbers[2 * k] + n + 1);
    out.indices.assign(numbers[2 * k + 1], numbers[2 * k + 1] + size);
    out.values.assign(sides[k], sides[k] + size);
    return out.dense();
  };
  const auto lower = dense(1, lower_count), upper = dense(2, upper_count);
  EXPECT_LE(distance((lower + identity(n, n)) * upper, lu.turned(b)), 1e-12);
  EXPECT_LE(distance(lower + upper, dense(0, count)), 0);
  for (auto* pointer : numbers) std::free(pointer);
  for (auto* pointer : sides) std::free(pointer);
}

TEST(Refactorization, AZeroPivotIsNamedOrBoosted) {
  auto a = identity(4, 4);
  a(1, 0) = 1;
  const Lu lu(a);
  Again again(a, lu, false, false, false, false);
  ASSERT_EQ(library().cusolverRfAnalyze(again.rf), CUSOLVER_STATUS_SUCCESS);
  a(2, 2) = 1e-9;
  ASSERT_EQ(again.reset(a), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverRfSetNumericProperties(again.rf, 1e-6, 0), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverRfRefactor(again.rf), CUSOLVER_STATUS_ZERO_PIVOT);
  auto report = CUSOLVERRF_NUMERIC_BOOST_USED;
  EXPECT_EQ(library().cusolverRfGetNumericBoostReport(again.rf, &report), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(report, CUSOLVERRF_NUMERIC_BOOST_NOT_USED);
  EXPECT_EQ(library().cusolverRfSetNumericProperties(again.rf, 1e-6, 4), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(again.reset(a), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverRfRefactor(again.rf), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(library().cusolverRfGetNumericBoostReport(again.rf, &report), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(report, CUSOLVERRF_NUMERIC_BOOST_USED);
  Random random(73);
  a(2, 2) = 4;
  EXPECT_LE(again.residual(a, random), 1e-12);
}

TEST(Refactorization, BatchesShareAPattern) {
  Random random(74);
  const int n = 12, batch = 3;
  const auto a = sparse_matrix(random, n, true);
  const Lu lu(a);
  std::vector<Dense> matrices;
  std::vector<std::vector<double>> numbers, sides;
  std::vector<double*> first;
  for (int k = 0; k < batch; ++k) {
    matrices.push_back(changed(random, a));
    numbers.push_back(Arrays(matrices.back()).values);
    sides.emplace_back(n, 1.0 + k);
  }
  for (auto& values : numbers) first.push_back(values.data());
  Refactorization* rf = nullptr;
  ASSERT_EQ(library().cusolverRfCreate(&rf), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
            CUSOLVER_STATUS_SUCCESS);
  Arrays m(a), l = lu.lower, u = lu.upper;
  auto p = lu.p, q = lu.q;
  ASSERT_EQ(
      library().cusolverRfBatchSetupHost(batch, n, m.count(), m.offsets.data(), m.indices.data(), first.data(),
                                         l.count(), l.offsets.data(), l.indices.data(), l.values.data(), u.count(),
                                         u.offsets.data(), u.indices.data(), u.values.data(), p.data(), q.data(), rf),
      CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfBatchAnalyze(rf), CUSOLVER_STATUS_SUCCESS);
  const OnDevice<double> v0(numbers[0]), v1(numbers[1]), v2(numbers[2]), x0(sides[0]), x1(sides[1]), x2(sides[2]);
  const OnDevice<double> spare(std::vector<double>(place(2 * batch * n)));
  const OnDevice<double*> values({v0.as(), v1.as(), v2.as()}), x({x0.as(), x1.as(), x2.as()});
  const OnDevice<int> offsets(m.offsets), indices(m.indices), rows(p), columns(q);
  ASSERT_EQ(library().cusolverRfBatchResetValues(batch, n, m.count(), offsets.as(), indices.as(), values.as(),
                                                 rows.as(), columns.as(), rf),
            CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(library().cusolverRfBatchRefactor(rf), CUSOLVER_STATUS_SUCCESS);
  std::vector<int> positions(place(batch), 7);
  EXPECT_EQ(library().cusolverRfBatchZeroPivot(rf, positions.data()), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(positions, std::vector<int>(place(batch), -1));
  ASSERT_EQ(library().cusolverRfBatchSolve(rf, rows.as(), columns.as(), 1, spare.as(), n, x.as(), n),
            CUSOLVER_STATUS_SUCCESS);
  const std::vector<double> found[] = {x0.read(), x1.read(), x2.read()};
  for (int k = 0; k < batch; ++k) {
    Dense solution(n, 1), right(n, 1);
    for (int i = 0; i < n; ++i) solution(i, 0) = found[k][place(i)], right(i, 0) = 1.0 + k;
    EXPECT_LE(distance(matrices[place(k)] * solution, right), 1e-10);
  }
  EXPECT_EQ(library().cusolverRfDestroy(rf), CUSOLVER_STATUS_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
