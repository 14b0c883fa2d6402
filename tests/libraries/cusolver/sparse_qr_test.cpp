// Sparse factors Q and R that a program keeps, against the systems and least squares that they solve.
#include "sparse.hpp"

namespace nvmlkit::library_test {
namespace {

NVMLKIT_SPARSE_SOLVER(csrqrBufferInfo)
NVMLKIT_SPARSE_SOLVER(csrqrBufferInfoHost)
NVMLKIT_SPARSE_SOLVER(csrqrSetup)
NVMLKIT_SPARSE_SOLVER(csrqrSetupHost)
NVMLKIT_SPARSE_SOLVER(csrqrFactor)
NVMLKIT_SPARSE_SOLVER(csrqrFactorHost)
NVMLKIT_SPARSE_SOLVER(csrqrZeroPivot)
NVMLKIT_SPARSE_SOLVER(csrqrZeroPivotHost)
NVMLKIT_SPARSE_SOLVER(csrqrSolve)
NVMLKIT_SPARSE_SOLVER(csrqrSolveHost)
NVMLKIT_SPARSE_SOLVER(csrqrBufferInfoBatched)
NVMLKIT_SPARSE_SOLVER(csrqrsvBatched)

class Info {
 public:
  Info() { EXPECT_EQ(library().cusolverSpCreateCsrqrInfo(&info_), kDone); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() { EXPECT_EQ(library().cusolverSpDestroyCsrqrInfo(info_), kDone); }
  operator QrInfo*() const { return info_; }

 private:
  QrInfo* info_ = nullptr;
};

// Of full rank: some entries anywhere, and a large one in each column.
template <class T>
Dense tall_matrix(Random& random, int m, int n) {
  auto a = random.matrix<T>(m, n).only([&](int, int) { return random.below(100) < 15; });
  for (int j = 0; j < n; ++j) a((j + 1) % m, j) += 6;
  return rounded<T>(a);
}
template <class T>
std::vector<T> numbers_of(const Dense& x) {
  std::vector<T> out;
  for (const Number& number : x.numbers) out.push_back(scalar_of<T>(number));
  return out;
}
template <class T>
Dense column_of(const T* x, int n) {
  Dense out(n, 1);
  for (int i = 0; i < n; ++i) out(i, 0) = number_of(x[i]);
  return out;
}
// Zero where x makes |A x - b| least: what is left is orthogonal to the columns of A.
Dense left(const Dense& a, const Dense& x, const Dense& b) { return a.adjoint() * (a * x - b); }

template <class T>
struct Factored {
  Csr<T> a;
  int m, n;
  bool is_on_device;
  MatrixOptions* options;
  OnDevice<T> values, buffer;
  OnDevice<int> offsets, columns;
  Info info;

  Factored(const Dense& dense, int base, bool on_device)
      : a(dense, base),
        m(dense.rows),
        n(dense.columns),
        is_on_device(on_device),
        options(options_of(static_cast<unsigned>(base))),
        values(a.values),
        buffer(a.values),
        offsets(a.offsets),
        columns(a.columns) {
    const auto analyze = is_on_device ? library().cusolverSpXcsrqrAnalysis : library().cusolverSpXcsrqrAnalysisHost;
    EXPECT_EQ(analyze(handle(), m, n, a.count(), options, is_on_device ? offsets.as() : a.offsets.data(),
                      is_on_device ? columns.as() : a.columns.data(), info),
              kDone);
  }
  cusolverStatus_t set_up(T shift) {
    return is_on_device ? csrqrSetup<T>()(handle(), m, n, a.count(), options, values.as(), offsets.as(), columns.as(),
                                          shift, info)
                        : csrqrSetupHost<T>()(handle(), m, n, a.count(), options, a.values.data(), a.offsets.data(),
                                              a.columns.data(), shift, info);
  }
  cusolverStatus_t factor() {
    return is_on_device ? csrqrFactor<T>()(handle(), m, n, a.count(), nullptr, nullptr, info, buffer.as())
                        : csrqrFactorHost<T>()(handle(), m, n, a.count(), nullptr, nullptr, info, a.values.data());
  }
  int pivot() {
    int position = -77;
    const auto find = is_on_device ? csrqrZeroPivot<T>() : csrqrZeroPivotHost<T>();
    EXPECT_EQ(find(handle(), info, Real<T>(1e-5), &position), kDone);
    return position;
  }
  // By the factors, or by a call that makes them anew.
  Dense solve(const Dense& right, bool with_factors) {
    auto b = numbers_of<T>(right);
    std::vector<T> x(static_cast<std::size_t>(n));
    if (is_on_device) {
      const OnDevice<T> side(b), out(x);
      EXPECT_EQ(with_factors ? csrqrSolve<T>()(handle(), m, n, side.as(), out.as(), info, buffer.as())
                             : csrqrFactor<T>()(handle(), m, n, a.count(), side.as(), out.as(), info, buffer.as()),
                kDone);
      x = out.read();
    } else {
      EXPECT_EQ(with_factors
                    ? csrqrSolveHost<T>()(handle(), m, n, b.data(), x.data(), info, a.values.data())
                    : csrqrFactorHost<T>()(handle(), m, n, a.count(), b.data(), x.data(), info, a.values.data()),
                kDone);
    }
    return column_of(x.data(), n);
  }
};

template <class T>
class SparseQr : public testing::Test {};
TYPED_TEST_SUITE(SparseQr, Scalars);

TYPED_TEST(SparseQr, LeastSquaresByKeptFactors) {
  using T = TypeParam;
  Random random(62);
  for (int round = 0; round < 16; ++round) {
    const int n = 1 + random.below(20), m = n + random.below(3) * random.below(7);
    const auto a = tall_matrix<T>(random, m, n);
    const auto shift = scalar_of<T>(random.below(2) == 1 ? Number(0.25, std::is_floating_point_v<T> ? 0 : -0.5) : 0);
    auto shifted = a;
    for (int i = 0; i < n; ++i) shifted(i, i) -= number_of(shift);
    Factored<T> factored(a, random.below(2), random.below(2) == 1);
    EXPECT_EQ(factored.factor(), kWrong);  // nothing is set up
    ASSERT_EQ(factored.set_up(shift), kDone);
    int position = 0;
    EXPECT_EQ(csrqrZeroPivot<T>()(handle(), factored.info, Real<T>(1), &position), kWrong);
    ASSERT_EQ(factored.factor(), kDone);
    EXPECT_EQ(factored.pivot(), -1);
    for (const bool with_factors : {true, false, true}) {
      const auto b = rounded<T>(random.matrix<T>(m, 1));
      EXPECT_LE(left(shifted, factored.solve(b, with_factors), b).largest(), 4000 * tolerance<T>())
          << "round " << round << " " << m << " x " << n;
    }
  }
}

TYPED_TEST(SparseQr, PivotsOfSingularMatrices) {
  using T = TypeParam;
  const auto a = diagonal(std::vector<double>{1, 2, 3, 4, 5}, 6, 5);
  for (const bool is_on_device : {false, true}) {
    Factored<T> factored(a, 1, is_on_device);
    ASSERT_EQ(factored.set_up(scalar_of<T>(3)), kDone);
    ASSERT_EQ(factored.factor(), kDone);
    EXPECT_EQ(factored.pivot(), 2);
    ASSERT_EQ(factored.set_up(scalar_of<T>(9)), kDone);
    ASSERT_EQ(factored.factor(), kDone);
    EXPECT_EQ(factored.pivot(), -1);
  }
}

TYPED_TEST(SparseQr, Batches) {
  using T = TypeParam;
  Random random(63);
  const int m = 15, n = 11, batch = 5;
  std::vector<Dense> matrices{tall_matrix<T>(random, m, n)};
  const Csr<T> pattern(matrices[0], 1);
  std::vector<T> values = pattern.values, b;
  for (int k = 1; k < batch; ++k) {
    auto a = matrices[0];
    for (Number& x : a.numbers) x *= 1 + 0.1 * random.below(9);
    matrices.push_back(rounded<T>(a));
    const Csr<T> stored(matrices.back(), 1);
    ASSERT_EQ(stored.columns, pattern.columns);
    values.insert(values.end(), stored.values.begin(), stored.values.end());
  }
  const auto right = rounded<T>(random.matrix<T>(m, batch));
  const OnDevice<T> numbers(values), sides(numbers_of<T>(right)), spare(values);
  const OnDevice<T> out(std::vector<T>(static_cast<std::size_t>(n * batch)));
  const OnDevice<int> offsets(pattern.offsets), columns(pattern.columns);
  const Info info;
  std::size_t own = 0, work = 0;
  ASSERT_EQ(library().cusolverSpXcsrqrAnalysisBatched(handle(), m, n, pattern.count(), options_of(1), offsets.as(),
                                                      columns.as(), info),
            kDone);
  ASSERT_EQ(csrqrBufferInfoBatched<T>()(handle(), m, n, pattern.count(), options_of(1), numbers.as(), offsets.as(),
                                        columns.as(), batch, info, &own, &work),
            kDone);
  EXPECT_GT(work, 0U);
  ASSERT_EQ(csrqrsvBatched<T>()(handle(), m, n, pattern.count(), options_of(1), numbers.as(), offsets.as(),
                                columns.as(), sides.as(), out.as(), batch, info, spare.as()),
            kDone);
  const auto found = out.read();
  for (int k = 0; k < batch; ++k) {
    Dense side(m, 1);
    for (int i = 0; i < m; ++i) side(i, 0) = right(i, k);
    EXPECT_LE(left(matrices[static_cast<std::size_t>(k)], column_of(&found[static_cast<std::size_t>(k * n)], n), side)
                  .largest(),
              4000 * tolerance<T>());
  }
}

TEST(SparseQrCalls, WrongArguments) {
  const Csr<double> a(identity(9, 8), 0);
  auto* const options = options_of(0);
  const Info info;
  std::size_t own = 0, work = 0;
  std::vector<double> b(9, 1), x(8), buffer(99);
  const auto analyze = [&](SparseHandle* h, int m, int n, int count, const MatrixOptions* o, QrInfo* i) {
    return library().cusolverSpXcsrqrAnalysisHost(h, m, n, count, o, a.offsets.data(), a.columns.data(), i);
  };
  const auto size = [&](int m, std::size_t* out) {
    return library().cusolverSpDcsrqrBufferInfoHost(handle(), m, 8, 8, options, a.values.data(), a.offsets.data(),
                                                    a.columns.data(), info, out, &work);
  };
  EXPECT_EQ(size(9, &own), kWrong);  // no analysis yet
  EXPECT_EQ(analyze(nullptr, 9, 8, 8, options, info), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(analyze(handle(), 7, 8, 8, options, info), kWrong);
  EXPECT_EQ(analyze(handle(), 9, 0, 8, options, info), kWrong);
  EXPECT_EQ(analyze(handle(), 9, 8, 0, options, info), kWrong);
  EXPECT_EQ(analyze(handle(), 9, 8, 8, nullptr, info), kWrong);
  EXPECT_EQ(analyze(handle(), 9, 8, 8, options, nullptr), kWrong);
  ASSERT_EQ(analyze(handle(), 9, 8, 8, options, info), kDone);
  EXPECT_EQ(size(10, &own), kWrong);
  EXPECT_EQ(size(9, nullptr), kWrong);
  EXPECT_EQ(size(9, &own), kDone);
  EXPECT_EQ(library().cusolverSpDcsrqrSetupHost(handle(), 9, 8, 8, options, nullptr, a.offsets.data(), a.columns.data(),
                                                0, info),
            kWrong);
  ASSERT_EQ(library().cusolverSpDcsrqrSetupHost(handle(), 9, 8, 8, options, a.values.data(), a.offsets.data(),
                                                a.columns.data(), 0, info),
            kDone);
  std::vector<float> single(9);
  EXPECT_EQ(library().cusolverSpScsrqrFactorHost(handle(), 9, 8, 8, nullptr, nullptr, info, buffer.data()), kWrong);
  EXPECT_EQ(library().cusolverSpDcsrqrFactorHost(handle(), 9, 8, 8, nullptr, nullptr, info, nullptr), kWrong);
  ASSERT_EQ(library().cusolverSpDcsrqrFactorHost(handle(), 9, 8, 8, nullptr, nullptr, info, buffer.data()), kDone);
  EXPECT_EQ(library().cusolverSpScsrqrSolveHost(handle(), 9, 8, single.data(), single.data(), info, buffer.data()),
            kWrong);
  EXPECT_EQ(library().cusolverSpDcsrqrSolveHost(handle(), 9, 8, nullptr, x.data(), info, buffer.data()), kWrong);
  EXPECT_EQ(library().cusolverSpDcsrqrSolveHost(handle(), 8, 8, b.data(), x.data(), info, buffer.data()), kWrong);
  EXPECT_EQ(library().cusolverSpDcsrqrSolveHost(handle(), 9, 8, b.data(), x.data(), info, buffer.data()), kDone);
  EXPECT_EQ(x, std::vector<double>(8, 1));
  EXPECT_EQ(library().cusolverSpCreateCsrqrInfo(nullptr), kWrong);
  EXPECT_EQ(library().cusolverSpDestroyCsrqrInfo(nullptr), kDone);
  EXPECT_EQ(library().cusolverSpDestroyCsrqrInfoHost(nullptr), kDone);
}

}  // namespace
}  // namespace nvmlkit::library_test
