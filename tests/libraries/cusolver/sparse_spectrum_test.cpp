// Eigenvalues of sparse matrices, least squares of any rank, diagonals without zeros.
#include <set>

#include "sparse.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SPARSE_SOLVER(csrlsqvqrHost)
NVMLKIT_SPARSE_SOLVER(csreigvsi)
NVMLKIT_SPARSE_SOLVER(csreigvsiHost)
NVMLKIT_SPARSE_SOLVER(csreigsHost)
NVMLKIT_SPARSE_SOLVER(csrzfdHost)

template <class T>
class SparseSpectrum : public testing::Test {};
TYPED_TEST_SUITE(SparseSpectrum, Scalars);

template <class T>
Dense column(const std::vector<T>& x) {
  Dense out(static_cast<int>(x.size()), 1);
  for (std::size_t i = 0; i < x.size(); ++i) out.numbers[i] = number_of(x[i]);
  return out;
}
double length(const Dense& x) {
  double sum = 0;
  for (const Number& number : x.numbers) sum += std::norm(number);
  return std::sqrt(sum);
}
Dense sparse_numbers(Random& random, const Dense& all) {
  return all.only([&](int, int) { return random.below(100) < 40; });
}

// A = L R has the rank of its inner size. x is a least square where A^H (A x - b) = 0, and the shortest one where it is
// in the range of A^H: a rest that R's own least squares leave is 0.
TYPED_TEST(SparseSpectrum, LeastSquaresOfAnyRank) {
  using T = TypeParam;
  Random random(64);
  for (int round = 0; round < 14; ++round) {
    const int m = 12 + random.below(9), n = 8 + random.below(5), rank = 3 + random.below(6);
    const bool is_full = round % 3 == 0;
    auto a = rounded<T>(sparse_numbers(random, random.matrix<T>(m, n)));
    if (is_full)
      for (int j = 0; j < n; ++j) a(j, j) += 3;
    else
      a = rounded<T>((sparse_numbers(random, random.matrix<T>(m, rank)) + identity(m, rank)) *
                     (sparse_numbers(random, random.matrix<T>(rank, n)) + identity(rank, n)));
    a = rounded<T>(a);
    const int base = random.below(2);
    std::vector<T> b, x(static_cast<std::size_t>(n));
    const auto right = rounded<T>(random.matrix<T>(m, 1));
    for (const Number& number : right.numbers) b.push_back(scalar_of<T>(number));
    std::vector<int> p(static_cast<std::size_t>(n));
    int found = -1;
    Real<T> residual{};
    const Csr<T> stored(a, base);
    ASSERT_EQ(csrlsqvqrHost<T>()(handle(), m, n, stored.count(), options_of(static_cast<unsigned>(base)),
                                 stored.values.data(), stored.offsets.data(), stored.columns.data(), b.data(),
                                 Real<T>(std::is_same_v<Real<T>, float> ? 1e-4 : 1e-10), &found, x.data(), p.data(),
                                 &residual),
              kDone);
    EXPECT_EQ(found, is_full ? n : rank) << "round " << round;
    EXPECT_EQ(std::set<int>(p.begin(), p.end()).size(), p.size());
    const auto rest = a * column(x) - right;
    EXPECT_NEAR(static_cast<double>(residual), length(rest), 100 * tolerance<T>());
    EXPECT_LE((a.adjoint() * rest).largest(), 5000 * tolerance<T>()) << "round " << round;
    if (is_full) continue;
    // The shortest solution of A x = A x0 is x0 itself, if that is in the range of A^H.
    const auto inside = rounded<T>(a.adjoint() * rounded<T>(random.matrix<T>(m, 1)));
    const auto image = a * inside;
    for (int i = 0; i < m; ++i) b[static_cast<std::size_t>(i)] = scalar_of<T>(image(i, 0));
    ASSERT_EQ(csrlsqvqrHost<T>()(handle(), m, n, stored.count(), options_of(static_cast<unsigned>(base)),
                                 stored.values.data(), stored.offsets.data(), stored.columns.data(), b.data(),
                                 Real<T>(std::is_same_v<Real<T>, float> ? 1e-4 : 1e-10), &found, x.data(), p.data(),
                                 &residual),
              kDone);
    EXPECT_LE(distance(column(x), inside), 50000 * tolerance<T>()) << "round " << round;
  }
}

// A = B^-1 D B with a sparse B that is easy to turn round has the eigenvalues of D.
TYPED_TEST(SparseSpectrum, EigenvaluesNextToAShift) {
  using T = TypeParam;
  const int n = 12;
  Random random(65);
  Dense up = identity(n, n), down = identity(n, n), values(n, n);
  for (int i = 0; i + 1 < n; i += 2) {
    up(i, i + 1) = 0.5;
    down(i, i + 1) = -0.5;
  }
  for (int i = 0; i < n; ++i) values(i, i) = Number(i + 1, std::is_floating_point_v<T> ? 0 : i % 3);
  const auto a = rounded<T>(up * values * down);
  const Csr<T> stored(a, 1);
  const OnDevice<T> numbers(stored.values);
  const OnDevice<int> offsets(stored.offsets), columns(stored.columns);
  for (int k = 0; k < n; k += 3) {
    for (const double distance_to_shift : {0.2, 0.0}) {
      const auto shift = scalar_of<T>(values(k, k) + distance_to_shift);
      std::vector<T> first(static_cast<std::size_t>(n)), vector(first), value(1);
      for (T& x : first) x = scalar_of<T>(Number(1 + 0.5 * random.number(), 0));
      const auto most = Real<T>(100 * tolerance<T>());
      if (k % 2 == 0) {
        ASSERT_EQ(
            csreigvsiHost<T>()(handle(), n, stored.count(), options_of(1), stored.values.data(), stored.offsets.data(),
                               stored.columns.data(), shift, first.data(), 60, most, value.data(), vector.data()),
            kDone);
      } else {
        const OnDevice<T> begin(first), out(vector), eigenvalue(value);
        ASSERT_EQ(csreigvsi<T>()(handle(), n, stored.count(), options_of(1), numbers.as(), offsets.as(), columns.as(),
                                 shift, begin.as(), 60, most, eigenvalue.as(), out.as()),
                  kDone);
        vector = out.read();
        value = eigenvalue.read();
      }
      const auto x = column(vector);
      Dense scaled = x;
      for (Number& number : scaled.numbers) number *= number_of(value[0]);
      EXPECT_LE(std::abs(number_of(value[0]) - values(k, k)), 1000 * tolerance<T>());
      EXPECT_NEAR(length(x), 1, 100 * tolerance<T>());
      EXPECT_LE(distance(a * x, scaled), 1000 * tolerance<T>());
    }
  }
  int count = -1;
  const auto in_box = [&](double left, double bottom, double right, double top) {
    EXPECT_EQ(csreigsHost<T>()(handle(), n, stored.count(), options_of(1), stored.values.data(), stored.offsets.data(),
                               stored.columns.data(), {Real<T>(left), Real<T>(bottom)}, {Real<T>(right), Real<T>(top)},
                               &count),
              kDone);
    return count;
  };
  EXPECT_EQ(in_box(0.5, -0.5, 12.5, 2.5), n);
  EXPECT_EQ(in_box(2.5, -0.5, 6.5, 2.5), 4);
  EXPECT_EQ(in_box(0.5, -0.5, 12.5, 0.5), std::is_floating_point_v<T> ? n : 4);
  EXPECT_EQ(in_box(13, -1, 20, 3), 0);
}

// A matrix whose rows were mixed gets its diagonal back; one without is told how much there is.
TYPED_TEST(SparseSpectrum, DiagonalsWithoutZeros) {
  using T = TypeParam;
  Random random(66);
  for (int round = 0; round < 12; ++round) {
    const int n = 5 + random.below(40), missing = random.below(3);
    auto a = random.matrix<T>(n, n).only([&](int, int) { return random.below(100) < 6; });
    for (int i = 0; i < n; ++i) a(i, (i * 3 + n / 2) % n) = n % 3 == 0 ? 0 : 5;
    if (n % 3 == 0)
      for (int i = 0; i < n; ++i) a(i, n - 1 - i) = 5;
    for (int i = 0; i < missing; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = j == 2 ? a(i, j) : 0;  // such rows share one column
    a = rounded<T>(a);
    if (missing > 0) a(0, 2) = 1;
    const Csr<T> stored(a, round % 2);
    std::vector<int> p(static_cast<std::size_t>(n));
    int found = -1, counted = 0;
    ASSERT_EQ(csrzfdHost<T>()(handle(), n, stored.count(), options_of(static_cast<unsigned>(round % 2)),
                              stored.values.data(), stored.offsets.data(), stored.columns.data(), p.data(), &found),
              kDone);
    EXPECT_EQ(std::set<int>(p.begin(), p.end()).size(), p.size());
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE(p[static_cast<std::size_t>(i)] >= 0 && p[static_cast<std::size_t>(i)] < n);
      counted += a(i, p[static_cast<std::size_t>(i)]) != Number(0) ? 1 : 0;
    }
    EXPECT_EQ(found, counted);
    EXPECT_LE(found, missing == 2 ? n - 1 : n);
    EXPECT_GE(found, n - missing);
  }
}

TEST(SparseSpectrumCalls, WrongArguments) {
  const Csr<double> a(identity(8, 8), 0);
  auto* const options = options_of(0);
  std::vector<double> b(8, 1), x(8);
  std::vector<int> p(8);
  int rank = 0;
  double residual = 0, value = 0;
  const auto fit = [&](SparseHandle* h, int m, int n, const double* right, int* p_out) {
    return library().cusolverSpDcsrlsqvqrHost(h, m, n, 8, options, a.values.data(), a.offsets.data(), a.columns.data(),
                                              right, 0, &rank, x.data(), p_out, &residual);
  };
  EXPECT_EQ(fit(handle(), 8, 8, b.data(), p.data()), kDone);
  EXPECT_EQ(fit(nullptr, 8, 8, b.data(), p.data()), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(fit(handle(), -1, 8, b.data(), p.data()), kWrong);
  EXPECT_EQ(fit(handle(), 8, 7, b.data(), p.data()), kWrong);  // a column of the matrix is beyond
  EXPECT_EQ(fit(handle(), 8, 8, nullptr, p.data()), kWrong);
  EXPECT_EQ(fit(handle(), 8, 8, b.data(), nullptr), kWrong);
  const auto shift = [&](int n, int most, double* out) {
    return library().cusolverSpDcsreigvsiHost(handle(), n, 8, options, a.values.data(), a.offsets.data(),
                                              a.columns.data(), 0.5, b.data(), most, 0, out, x.data());
  };
  EXPECT_EQ(shift(8, 5, &value), kDone);
  EXPECT_EQ(shift(0, 5, &value), kWrong);
  EXPECT_EQ(shift(8, -1, &value), kWrong);
  EXPECT_EQ(shift(8, 5, nullptr), kWrong);
  EXPECT_EQ(library().cusolverSpDcsrzfdHost(handle(), 8, 8, options, a.values.data(), a.offsets.data(),
                                            a.columns.data(), nullptr, &rank),
            kWrong);
  EXPECT_EQ(library().cusolverSpDcsreigsHost(handle(), 8, 8, options, a.values.data(), a.offsets.data(),
                                             a.columns.data(), {0, 0}, {2, 2}, nullptr),
            kWrong);
}

}  // namespace
}  // namespace nvmlkit::library_test
