// Cholesky, LU and LDL factors: they give the matrix again, and solve its equations.
#include <numeric>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(potrf, potrf, potrf)
NVMLKIT_SOLVER(potrf_size, potrf_bufferSize, potrf_bufferSize)
NVMLKIT_SOLVER(potrs, potrs, potrs)
NVMLKIT_SOLVER(potri, potri, potri)
NVMLKIT_SOLVER(lauum, lauum, lauum)
NVMLKIT_SOLVER(potrf_batched, potrfBatched, potrfBatched)
NVMLKIT_SOLVER(potrs_batched, potrsBatched, potrsBatched)
NVMLKIT_SOLVER(getrf, getrf, getrf)
NVMLKIT_SOLVER(getrf_size, getrf_bufferSize, getrf_bufferSize)
NVMLKIT_SOLVER(getrs, getrs, getrs)
NVMLKIT_SOLVER(laswp, laswp, laswp)
NVMLKIT_SOLVER(sytrf, sytrf, sytrf)
NVMLKIT_SOLVER(sytri, sytri, sytri)

template <class T>
struct Factors : testing::Test {};
TYPED_TEST_SUITE(Factors, Scalars);

// The whole of a Hermitian matrix from its triangle.
Dense hermitian_of(const Dense& a, bool is_lower) {
  const auto triangle = is_lower ? a.lower() : a.upper();
  return triangle + triangle.adjoint() - a.only([](int i, int j) { return i == j; });
}

TYPED_TEST(Factors, Cholesky) {
  using T = TypeParam;
  Random random(1);
  for (int turn = 0; turn < 12; ++turn) {
    const int n = random.below(40), columns = random.below(4), ld = n + 1 + random.below(3);
    const bool is_lower = turn % 2;
    const auto a = rounded<T>(random.positive<T>(n)), x = random.matrix<T>(n, columns);
    const Stored<T> factor(a, ld), right(a * x, ld);
    int size = 0;
    ASSERT_EQ(potrf_size<T>()(solver(), fill_of(is_lower), n, factor.data(), ld, &size), CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    const auto info = state();
    ASSERT_EQ(potrf<T>()(solver(), fill_of(is_lower), n, factor.data(), ld, work.as(), size, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto found = factor.get();
    const auto triangle = is_lower ? found.lower() : found.upper();
    const double most = tolerance<T>() * (1 + a.largest());
    EXPECT_LE(distance(is_lower ? triangle * triangle.adjoint() : triangle.adjoint() * triangle, a), most);
    EXPECT_EQ(distance(found - triangle, a - (is_lower ? a.lower() : a.upper())), 0) << "the other triangle";
    ASSERT_EQ(potrs<T>()(solver(), fill_of(is_lower), n, columns, factor.data(), ld, right.data(), ld, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    EXPECT_LE(distance(a * right.get(), a * x), 10 * most);
    const Stored<T> product(found, ld);
    ASSERT_EQ(lauum<T>()(solver(), fill_of(is_lower), n, product.data(), ld, work.as(), size, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    const auto of_factor = is_lower ? triangle.adjoint() * triangle : triangle * triangle.adjoint();
    EXPECT_LE(distance(hermitian_of(product.get(), is_lower), of_factor), most);
    ASSERT_EQ(potri<T>()(solver(), fill_of(is_lower), n, factor.data(), ld, work.as(), size, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    EXPECT_LE(distance(a * hermitian_of(factor.get(), is_lower), identity(n, n)), 100 * most);
  }
}

TYPED_TEST(Factors, AMatrixThatIsNotPositiveSaysWhere) {
  using T = TypeParam;
  auto a = identity(5, 5);
  a(3, 3) = -1;
  const Stored<T> matrix(a, 5);
  const auto info = state();
  ASSERT_EQ(potrf<T>()(solver(), CUBLAS_FILL_MODE_LOWER, 5, matrix.data(), 5, nullptr, 0, info.as()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(read(info), 4);
}

TYPED_TEST(Factors, BatchesOfCholesky) {
  using T = TypeParam;
  Random random(2);
  for (int turn = 0; turn < 6; ++turn) {
    const int n = 1 + random.below(12), count = random.below(5), ld = n + random.below(3);
    const bool is_lower = turn % 2;
    std::vector<Dense> all, xs, rights;
    std::vector<T*> at, at_right;
    for (int i = 0; i < count + 1; ++i) {
      all.push_back(rounded<T>(random.positive<T>(n)));
      xs.push_back(random.matrix<T>(n, 1));
      rights.push_back(all.back() * xs.back());
    }
    const Stored<T> factors(all, ld), right(rights, ld);
    for (int i = 0; i < count + 1; ++i) {
      at.push_back(factors.data(i));
      at_right.push_back(right.data(i));
    }
    const OnDevice<T*> pointers(at), right_pointers(at_right);
    const OnDevice<int> infos(std::vector<int>(static_cast<std::size_t>(count) + 1, -77));
    ASSERT_EQ(potrf_batched<T>()(solver(), fill_of(is_lower), n, pointers.as(), ld, infos.as(), count),
              CUSOLVER_STATUS_SUCCESS);
    std::vector<int> expected(static_cast<std::size_t>(count) + 1, 0);
    expected.back() = -77;
    EXPECT_EQ(infos.read(), expected);
    const auto info = state();
    ASSERT_EQ(potrs_batched<T>()(solver(), fill_of(is_lower), n, 1, pointers.as(), ld, right_pointers.as(), ld,
                                 info.as(), count),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(read(info), 0);
    for (int i = 0; i < count; ++i)
      EXPECT_LE(distance(all[static_cast<std::size_t>(i)] * right.get(i), rights[static_cast<std::size_t>(i)]),
                tolerance<T>() * 100 * n);
    EXPECT_EQ(distance(factors.get(count), all.back()), 0) << "behind the batch";
  }
}

// The rows of a matrix after the exchanges of a factorization.
Dense exchanged(Dense a, const std::vector<int>& pivots) {
  for (int k = 0; k < static_cast<int>(pivots.size()); ++k)
    for (int j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivots[static_cast<std::size_t>(k)] - 1, j));
  return a;
}

TYPED_TEST(Factors, Lu) {
  using T = TypeParam;
  Random random(3);
  for (int turn = 0; turn < 12; ++turn) {
    const int m = 1 + random.below(30), n = turn % 3 ? m : 1 + random.below(30), least = std::min(m, n);
    const int ld = m + random.below(3), columns = random.below(4);
    const auto a = rounded<T>(m == n ? random.regular<T>(n) : random.matrix<T>(m, n));
    const Stored<T> factor(a, ld), moved(a, ld);
    const OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(least)));
    int size = 0;
    ASSERT_EQ(getrf_size<T>()(solver(), m, n, factor.data(), ld, &size), CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    const auto info = state();
    ASSERT_EQ(getrf<T>()(solver(), m, n, factor.data(), ld, work.as(), pivots.as(), info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto found = factor.get();
    const auto lower = found.only([](int i, int j) { return i > j; }).part(m, least) + identity(m, least);
    const double most = tolerance<T>() * (1 + a.largest()) * n;
    EXPECT_LE(distance(lower * found.upper().part(least, n), exchanged(a, pivots.read())), most);
    ASSERT_EQ(laswp<T>()(solver(), n, moved.data(), ld, 1, least, pivots.as(), 1), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(distance(moved.get(), exchanged(a, pivots.read())), 0);
    if (m != n) continue;
    for (const auto t : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      const auto x = random.matrix<T>(n, columns);
      const auto of = t == CUBLAS_OP_N ? a : t == CUBLAS_OP_T ? a.transposed() : a.adjoint();
      const Stored<T> right(of * x, ld);
      ASSERT_EQ(getrs<T>()(solver(), t, n, columns, factor.data(), ld, pivots.as(), right.data(), ld, info.as()),
                CUSOLVER_STATUS_SUCCESS);
      ASSERT_EQ(read(info), 0);
      EXPECT_LE(distance(right.get(), x), most);
    }
  }
}

TYPED_TEST(Factors, LuWithoutExchanges) {
  using T = TypeParam;
  Random random(4);
  for (const int n : {1, 5, 17}) {
    auto a = rounded<T>(random.matrix<T>(n, n));
    for (int i = 0; i < n; ++i) a(i, i) += 2.0 * n;
    const auto x = random.matrix<T>(n, 2);
    const Stored<T> factor(a, n), right(a * x, n);
    const auto info = state();
    ASSERT_EQ(getrf<T>()(solver(), n, n, factor.data(), n, nullptr, nullptr, info.as()), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto found = factor.get();
    const auto lower = found.only([](int i, int j) { return i > j; }) + identity(n, n);
    EXPECT_LE(distance(lower * found.upper(), a), tolerance<T>() * 4 * n);
    ASSERT_EQ(getrs<T>()(solver(), CUBLAS_OP_N, n, 2, factor.data(), n, nullptr, right.data(), n, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_LE(distance(right.get(), x), tolerance<T>() * 4 * n);
  }
  auto singular = identity(4, 4);
  singular(2, 2) = 0;
  for (const bool has_pivots : {false, true}) {
    const Stored<T> matrix(singular, 4);
    const OnDevice<int> pivots(std::vector<int>(4));
    const auto info = state();
    ASSERT_EQ(getrf<T>()(solver(), 4, 4, matrix.data(), 4, nullptr, has_pivots ? pivots.as() : nullptr, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(read(info), 3);
  }
}

TYPED_TEST(Factors, Ldl) {
  using T = TypeParam;
  Random random(5);
  for (int turn = 0; turn < 12; ++turn) {
    const int n = 1 + random.below(24), columns = 1 + random.below(3), ld = n + random.below(3);
    const bool is_lower = turn % 2, has_pivots = turn % 4 < 2;
    auto a = rounded<T>(random.symmetric<T>(n));
    for (int i = 0; i < n && (!has_pivots || turn % 3); ++i) a(i, i) += (i % 2 ? 4.0 : -4.0) * n;
    const auto x = random.matrix<T>(n, columns);
    const Stored<T> factor(a, ld), right(a * x, ld);
    const OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(n)));
    const auto info = state();
    ASSERT_EQ(sytrf<T>()(solver(), fill_of(is_lower), n, factor.data(), ld, has_pivots ? pivots.as() : nullptr, nullptr,
                         0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto narrow = pivots.read();
    const OnDevice<std::int64_t> wide(std::vector<std::int64_t>(narrow.begin(), narrow.end()));
    std::size_t device = 0, host = 0;
    ASSERT_EQ(library().cusolverDnXsytrs_bufferSize(solver(), fill_of(is_lower), n, columns, type_of<T>(),
                                                    factor.data(), ld, has_pivots ? wide.as() : nullptr, type_of<T>(),
                                                    right.data(), ld, &device, &host),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnXsytrs(solver(), fill_of(is_lower), n, columns, type_of<T>(), factor.data(), ld,
                                         has_pivots ? wide.as() : nullptr, type_of<T>(), right.data(), ld, nullptr, 0,
                                         nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    EXPECT_LE(distance(a * right.get(), a * x), tolerance<T>() * 200 * n) << "turn " << turn;
    ASSERT_EQ(sytri<T>()(solver(), fill_of(is_lower), n, factor.data(), ld, has_pivots ? pivots.as() : nullptr, nullptr,
                         0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    const auto inverse = is_lower ? factor.get().lower() : factor.get().upper();
    const auto whole = inverse + inverse.transposed() - inverse.only([](int i, int j) { return i == j; });
    EXPECT_LE(distance(a * whole, identity(n, n)), tolerance<T>() * 400 * n) << "turn " << turn;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
