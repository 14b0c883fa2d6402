// Blocks of any height and width: conversions between them and to entries, products of some rows.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct GeneralBlocks : testing::Test {};
using BlockScalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(GeneralBlocks, BlockScalars);

NVMLKIT_SPARSE(gebsr2gebsc_bufferSize)
NVMLKIT_SPARSE(gebsr2gebsc)
NVMLKIT_SPARSE(gebsr2gebsr_bufferSize)
NVMLKIT_SPARSE(gebsr2gebsr)
NVMLKIT_SPARSE(bsrxmv)

template <class T>
Numbers of_entries(const std::vector<T>& values, const std::vector<int>& offsets, const std::vector<int>& columns,
                   int base, const Form& form, int m, int n) {
  Numbers out(m, n);
  const int high = form.block_rows, wide_block = form.block_columns, area = high * wide_block;
  for (int i = 0; i + 1 < static_cast<int>(offsets.size()); ++i)
    for (int k = offsets[static_cast<std::size_t>(i)] - base; k < offsets[static_cast<std::size_t>(i) + 1] - base; ++k)
      for (int e = 0; e < area; ++e) {
        const bool by_rows = form.block_order == CUSPARSE_ORDER_ROW;
        const int row = i * high + (by_rows ? e / wide_block : e % high);
        const int column =
            (columns[static_cast<std::size_t>(k)] - base) * wide_block + (by_rows ? e % wide_block : e / high);
        const auto number = wide(values[static_cast<std::size_t>(k * area + e)]);
        if (row < m && column < n)
          out(row, column) = number;
        else
          EXPECT_EQ(number, Number()) << "beyond the matrix";
      }
  return out;
}
// A matrix of the device in blocks, whose creation by the generic interface is not asked for.
template <class T>
struct DeviceBlocks {
  Arrays arrays;
  OnDevice<int> offsets, indices;
  OnDevice<T> values;

  DeviceBlocks(const Numbers& a, const Form& form)
      : arrays(blocks(a, a, form)),
        offsets(based(arrays.offsets, form.base)),
        indices(based(arrays.indices, form.base)),
        values(padded(arrays.values)) {}
  int count() const { return static_cast<int>(arrays.indices.size()); }

  static std::vector<int> based(const std::vector<Size>& from, int base) {
    std::vector<int> out;
    for (const Size x : from) out.push_back(static_cast<int>(x) + base);
    out.push_back(-1);
    return out;
  }
  static std::vector<T> padded(const std::vector<Number>& from) {
    auto out = all_as<T>(from);
    out.push_back(T{});
    return out;
  }
};
Form general_form(Random& random) {
  Form out = blocks_of(random, 1);
  out.block_rows = 1 + random.below(3);
  out.block_columns = 1 + random.below(3);
  return out;
}

TYPED_TEST(GeneralBlocks, OtherBlocks) {
  using T = TypeParam;
  Random random(31);
  for (int round = 0; round < 40; ++round) {
    const auto form = general_form(random);
    auto to = general_form(random);
    to.block_order = form.block_order;
    const int mb = random.below(5), nb = 1 + random.below(4), m = mb * form.block_rows, n = nb * form.block_columns;
    const auto a = sparse_numbers<T>(random, m, n, 15);
    const DeviceBlocks<T> from(a, form);
    const Options options(form.base), to_options(to.base);
    const int rows = (m + to.block_rows - 1) / to.block_rows;
    const OnDevice<int> offsets(std::vector<int>(static_cast<std::size_t>(rows + 1), -1));
    int total = -1, size = 0;
    EXPECT_EQ(gebsr2gebsr_bufferSize<T>()(sparse(), direction_of(form), mb, nb, from.count(), options, from.values.as(),
                                          from.offsets.as(), from.indices.as(), form.block_rows, form.block_columns,
                                          to.block_rows, to.block_columns, &size),
              kFine);
    ASSERT_EQ(
        library().cusparseXgebsr2gebsrNnz(sparse(), direction_of(form), mb, nb, from.count(), options,
                                          from.offsets.as(), from.indices.as(), form.block_rows, form.block_columns,
                                          to_options, offsets.as(), to.block_rows, to.block_columns, &total, nullptr),
        kFine);
    const OnDevice<int> indices(std::vector<int>(static_cast<std::size_t>(total + 1)));
    const OnDevice<T> values(
        std::vector<T>(static_cast<std::size_t>(total * to.block_rows * to.block_columns + 1), number_as<T>(9)));
    ASSERT_EQ(gebsr2gebsr<T>()(sparse(), direction_of(form), mb, nb, from.count(), options, from.values.as(),
                               from.offsets.as(), from.indices.as(), form.block_rows, form.block_columns, to_options,
                               values.as(), offsets.as(), indices.as(), to.block_rows, to.block_columns, nullptr),
              kFine);
    EXPECT_LE(distance(of_entries(values.read(), offsets.read(), indices.read(), to.base, to, m, n), a), 0)
        << "round " << round;
  }
}

TYPED_TEST(GeneralBlocks, TheOtherDirection) {
  using T = TypeParam;
  Random random(32);
  for (int round = 0; round < 30; ++round) {
    const auto form = general_form(random);
    const int mb = 1 + random.below(4), nb = 1 + random.below(4), m = mb * form.block_rows, n = nb * form.block_columns;
    const int area = form.block_rows * form.block_columns;
    const auto a = sparse_numbers<T>(random, m, n, 15);
    const DeviceBlocks<T> from(a, form);
    const OnDevice<int> offsets(std::vector<int>(static_cast<std::size_t>(nb + 1), -1));
    const OnDevice<int> indices(std::vector<int>(static_cast<std::size_t>(from.count() + 1)));
    const OnDevice<T> values(std::vector<T>(static_cast<std::size_t>(from.count() * area + 1), number_as<T>(9)));
    const auto base = static_cast<cusparseIndexBase_t>(form.base);
    int size = 0;
    EXPECT_EQ(gebsr2gebsc_bufferSize<T>()(sparse(), mb, nb, from.count(), from.values.as(), from.offsets.as(),
                                          from.indices.as(), form.block_rows, form.block_columns, &size),
              kFine);
    const auto turn = [&](cusparseAction_t action) {
      return gebsr2gebsc<T>()(sparse(), mb, nb, from.count(), from.values.as(), from.offsets.as(), from.indices.as(),
                              form.block_rows, form.block_columns, values.as(), indices.as(), offsets.as(), action,
                              base, nullptr);
    };
    ASSERT_EQ(turn(CUSPARSE_ACTION_SYMBOLIC), kFine);
    EXPECT_EQ(wide(values.read()[0]), Number(9));
    ASSERT_EQ(turn(CUSPARSE_ACTION_NUMERIC), kFine);
    // Each block is what it was: a column of blocks of A is a row of blocks here, with the blocks themselves not
    // turned.
    const auto begins = offsets.read(), rows = indices.read();
    const auto numbers = values.read();
    Numbers got(m, n);
    for (int j = 0; j < nb; ++j)
      for (int k = begins[static_cast<std::size_t>(j)] - form.base;
           k < begins[static_cast<std::size_t>(j) + 1] - form.base; ++k)
        for (int e = 0; e < area; ++e) {
          const bool by_rows = form.block_order == CUSPARSE_ORDER_ROW;
          const int r = by_rows ? e / form.block_columns : e % form.block_rows;
          const int c = by_rows ? e % form.block_columns : e / form.block_rows;
          got((rows[static_cast<std::size_t>(k)] - form.base) * form.block_rows + r, j * form.block_columns + c) =
              wide(numbers[static_cast<std::size_t>(k * area + e)]);
        }
    EXPECT_LE(distance(got, a), 0) << "round " << round;
  }
}

TYPED_TEST(GeneralBlocks, ProductsOfSomeRows) {
  using T = TypeParam;
  Random random(33);
  for (int round = 0; round < 30; ++round) {
    const int block = 1 + random.below(3), mb = 1 + random.below(5), nb = 1 + random.below(4);
    const int m = mb * block, n = nb * block;
    const auto form = blocks_of(random, block);
    const auto a = sparse_numbers<T>(random, m, n);
    const DeviceBlocks<T> from(a, form);
    const Options options(form.base);
    std::vector<int> mask, ends;
    for (int i = 0; i < mb; ++i) {
      if (random.below(2)) mask.push_back(i + form.base);
      // Some rows end early.
      const auto first = from.arrays.offsets[static_cast<std::size_t>(i)];
      const auto last = from.arrays.offsets[static_cast<std::size_t>(i) + 1];
      ends.push_back(static_cast<int>(last > first && i % 2 ? last - 1 : last) + form.base);
    }
    auto want_a = a;
    for (int i = 1; i < mb; i += 2) {
      const auto last = from.arrays.offsets[static_cast<std::size_t>(i) + 1];
      if (last == from.arrays.offsets[static_cast<std::size_t>(i)]) continue;
      const auto gone = static_cast<int>(from.arrays.indices[static_cast<std::size_t>(last - 1)]);
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) want_a(i * block + r, gone * block + c) = 0;
    }
    const auto masked = static_cast<int>(mask.size());
    mask.push_back(-1);
    const OnDevice<int> places(mask), row_ends(ends);
    const auto x = dense_numbers<T>(random, n, 1), y = dense_numbers<T>(random, m, 1);
    const OnDevice<T> side(all_as<T>(x.numbers)), out(all_as<T>(y.numbers));
    const T two = number_as<T>(2), half = number_as<T>(0.5);
    ASSERT_EQ(bsrxmv<T>()(sparse(), direction_of(form), kNone, masked, mb, nb, from.count(), &two, options,
                          from.values.as(), places.as(), from.offsets.as(), row_ends.as(), from.indices.as(), block,
                          side.as(), &half, out.as()),
              kFine);
    auto want = y;
    const auto product = want_a * x;
    for (int k = 0; k < masked; ++k)
      for (int r = 0; r < block; ++r) {
        const int row = (mask[static_cast<std::size_t>(k)] - form.base) * block + r;
        want(row, 0) = 2.0 * product(row, 0) + 0.5 * y(row, 0);
      }
    Numbers got(m, 1);
    const auto all = out.read();
    for (int i = 0; i < m; ++i) got(i, 0) = wide(all[static_cast<std::size_t>(i)]);
    EXPECT_LE(distance(got, want), 4 * kTolerance<T>) << "round " << round;
  }
}

TEST(GeneralBlocksCalls, WrongArguments) {
  const OnDevice<float> values(std::vector<float>(12, 1)), more(std::vector<float>(12));
  const OnDevice<int> offsets(std::vector<int>{0, 1, 2}), indices(std::vector<int>{0, 1}), out(std::vector<int>(9));
  const Options options;
  int total = 0;
  const auto count = [&](Handle* h, int direction, int rows, int height, int to_width, const MatrixOptions* o,
                         int* answer) {
    return library().cusparseXgebsr2gebsrNnz(h, static_cast<cusparseDirection_t>(direction), rows, 2, 2, options,
                                             offsets.as(), indices.as(), height, 3, o, out.as(), 2, to_width, answer,
                                             nullptr);
  };
  EXPECT_EQ(count(sparse(), 0, 2, 2, 3, options, &total), kFine);
  EXPECT_EQ(total, 2);
  EXPECT_EQ(count(nullptr, 0, 2, 2, 3, options, &total), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(count(sparse(), 2, 2, 2, 3, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 0, -1, 2, 3, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 0, 2, 0, 3, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 0, 2, 2, 0, options, &total), kWrong);
  EXPECT_EQ(count(sparse(), 0, 2, 2, 3, nullptr, &total), kWrong);
  EXPECT_EQ(count(sparse(), 0, 2, 2, 3, options, nullptr), kWrong);
  const auto turn = [&](int height, int action, int base, float* to) {
    return library().cusparseSgebsr2gebsc(sparse(), 2, 2, 2, values.as(), offsets.as(), indices.as(), height, 3, to,
                                          out.as(), out.as() + 4, static_cast<cusparseAction_t>(action),
                                          static_cast<cusparseIndexBase_t>(base), nullptr);
  };
  EXPECT_EQ(turn(2, 1, 0, more.as()), kFine);
  EXPECT_EQ(turn(2, 0, 0, nullptr), kFine);  // the pattern alone
  EXPECT_EQ(turn(2, 1, 0, nullptr), kWrong);
  EXPECT_EQ(turn(0, 1, 0, more.as()), kWrong);
  EXPECT_EQ(turn(2, 2, 0, more.as()), kWrong);
  EXPECT_EQ(turn(2, 1, 2, more.as()), kWrong);
}

}  // namespace
}  // namespace nvmlkit::library_test
