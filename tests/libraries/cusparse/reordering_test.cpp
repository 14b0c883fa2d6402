// Columns in ascending order and back; colours of rows.
#include <set>

#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Reordering : testing::Test {};
using OrderScalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Reordering, OrderScalars);

NVMLKIT_SPARSE(csru2csr_bufferSizeExt)
NVMLKIT_SPARSE(csru2csr)
NVMLKIT_SPARSE(csr2csru)
NVMLKIT_SPARSE(csrcolor)

TYPED_TEST(Reordering, SortedRowsAndBack) {
  using T = TypeParam;
  Random random(41);
  RowOrder* order = nullptr;
  ASSERT_EQ(library().cusparseCreateCsru2csrInfo(&order), kFine);
  for (int round = 0; round < 20; ++round) {
    const int m = random.below(9), n = 1 + random.below(9), base = random.below(2);
    const auto a = sparse_numbers<T>(random, m, n, 50);
    auto arrays = compressed(a, true);
    std::vector<int> offsets, columns, sorted;
    for (const Size x : arrays.offsets) offsets.push_back(static_cast<int>(x) + base);
    std::mt19937 source(static_cast<unsigned>(round));
    std::vector<std::size_t> mixed(arrays.indices.size());
    std::iota(mixed.begin(), mixed.end(), std::size_t{0});
    for (int i = 0; i < m; ++i)
      std::shuffle(mixed.begin() + arrays.offsets[static_cast<std::size_t>(i)],
                   mixed.begin() + arrays.offsets[static_cast<std::size_t>(i) + 1], source);
    std::vector<Number> numbers;
    for (const std::size_t k : mixed) {
      columns.push_back(static_cast<int>(arrays.indices[k]) + base);
      numbers.push_back(arrays.values[k]);
    }
    for (const Size x : arrays.indices) sorted.push_back(static_cast<int>(x) + base);
    const auto count = static_cast<int>(columns.size());
    columns.push_back(-1);
    sorted.push_back(-1);
    numbers.emplace_back();
    arrays.values.emplace_back();
    const Options options(base);
    const OnDevice<int> begins(offsets), places(columns);
    const OnDevice<T> values(all_as<T>(numbers));
    std::size_t size = 0;
    EXPECT_EQ(csru2csr_bufferSizeExt<T>()(sparse(), m, n, count, values.as(), begins.as(), places.as(), order, &size),
              kFine);
    ASSERT_EQ(csru2csr<T>()(sparse(), m, n, count, options, values.as(), begins.as(), places.as(), order, nullptr),
              kFine);
    EXPECT_EQ(places.read(), sorted);
    EXPECT_EQ(values.read(), all_as<T>(arrays.values));
    ASSERT_EQ(csr2csru<T>()(sparse(), m, n, count, options, values.as(), begins.as(), places.as(), order, nullptr),
              kFine);
    EXPECT_EQ(places.read(), columns);
    EXPECT_EQ(values.read(), all_as<T>(numbers));
  }
  EXPECT_EQ(library().cusparseDestroyCsru2csrInfo(order), kFine);
}

TYPED_TEST(Reordering, NeighboursHaveOtherColours) {
  using T = TypeParam;
  using R = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, Complex>, float, double>;
  Random random(42);
  ColorInfo* info = nullptr;
  ASSERT_EQ(library().cusparseCreateColorInfo(&info), kFine);
  for (int round = 0; round < 30; ++round) {
    const int m = random.below(25);
    Form form;
    form.base = random.below(2);
    const auto a = sparse_numbers<T>(random, m, m, 12);
    const OnDeviceSparse<T> matrix(a, form);
    const Options options(form.base);
    const R fraction = round % 2 ? R(1) : static_cast<R>(0.5 * (random.number() + 1));
    const OnDevice<int> colors(std::vector<int>(static_cast<std::size_t>(m + 1), -7)),
        order(std::vector<int>(static_cast<std::size_t>(m + 1), -7));
    int total = -1;
    ASSERT_EQ(csrcolor<T>()(sparse(), m, matrix.count(), options, matrix.values.as(), matrix.offsets.template as<int>(),
                            matrix.indices.template as<int>(), &fraction, &total, colors.as(),
                            round % 3 ? order.as() : nullptr, info),
              kFine);
    const auto found = colors.read();
    std::set<int> used;
    for (int i = 0; i < m; ++i) {
      const int color = found[static_cast<std::size_t>(i)];
      used.insert(color);
      EXPECT_TRUE(color >= 0 && color < total);
      for (int j = 0; j < i; ++j) {
        const bool are_neighbours = a(i, j) != Number() || a(j, i) != Number();
        EXPECT_FALSE(are_neighbours && color == found[static_cast<std::size_t>(j)]);
      }
    }
    EXPECT_EQ(static_cast<int>(used.size()), total);
    if (round % 3 == 0) continue;
    const auto rows = order.read();
    std::set<int> all;
    for (int k = 0, last = 0; k < m; ++k) {
      const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(k)]);
      all.insert(rows[static_cast<std::size_t>(k)]);
      EXPECT_LE(std::exchange(last, found[row]), found[row]);
    }
    EXPECT_EQ(static_cast<int>(all.size()), m);
  }
  EXPECT_EQ(library().cusparseDestroyColorInfo(info), kFine);
}

TEST(ReorderingCalls, WrongArguments) {
  const OnDevice<int> offsets(std::vector<int>{0, 1, 2}), columns(std::vector<int>{1, 0}), out(std::vector<int>(2));
  const OnDevice<float> values(std::vector<float>(2, 1));
  const Options options;
  ColorInfo* info = nullptr;
  RowOrder* order = nullptr;
  ASSERT_EQ(library().cusparseCreateColorInfo(&info), kFine);
  ASSERT_EQ(library().cusparseCreateCsru2csrInfo(&order), kFine);
  const float all = 1;
  int total = 0;
  const auto color = [&](int m, const float* fraction, int* count, int* to, const ColorInfo* i) {
    return library().cusparseScsrcolor(sparse(), m, 2, options, values.as(), offsets.as(), columns.as(), fraction,
                                       count, to, nullptr, i);
  };
  EXPECT_EQ(color(2, &all, &total, out.as(), info), kFine);
  EXPECT_EQ(total, 2);
  EXPECT_EQ(color(-1, &all, &total, out.as(), info), kWrong);
  EXPECT_EQ(color(2, nullptr, &total, out.as(), info), kWrong);
  EXPECT_EQ(color(2, &all, nullptr, out.as(), info), kWrong);
  EXPECT_EQ(color(2, &all, &total, nullptr, info), kWrong);
  EXPECT_EQ(color(2, &all, &total, out.as(), nullptr), kWrong);
  const auto sort = [&](int m, float* to, RowOrder* o) {
    return library().cusparseScsru2csr(sparse(), m, 2, 2, options, to, offsets.as(), columns.as(), o, nullptr);
  };
  EXPECT_EQ(sort(2, values.as(), order), kFine);
  EXPECT_EQ(sort(-2, values.as(), order), kWrong);
  EXPECT_EQ(sort(2, nullptr, order), kWrong);
  EXPECT_EQ(sort(2, values.as(), nullptr), kWrong);
  EXPECT_EQ(library().cusparseDestroyColorInfo(info), kFine);
  EXPECT_EQ(library().cusparseDestroyCsru2csrInfo(order), kFine);
}

}  // namespace
}  // namespace nvmlkit::library_test
