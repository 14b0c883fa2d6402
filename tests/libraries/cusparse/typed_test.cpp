// The functions with typed arguments: blocks, sums, factors, bands, conversions.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Typed : testing::Test {};
using Scalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Typed, Scalars);

NVMLKIT_SPARSE(bsrmv)
NVMLKIT_SPARSE(bsrmm)
NVMLKIT_SPARSE(bsrsm2_solve)
NVMLKIT_SPARSE(csrgeam2)
NVMLKIT_SPARSE(csrilu02)
NVMLKIT_SPARSE(csric02)

TYPED_TEST(Typed, BlockProducts) {
  using T = TypeParam;
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const int block = 1 + random.below(3), m = block * (1 + random.below(4)), n = block * (1 + random.below(4));
    const auto form = blocks_of(random, block);
    const auto a = sparse_numbers<T>(random, m, n);
    const OnDeviceSparse<T> matrix(a, form);
    const Options options(form.base);
    const T two = number_as<T>(2), half = number_as<T>(0.5);
    const auto x = dense_numbers<T>(random, n, 1), y = dense_numbers<T>(random, m, 1);
    const OnDeviceVector<T> from(x), to(y);
    void *in = nullptr, *out = nullptr;
    ASSERT_EQ(library().cusparseDnVecGetValues(from.vector, &in), kFine);
    ASSERT_EQ(library().cusparseDnVecGetValues(to.vector, &out), kFine);
    ASSERT_EQ(bsrmv<T>()(sparse(), direction_of(form), kNone, m / block, n / block, matrix.count(), &two, options,
                         matrix.values.as(), matrix.offsets.template as<int>(), matrix.indices.template as<int>(),
                         block, static_cast<T*>(in), &half, static_cast<T*>(out)),
              kFine);
    auto want = a * x;
    for (std::size_t k = 0; k < want.numbers.size(); ++k) want.numbers[k] = 2.0 * want.numbers[k] + 0.5 * y.numbers[k];
    EXPECT_LE(distance(to.get(), want), kTolerance<T> * 4);

    const auto op = random_operation<T>(random);
    const auto b = dense_numbers<T>(random, n, 3);
    const OnDeviceDense<T> right(applied(op, b), CUSPARSE_ORDER_COL, 1), product(Numbers(m, 3), CUSPARSE_ORDER_COL, 2);
    const T none{};
    ASSERT_EQ(
        bsrmm<T>()(sparse(), direction_of(form), kNone, op, m / block, 3, n / block, matrix.count(), &two, options,
                   matrix.values.as(), matrix.offsets.template as<int>(), matrix.indices.template as<int>(), block,
                   right.data(), right.leading(), &none, product.data(), product.leading()),
        kFine);
    EXPECT_LE(distance(product.get(), a * b + a * b), kTolerance<T> * 4);
  }
}

TYPED_TEST(Typed, BlockTriangles) {
  using T = TypeParam;
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    const int block = 1 + random.below(3), n = block * (1 + random.below(4));
    const auto form = blocks_of(random, block);
    auto a = sparse_numbers<T>(random, n, n);
    for (int i = 0; i < n; ++i) a(i, i) = 4;
    const bool has_zero = random.below(4) == 0;
    const int zero_row = random.below(n);
    if (has_zero) a(zero_row, zero_row) = 0;
    const OnDeviceSparse<T> matrix(a, form);
    const Options options(form.base);
    const bool is_lower = random.below(2);
    ASSERT_EQ(library().cusparseSetMatFillMode(options, is_lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER),
              kFine);
    const auto op = random_operation<T>(random), op_x = random_operation<T>(random);
    const auto b = dense_numbers<T>(random, n, 3);
    const OnDeviceDense<T> side(applied(op_x, b), CUSPARSE_ORDER_COL, 1),
        solution(applied(op_x, b), CUSPARSE_ORDER_COL, 2);
    PivotInfo* info = nullptr;
    ASSERT_EQ(library().cusparseCreateBsrsm2Info(&info), kFine);
    const T one = number_as<T>(1);
    ASSERT_EQ(bsrsm2_solve<T>()(sparse(), direction_of(form), op, op_x, n / block, 3, matrix.count(), &one, options,
                                matrix.values.as(), matrix.offsets.template as<int>(),
                                matrix.indices.template as<int>(), block, info, side.data(), side.leading(),
                                solution.data(), solution.leading(), CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              kFine);
    int position = 77;
    const auto status = library().cusparseXbsrsm2_zeroPivot(sparse(), info, &position);
    if (has_zero) {
      EXPECT_EQ(status, CUSPARSE_STATUS_ZERO_PIVOT);
      EXPECT_EQ(position, zero_row / block + form.base);
    } else {
      EXPECT_EQ(status, kFine);
      EXPECT_EQ(position, -1);
      const auto x = applied(op_x, solution.get());
      EXPECT_LE(distance(applied(op, is_lower ? a.lower() : a.upper()) * x, b), kTolerance<T> * (1 + x.largest()) * 20);
    }
    EXPECT_EQ(library().cusparseDestroyBsrsm2Info(info), kFine);
  }
}

TYPED_TEST(Typed, Sums) {
  using T = TypeParam;
  Random random(13);
  for (int round = 0; round < 30; ++round) {
    const int m = random.below(12), n = random.below(12);
    Form form_a, form_b;
    form_a.base = random.below(2);
    form_b.base = random.below(2);
    const auto a = sparse_numbers<T>(random, m, n), b = sparse_numbers<T>(random, m, n);
    const OnDeviceSparse<T> left(a, form_a), right(b, form_b);
    const Options options_a(form_a.base), options_b(form_b.base), options_c;
    const OnDevice<int> offsets(std::vector<int>(static_cast<std::size_t>(m + 1), -1));
    int total = -1;
    ASSERT_EQ(library().cusparseXcsrgeam2Nnz(sparse(), m, n, options_a, left.count(), left.offsets.template as<int>(),
                                             left.indices.template as<int>(), options_b, right.count(),
                                             right.offsets.template as<int>(), right.indices.template as<int>(),
                                             options_c, offsets.as(), &total, nullptr),
              kFine);
    const OnDevice<int> indices(std::vector<int>(static_cast<std::size_t>(total + 1)));
    const OnDevice<T> values(std::vector<T>(static_cast<std::size_t>(total + 1)));
    const T two = number_as<T>(2), one = number_as<T>(1);
    ASSERT_EQ(
        csrgeam2<T>()(sparse(), m, n, &two, options_a, left.count(), left.values.as(), left.offsets.template as<int>(),
                      left.indices.template as<int>(), &one, options_b, right.count(), right.values.as(),
                      right.offsets.template as<int>(), right.indices.template as<int>(), options_c, values.as(),
                      offsets.as(), indices.as(), nullptr),
        kFine);
    const auto begins = offsets.read(), columns = indices.read();
    const auto numbers = values.read();
    Numbers got(m, n);
    for (int i = 0; i < m; ++i)
      for (int k = begins[static_cast<std::size_t>(i)]; k < begins[static_cast<std::size_t>(i) + 1]; ++k)
        got(i, columns[static_cast<std::size_t>(k)]) = wide(numbers[static_cast<std::size_t>(k)]);
    EXPECT_EQ(begins.back(), total);
    EXPECT_LE(distance(got, a + a + b), kTolerance<T>);
  }
}

// L U has the numbers of the matrix wherever it has one: that is what ILU(0) means.
TYPED_TEST(Typed, FactorsWithoutFillIn) {
  using T = TypeParam;
  Random random(14);
  for (int round = 0; round < 20; ++round) {
    const int n = 3 + random.below(15);
    Form form;
    form.base = random.below(2);
    auto a = sparse_numbers<T>(random, n, n);
    for (int i = 0; i < n; ++i) a(i, i) = 2.0 * n;
    const OnDeviceSparse<T> lu(a, form);
    const Options options(form.base);
    PivotInfo* info = nullptr;
    ASSERT_EQ(library().cusparseCreateCsrilu02Info(&info), kFine);
    ASSERT_EQ(csrilu02<T>()(sparse(), n, lu.count(), options, lu.values.as(), lu.offsets.template as<int>(),
                            lu.indices.template as<int>(), info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
              kFine);
    int position = 0;
    EXPECT_EQ(library().cusparseXcsrilu02_zeroPivot(sparse(), info, &position), kFine);
    EXPECT_EQ(library().cusparseDestroyCsrilu02Info(info), kFine);
    const auto back = [&](const OnDeviceSparse<T>& from) {
      Numbers out(n, n);
      const auto numbers = from.get_values();
      for (int i = 0; i < n; ++i)
        for (auto k = from.arrays.offsets[static_cast<std::size_t>(i)];
             k < from.arrays.offsets[static_cast<std::size_t>(i) + 1]; ++k)
          out(i, static_cast<int>(from.arrays.indices[static_cast<std::size_t>(k)])) =
              numbers[static_cast<std::size_t>(k)];
      return out;
    };
    auto lower = back(lu).lower();
    for (int i = 0; i < n; ++i) lower(i, i) = 1;
    const auto at_entries = [](const Numbers& pattern, const Numbers& numbers) {
      return numbers.only([&](int i, int j) { return pattern(i, j) != Number(); });
    };
    EXPECT_LE(distance(at_entries(a, lower * back(lu).upper()), a), kTolerance<T> * n * 10);

    auto positive = a + a.adjoint();
    for (Number& x : positive.numbers) x = wide(number_as<T>(x));
    const OnDeviceSparse<T> cholesky(positive, form);
    ASSERT_EQ(library().cusparseCreateCsric02Info(&info), kFine);
    ASSERT_EQ(
        csric02<T>()(sparse(), n, cholesky.count(), options, cholesky.values.as(), cholesky.offsets.template as<int>(),
                     cholesky.indices.template as<int>(), info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr),
        kFine);
    EXPECT_EQ(library().cusparseXcsric02_zeroPivot(sparse(), info, &position), kFine);
    EXPECT_EQ(library().cusparseDestroyCsric02Info(info), kFine);
    const auto factor = back(cholesky).lower();
    EXPECT_LE(distance(at_entries(positive, factor * factor.adjoint()), positive), kTolerance<T> * n * 20);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
