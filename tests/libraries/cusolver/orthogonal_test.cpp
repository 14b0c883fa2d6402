// QR factors, tridiagonal and bidiagonal forms: orthogonal matrices that give the matrix again.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SOLVER(geqrf, geqrf, geqrf)
NVMLKIT_SOLVER(geqrf_size, geqrf_bufferSize, geqrf_bufferSize)
NVMLKIT_SOLVER(orgqr, orgqr, ungqr)
NVMLKIT_SOLVER(orgqr_size, orgqr_bufferSize, ungqr_bufferSize)
NVMLKIT_SOLVER(ormqr, ormqr, unmqr)
NVMLKIT_SOLVER(ormqr_size, ormqr_bufferSize, unmqr_bufferSize)
NVMLKIT_SOLVER(gebrd, gebrd, gebrd)
NVMLKIT_SOLVER(orgbr, orgbr, ungbr)
NVMLKIT_SOLVER(sytrd, sytrd, hetrd)
NVMLKIT_SOLVER(orgtr, orgtr, ungtr)
NVMLKIT_SOLVER(ormtr, ormtr, unmtr)

template <class T>
struct Orthogonal : testing::Test {};
TYPED_TEST_SUITE(Orthogonal, Scalars);

template <class T>
OnDevice<T> zeros(int count) {
  return OnDevice<T>(std::vector<T>(static_cast<std::size_t>(std::max(count, 1))));
}

// CuPy asks so for a matrix with more rows than columns, and runs on hardware.
TYPED_TEST(Orthogonal, TheSizeForQrNeedsNoLeadingDimension) {
  using T = TypeParam;
  int size = 0, whole = 0;
  const auto a = zeros<T>(20);
  ASSERT_EQ(geqrf_size<T>()(solver(), 5, 4, a.as(), 4, &size), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(geqrf_size<T>()(solver(), 5, 4, a.as(), 5, &whole), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(size, whole);
  EXPECT_EQ(geqrf_size<T>()(solver(), 5, 4, a.as(), 0, &size), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(geqrf_size<T>()(solver(), -1, 4, a.as(), 5, &size), CUSOLVER_STATUS_INVALID_VALUE);
}

TYPED_TEST(Orthogonal, Qr) {
  using T = TypeParam;
  Random random(10);
  for (int turn = 0; turn < 12; ++turn) {
    const int m = 1 + random.below(30), n = 1 + random.below(turn % 2 ? m : 30), least = std::min(m, n);
    const int ld = m + random.below(3);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> factor(a, ld);
    const auto tau = zeros<T>(least);
    const auto info = state();
    int size = 0;
    ASSERT_EQ(geqrf_size<T>()(solver(), m, n, factor.data(), ld, &size), CUSOLVER_STATUS_SUCCESS);
    const auto work = workspace<T>(size);
    ASSERT_EQ(geqrf<T>()(solver(), m, n, factor.data(), ld, tau.as(), work.as(), size, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto found = factor.get();
    // All columns of Q that there are: as many as rows.
    Dense reflectors(m, m);
    for (int j = 0; j < least; ++j)
      for (int i = 0; i < m; ++i) reflectors(i, j) = found(i, j);
    const Stored<T> whole(reflectors, ld);
    ASSERT_EQ(orgqr_size<T>()(solver(), m, m, least, whole.data(), ld, tau.as(), &size), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(orgqr<T>()(solver(), m, m, least, whole.data(), ld, tau.as(), work.as(), size, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto q = whole.get();
    const double most = tolerance<T>() * m;
    EXPECT_LE(distance(q.adjoint() * q, identity(m, m)), most);
    EXPECT_LE(distance(q * found.upper(), a), most);
    // Q applied, from both sides.
    for (const auto t : {CUBLAS_OP_N, std::is_floating_point_v<T> ? CUBLAS_OP_T : CUBLAS_OP_C})
      for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const int other = 1 + random.below(8), rows = is_left ? m : other, columns = is_left ? other : m;
        const auto c = rounded<T>(random.matrix<T>(rows, columns));
        const auto by = t == CUBLAS_OP_N ? q : q.adjoint();
        const Stored<T> product(c, rows + 1);
        ASSERT_EQ(ormqr_size<T>()(solver(), side, t, rows, columns, least, factor.data(), ld, tau.as(), product.data(),
                                  rows + 1, &size),
                  CUSOLVER_STATUS_SUCCESS);
        ASSERT_EQ(ormqr<T>()(solver(), side, t, rows, columns, least, factor.data(), ld, tau.as(), product.data(),
                             rows + 1, work.as(), size, info.as()),
                  CUSOLVER_STATUS_SUCCESS);
        ASSERT_EQ(read(info), 0);
        EXPECT_LE(distance(product.get(), is_left ? by * c : c * by), most);
      }
    EXPECT_EQ(distance(factor.get(), found), 0) << "the reflectors are changed";
  }
}

TYPED_TEST(Orthogonal, Tridiagonal) {
  using T = TypeParam;
  Random random(11);
  for (int turn = 0; turn < 10; ++turn) {
    const int n = 1 + random.below(25), ld = n + random.below(3), columns = 1 + random.below(4);
    const bool is_lower = turn % 2;
    const auto a = rounded<T>(random.hermitian<T>(n));
    const Stored<T> matrix(a, ld);
    const auto d = zeros<Real<T>>(n), e = zeros<Real<T>>(n - 1);
    const auto tau = zeros<T>(n - 1);
    const auto info = state();
    ASSERT_EQ(
        sytrd<T>()(solver(), fill_of(is_lower), n, matrix.data(), ld, d.as(), e.as(), tau.as(), nullptr, 0, info.as()),
        CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    auto expected = diagonal(d.read(), n, n);
    const auto beside = e.read();
    for (int i = 0; i + 1 < n; ++i)
      expected(i, i + 1) = expected(i + 1, i) = static_cast<double>(beside[static_cast<std::size_t>(i)]);
    const auto c = rounded<T>(random.matrix<T>(n, columns));
    const Stored<T> product(c, ld);
    ASSERT_EQ(ormtr<T>()(solver(), CUBLAS_SIDE_LEFT, fill_of(is_lower), CUBLAS_OP_N, n, columns, matrix.data(), ld,
                         tau.as(), product.data(), ld, nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(orgtr<T>()(solver(), fill_of(is_lower), n, matrix.data(), ld, tau.as(), nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    const auto q = matrix.get();
    const double most = tolerance<T>() * 4 * n;
    EXPECT_LE(distance(q.adjoint() * q, identity(n, n)), most);
    EXPECT_LE(distance(q * expected * q.adjoint(), a), most);
    EXPECT_LE(distance(product.get(), q * c), most);
  }
}

TYPED_TEST(Orthogonal, Bidiagonal) {
  using T = TypeParam;
  Random random(12);
  for (int turn = 0; turn < 10; ++turn) {
    const int n = 1 + random.below(15), m = n + random.below(10), ld = m + random.below(3);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    const Stored<T> matrix(a, ld);
    const auto d = zeros<Real<T>>(n), e = zeros<Real<T>>(n - 1);
    const auto tau_q = zeros<T>(n), tau_p = zeros<T>(n);
    const auto info = state();
    ASSERT_EQ(
        gebrd<T>()(solver(), m, n, matrix.data(), ld, d.as(), e.as(), tau_q.as(), tau_p.as(), nullptr, 0, info.as()),
        CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(read(info), 0);
    auto expected = diagonal(d.read(), n, n);
    const auto beside = e.read();
    for (int i = 0; i + 1 < n; ++i) expected(i, i + 1) = static_cast<double>(beside[static_cast<std::size_t>(i)]);
    const Stored<T> right(matrix.get().part(n, n), n);
    ASSERT_EQ(orgbr<T>()(solver(), CUBLAS_SIDE_LEFT, m, n, n, matrix.data(), ld, tau_q.as(), nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(orgbr<T>()(solver(), CUBLAS_SIDE_RIGHT, n, n, m, right.data(), n, tau_p.as(), nullptr, 0, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    const auto q = matrix.get(), p = right.get();
    const double most = tolerance<T>() * 4 * m;
    EXPECT_LE(distance(q.adjoint() * q, identity(n, n)), most);
    EXPECT_LE(distance(p * p.adjoint(), identity(n, n)), most);
    EXPECT_LE(distance(q * expected * p, a), most);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
