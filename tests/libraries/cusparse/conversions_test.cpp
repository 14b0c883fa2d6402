// Between formats, sorted indices, sparse vectors.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Conversions : testing::Test {};
using Types = testing::Types<float, double, Complex, DoubleComplex, blas::Half, blas::Bfloat16>;
TYPED_TEST_SUITE(Conversions, Types);

TYPED_TEST(Conversions, SparseToDense) {
  using T = TypeParam;
  Random random(31);
  for (int round = 0; round < 40; ++round) {
    const auto a = sparse_numbers<T>(random, 6 * random.below(4), 6 * random.below(4));
    const OnDeviceSparse<T> from(a, random_form(random));
    const OnDeviceDense<T> to(Numbers(a.rows, a.columns), random_order(random), random.below(2));
    ASSERT_EQ(
        library().cusparseSparseToDense(sparse(), from.matrix, to.matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr),
        kFine);
    EXPECT_EQ(distance(to.get(), a), 0);
  }
}

TYPED_TEST(Conversions, DenseToSparse) {
  using T = TypeParam;
  Random random(32);
  for (int round = 0; round < 40; ++round) {
    const auto a = sparse_numbers<T>(random, 1 + random.below(12), 1 + random.below(12));
    auto form = random_form(random);
    if (form.format == CUSPARSE_FORMAT_BSR) form.format = CUSPARSE_FORMAT_CSR;
    const OnDeviceDense<T> from(a, random_order(random), 1);
    const OnDeviceSparse<T> same(a, form);  // what is expected, and an object with room for it
    SparseMatrix* const to = same.matrix;
    const OnDevice<char> offsets(std::vector<char>(same.offsets.read().size())),
        indices(std::vector<char>(same.indices.read().size()));
    const OnDevice<T> values(std::vector<T>(same.values.read().size()));
    const auto set = form.format == CUSPARSE_FORMAT_COO   ? library().cusparseCooSetPointers
                     : form.format == CUSPARSE_FORMAT_CSC ? library().cusparseCscSetPointers
                                                          : library().cusparseCsrSetPointers;
    ASSERT_EQ(set(to, offsets.as(), indices.as(), values.as()), kFine);
    ASSERT_EQ(library().cusparseDenseToSparse_analysis(sparse(), from.matrix, to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                                       nullptr),
              kFine);
    Size rows = 0, columns = 0, count = -1;
    ASSERT_EQ(library().cusparseSpMatGetSize(to, &rows, &columns, &count), kFine);
    EXPECT_EQ(count, same.count());
    ASSERT_EQ(
        library().cusparseDenseToSparse_convert(sparse(), from.matrix, to, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr),
        kFine);
    EXPECT_EQ(offsets.read(), same.offsets.read());
    EXPECT_EQ(indices.read(), same.indices.read());
    const auto want = same.values.read(), got = values.read();
    EXPECT_EQ(std::memcmp(want.data(), got.data(), want.size() * sizeof(T)), 0);
  }
}

TYPED_TEST(Conversions, SparseVectors) {
  using T = TypeParam;
  using C = ComputeOf<T>;
  Random random(33);
  for (int round = 0; round < 20; ++round) {
    const auto numbers = sparse_numbers<T>(random, 1, 1 + random.below(30)),
               dense = dense_numbers<T>(random, numbers.columns, 1);
    Form form;
    form.base = random.below(2);
    const OnDeviceSparse<T> row(numbers, form);  // its indices and values are those of a sparse vector
    SparseVector* x = nullptr;
    ASSERT_EQ(library().cusparseCreateSpVec(&x, numbers.columns, row.count(), row.indices.as(), row.values.as(),
                                            CUSPARSE_INDEX_32I, static_cast<cusparseIndexBase_t>(form.base), kType<T>),
              kFine);
    const OnDeviceVector<T> y(dense);
    C dot{};
    ASSERT_EQ(library().cusparseSpVV(sparse(), kNone, x, y.vector, &dot, kType<C>, nullptr), kFine);
    EXPECT_LE(std::abs(wide(dot) - (numbers * dense)(0, 0)), kTolerance<T> * 4);
    const C two = number_as<C>(2), three = number_as<C>(3);
    ASSERT_EQ(library().cusparseAxpby(sparse(), &two, x, &three, y.vector), kFine);
    auto want = numbers.transposed();
    for (std::size_t k = 0; k < want.numbers.size(); ++k)
      want.numbers[k] = 2.0 * want.numbers[k] + 3.0 * dense.numbers[k];
    EXPECT_LE(distance(y.get(), want), kTolerance<T> * 2);
    const auto now = y.get();
    ASSERT_EQ(library().cusparseGather(sparse(), y.vector, x), kFine);
    auto places = row.arrays.indices;
    const auto got = row.get_values();
    for (std::size_t k = 0; k < places.size(); ++k) EXPECT_EQ(got[k], now(static_cast<int>(places[k]), 0));
    EXPECT_EQ(library().cusparseDestroySpVec(x), kFine);
  }
}

TEST(Indices, SortedByRowAndByColumn) {
  Random random(34);
  for (int round = 0; round < 20; ++round) {
    const int m = 1 + random.below(9), n = 1 + random.below(9), count = random.below(40);
    std::vector<int> rows, columns, order(static_cast<std::size_t>(count) + 1);
    for (int k = 0; k <= count; ++k) {
      rows.push_back(random.below(m));
      columns.push_back(random.below(n));
    }
    const OnDevice<int> i(rows), j(columns), p(order);
    const bool by_rows = random.below(2);
    ASSERT_EQ(library().cusparseCreateIdentityPermutation(sparse(), count, p.as()), kFine);
    const auto sort = by_rows ? library().cusparseXcoosortByRow : library().cusparseXcoosortByColumn;
    ASSERT_EQ(sort(sparse(), m, n, count, i.as(), j.as(), p.as(), nullptr), kFine);
    const auto si = i.read(), sj = j.read(), sp = p.read();
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      EXPECT_EQ(si[k], rows[static_cast<std::size_t>(sp[k])]);
      EXPECT_EQ(sj[k], columns[static_cast<std::size_t>(sp[k])]);
      const auto key = [&](std::size_t x) { return by_rows ? std::pair(si[x], sj[x]) : std::pair(sj[x], si[x]); };
      if (k > 0) {
        EXPECT_LE(key(k - 1), key(k));
      }
    }
    if (!by_rows) continue;
    const OnDevice<int> offsets(std::vector<int>(static_cast<std::size_t>(m) + 1)), back(rows);
    ASSERT_EQ(library().cusparseXcoo2csr(sparse(), i.as(), count, m, offsets.as(), CUSPARSE_INDEX_BASE_ZERO), kFine);
    ASSERT_EQ(library().cusparseXcsr2coo(sparse(), offsets.as(), count, m, back.as(), CUSPARSE_INDEX_BASE_ZERO), kFine);
    EXPECT_EQ(back.read(), si);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
