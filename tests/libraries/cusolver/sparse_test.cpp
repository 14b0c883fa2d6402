// Sparse systems of equations against their definition; orders of rows.
#include "sparse.hpp"

#include <numeric>
#include <set>

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SPARSE_SOLVER(csrlsvqr)
NVMLKIT_SPARSE_SOLVER(csrlsvqrHost)
NVMLKIT_SPARSE_SOLVER(csrlsvluHost)
NVMLKIT_SPARSE_SOLVER(csrlsvchol)
NVMLKIT_SPARSE_SOLVER(csrlsvcholHost)

// Both kinds of functions, with arrays of the host. Gives `singular`.
template <class T, class Function>
int solved(Function function, bool is_on_device, const Csr<T>& a, unsigned base, const std::vector<T>& b, int order,
           std::vector<T>& x) {
  auto* const options = options_of(base);
  const int n = static_cast<int>(b.size());
  int singular = -77;
  if (!is_on_device) {
    EXPECT_EQ(function(handle(), n, a.count(), options, a.values.data(), a.offsets.data(), a.columns.data(), b.data(),
                       Real<T>(1e-6), order, x.data(), &singular),
              CUSOLVER_STATUS_SUCCESS);
    return singular;
  }
  const OnDevice<T> values(a.values), right(b), out(x);
  const OnDevice<int> offsets(a.offsets), columns(a.columns);
  EXPECT_EQ(function(handle(), n, a.count(), options, values.as(), offsets.as(), columns.as(), right.as(),
                     Real<T>(1e-6), order, out.as(), &singular),
            CUSOLVER_STATUS_SUCCESS);
  x = out.read();
  return singular;
}

template <class T>
class Sparse : public testing::Test {};
TYPED_TEST_SUITE(Sparse, Scalars);

TYPED_TEST(Sparse, Systems) {
  using T = TypeParam;
  Random random(60);
  for (int round = 0; round < 24; ++round) {
    const int n = 1 + random.below(60) / 7 * 7 + 1, order = random.below(4);
    const auto base = static_cast<unsigned>(random.below(2));
    auto a = random.matrix<T>(n, n).only([&](int, int) { return random.below(100) < 12; });
    for (int i = 0; i < n; ++i) a(i, (i * 3 + 1) % n) += 9;
    for (int i = 0; i < n; ++i) a(i, i) += 4;
    const auto hermitian = rounded<T>(a * a.adjoint() + identity(n, n));
    a = rounded<T>(a);
    const auto x = rounded<T>(random.matrix<T>(n, 1));
    const bool is_positive = random.below(2) == 1, is_on_device = random.below(2) == 1;
    const Csr<T> stored(is_positive ? hermitian : a, static_cast<int>(base), is_positive && random.below(2) == 1);
    const auto right = (is_positive ? hermitian : a) * x;
    std::vector<T> b, found(static_cast<std::size_t>(n));
    for (const Number& v : right.numbers) b.push_back(scalar_of<T>(v));
    const auto function = is_positive    ? is_on_device ? csrlsvchol<T>() : csrlsvcholHost<T>()
                             : is_on_device ? csrlsvqr<T>()
                          : round % 3    ? csrlsvqrHost<T>()
                                         : csrlsvluHost<T>();
    EXPECT_EQ(solved<T>(function, is_on_device, stored, base, b, order, found), -1);
    Dense got(n, 1);
    for (int i = 0; i < n; ++i) got(i, 0) = number_of(found[static_cast<std::size_t>(i)]);
    EXPECT_LE(distance((is_positive ? hermitian : a) * got, right), 400 * tolerance<T>()) << "round " << round;
  }
}

// Large enough that rows grow full, and fronts take the place of rotations.
TYPED_TEST(Sparse, SystemsThatGrowFull) {
  using T = TypeParam;
  Random random(62);
  for (int round = 0; round < 4; ++round) {
    const int n = 250 + random.below(50), order = round % 2, zero = round < 2 ? -1 : random.below(n);
    auto a = random.matrix<T>(n, n).only([&](int, int j) { return j != zero && random.below(100) < 3; });
    for (int i = 0; i < n; ++i) a(i, i) += i != zero ? 6 : 0;
    a = rounded<T>(a);
    const auto right = a * rounded<T>(random.matrix<T>(n, 1));
    std::vector<T> b, found(static_cast<std::size_t>(n));
    for (const Number& v : right.numbers) b.push_back(scalar_of<T>(v));
    const bool is_on_device = random.below(2) == 1;
    const auto function = is_on_device ? csrlsvqr<T>() : csrlsvqrHost<T>();
    const int singular = solved<T>(function, is_on_device, Csr<T>(a, 1), 1, b, order, found);
    if (zero >= 0) {
      EXPECT_EQ(order == 0 ? singular : singular >= 0, order == 0 ? zero : 1) << "round " << round;
      continue;
    }
    EXPECT_EQ(singular, -1);
    Dense got(n, 1);
    for (int i = 0; i < n; ++i) got(i, 0) = number_of(found[static_cast<std::size_t>(i)]);
    EXPECT_LE(distance(a * got, right), 4000 * tolerance<T>()) << "round " << round;
  }
}

NVMLKIT_SPARSE_SOLVER(csrcholFactor)
NVMLKIT_SPARSE_SOLVER(csrcholFactorHost)
NVMLKIT_SPARSE_SOLVER(csrcholSolve)
NVMLKIT_SPARSE_SOLVER(csrcholSolveHost)
NVMLKIT_SPARSE_SOLVER(csrcholZeroPivot)
NVMLKIT_SPARSE_SOLVER(csrcholDiag)

TYPED_TEST(Sparse, CholeskyFactorsAreKept) {
  using T = TypeParam;
  Random random(61);
  const int n = 22;
  const auto a = random.matrix<T>(n, n).only([&](int, int) { return random.below(100) < 12; });
  const auto hermitian = rounded<T>(a * a.adjoint() + identity(n, n));
  const Csr<T> stored(hermitian, 1);
  CholeskyInfo* info = nullptr;
  ASSERT_EQ(library().cusolverSpCreateCsrcholInfo(&info), CUSOLVER_STATUS_SUCCESS);
  int position = 0;
  EXPECT_EQ(csrcholZeroPivot<T>()(handle(), info, Real<T>(1e-6), &position), CUSOLVER_STATUS_INVALID_VALUE);
  const OnDevice<T> values(stored.values), spare(stored.values);
  const OnDevice<int> offsets(stored.offsets), columns(stored.columns);
  const OnDevice<Real<T>> diagonal(std::vector<Real<T>>(static_cast<std::size_t>(n)));
  for (const bool is_on_device : {true, false}) {
    const auto status = is_on_device
                            ? csrcholFactor<T>()(handle(), n, stored.count(), options_of(1), values.as(), offsets.as(),
                                                 columns.as(), info, spare.as())
                            : csrcholFactorHost<T>()(handle(), n, stored.count(), options_of(1), stored.values.data(),
                                                     stored.offsets.data(), stored.columns.data(), info, &position);
    ASSERT_EQ(status, CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(csrcholZeroPivot<T>()(handle(), info, Real<T>(1e-6), &position), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(position, -1);
    const auto x = rounded<T>(random.matrix<T>(n, 1)), right = rounded<T>(hermitian * x);
    std::vector<T> b, found(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) b.push_back(scalar_of<T>(right(i, 0)));
    if (is_on_device) {
      const OnDevice<T> sides(b), out(found);
      EXPECT_EQ(csrcholSolve<T>()(handle(), n, sides.as(), out.as(), info, spare.as()), CUSOLVER_STATUS_SUCCESS);
      found = out.read();
    } else {
      EXPECT_EQ(csrcholSolveHost<T>()(handle(), n, b.data(), found.data(), info, &position), CUSOLVER_STATUS_SUCCESS);
    }
    Dense got(n, 1);
    for (int i = 0; i < n; ++i) got(i, 0) = number_of(found[static_cast<std::size_t>(i)]);
    EXPECT_LE(distance(hermitian * got, right), 400 * tolerance<T>());
  }
  ASSERT_EQ(csrcholDiag<T>()(handle(), info, diagonal.as()), CUSOLVER_STATUS_SUCCESS);
  EXPECT_NEAR(static_cast<double>(diagonal.read()[0]), std::sqrt(hermitian(0, 0).real()), 1e-5);
  EXPECT_EQ(library().cusolverSpDestroyCsrcholInfo(info), CUSOLVER_STATUS_SUCCESS);
}

TYPED_TEST(Sparse, SingularMatricesAreNamed) {
  using T = TypeParam;
  auto a = diagonal(std::vector<double>{1, 2, 3, 0, 5}, 5, 5);
  std::vector<T> x(5);
  const std::vector<T> b(5, scalar_of<T>(1));
  EXPECT_EQ(solved<T>(csrlsvqr<T>(), true, Csr<T>(a, 0), 0, b, 0, x), 3);
  EXPECT_EQ(solved<T>(csrlsvluHost<T>(), false, Csr<T>(a, 1), 1, b, 0, x), 3);
  a(1, 1) = -2;
  EXPECT_EQ(solved<T>(csrlsvchol<T>(), true, Csr<T>(a, 0), 0, b, 0, x), 1);
}

TEST(Sparse, WrongArguments) {
  const Csr<double> a(identity(8, 8), 0);
  std::vector<double> b(8, 1), x(8);
  int singular = 0;
  auto* const options = options_of(0);
  const auto solve = [&](SparseHandle* h, int n, int count, const MatrixOptions* o, const double* values, int order,
                         int* out) {
    return library().cusolverSpDcsrlsvqrHost(h, n, count, o, values, a.offsets.data(), a.columns.data(), b.data(), 0,
                                             order, x.data(), out);
  };
  const auto wrong = CUSOLVER_STATUS_INVALID_VALUE;
  EXPECT_EQ(solve(handle(), 8, 8, options, a.values.data(), 0, &singular), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(x, b);
  EXPECT_EQ(solve(nullptr, 8, 8, options, a.values.data(), 0, &singular), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(solve(handle(), -1, 8, options, a.values.data(), 0, &singular), wrong);
  EXPECT_EQ(solve(handle(), 8, 7, options, a.values.data(), 0, &singular), wrong);
  EXPECT_EQ(solve(handle(), 8, 8, nullptr, a.values.data(), 0, &singular), wrong);
  EXPECT_EQ(solve(handle(), 8, 8, options, nullptr, 0, &singular), wrong);
  EXPECT_EQ(solve(handle(), 8, 8, options, a.values.data(), 4, &singular), wrong);
  EXPECT_EQ(solve(handle(), 8, 8, options, a.values.data(), 0, nullptr), wrong);
  EXPECT_EQ(solve(handle(), 0, 0, options, nullptr, 0, &singular), CUSOLVER_STATUS_SUCCESS);
}

// A path whose rows were mixed has a narrow band again, and every order has each row once.
TEST(Sparse, Orders) {
  const int n = 30;
  Dense path(n, n);
  const auto place = [](int i) { return i * 7 % 30; };
  for (int i = 0; i < n; ++i) {
    path(place(i), place(i)) = 1;
    if (i + 1 < n) path(place(i), place(i + 1)) = path(place(i + 1), place(i)) = 1;
  }
  Csr<double> a(path, 1);
  auto* const options = options_of(1);
  const auto order = [&](auto function) {
    std::vector<int> out(static_cast<std::size_t>(n));
    EXPECT_EQ(function(out.data()), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(std::set<int>(out.begin(), out.end()).size(), static_cast<std::size_t>(n));
    return out;
  };
  const auto narrow = order([&](int* out) {
    return library().cusolverSpXcsrsymrcmHost(handle(), n, a.count(), options, a.offsets.data(), a.columns.data(), out);
  });
  order([&](int* out) {
    return library().cusolverSpXcsrsymamdHost(handle(), n, a.count(), options, a.offsets.data(), a.columns.data(), out);
  });
  order([&](int* out) {
    return library().cusolverSpXcsrmetisndHost(handle(), n, a.count(), options, a.offsets.data(), a.columns.data(),
                                               nullptr, out);
  });
  int is_symmetric = 0;
  EXPECT_EQ(library().cusolverSpXcsrissymHost(handle(), n, a.count(), options, a.offsets.data(), a.offsets.data() + 1,
                                              a.columns.data(), &is_symmetric),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(is_symmetric, 1);
  std::vector<int> map(a.columns.size());
  std::iota(map.begin(), map.end(), 0);
  const auto before = a.columns;
  ASSERT_EQ(library().cusolverSpXcsrpermHost(handle(), n, n, a.count(), options, a.offsets.data(), a.columns.data(),
                                             narrow.data(), narrow.data(), map.data(), nullptr),
            CUSOLVER_STATUS_SUCCESS);
  for (int i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)] - 1);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1] - 1); ++k) {
      EXPECT_LE(std::abs(a.columns[k] - 1 - i), 1);
      EXPECT_EQ(narrow[static_cast<std::size_t>(a.columns[k] - 1)], before[static_cast<std::size_t>(map[k])] - 1);
    }
}

}  // namespace
}  // namespace nvmlkit::library_test
