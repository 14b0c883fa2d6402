// LU and Cholesky factors on several GPUs: they give the matrix again, and solve its equations.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct FactorsOfSeveral : testing::Test {};
TYPED_TEST_SUITE(FactorsOfSeveral, Scalars);

TYPED_TEST(FactorsOfSeveral, Cholesky) {
  using T = TypeParam;
  Random random(1);
  for (int turn = 0; turn < 18; ++turn) {
    const Several on(some_gpus(turn));
    const int n = 1 + random.below(30), columns = 1 + random.below(5), tile = 1 + random.below(8);
    const auto a = rounded<T>(random.positive<T>(n)), x = random.matrix<T>(n, columns);
    Spread<T> factor(on, a, tile, 1 + random.below(4), 1 + random.below(6), random.below(3));
    Spread<T> right(on, a * x, 1 + random.below(3), 1 + random.below(4), 1 + random.below(6), random.below(3));
    std::int64_t size = 0, size_of_solve = 0, size_of_inverse = 0;
    int info = -77;
    ASSERT_EQ(library().cusolverMgPotrf_bufferSize(on.handle, kLower, n, factor.data(), factor.row, factor.column,
                                                   factor.description, kType<T>, &size),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverMgPotrs_bufferSize(on.handle, kLower, n, columns, factor.data(), factor.row,
                                                   factor.column, factor.description, right.data(), right.row,
                                                   right.column, right.description, kType<T>, &size_of_solve),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverMgPotri_bufferSize(on.handle, kLower, n, factor.data(), factor.row, factor.column,
                                                   factor.description, kType<T>, &size_of_inverse),
              CUSOLVER_STATUS_SUCCESS);
    Workspaces<T> work(on, std::max({size, size_of_solve, size_of_inverse}));
    ASSERT_EQ(library().cusolverMgPotrf(on.handle, kLower, n, factor.data(), factor.row, factor.column,
                                        factor.description, kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(info, 0);
    const auto found = factor.get();
    const auto triangle = found.lower();
    const double most = tolerance<T>() * (1 + a.largest());
    EXPECT_LE(distance(triangle * triangle.adjoint(), a), most);
    EXPECT_EQ(distance(found - triangle, a - a.lower()), 0) << "the other triangle";
    ASSERT_EQ(library().cusolverMgPotrs(on.handle, kLower, n, columns, factor.data(), factor.row, factor.column,
                                        factor.description, right.data(), right.row, right.column, right.description,
                                        kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    EXPECT_LE(distance(a * right.get(), a * x), 10 * most);
    ASSERT_EQ(library().cusolverMgPotri(on.handle, kLower, n, factor.data(), factor.row, factor.column,
                                        factor.description, kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    const auto inverse = factor.get().lower();
    const auto whole = inverse + inverse.adjoint() - inverse.only([](int i, int j) { return i == j; });
    EXPECT_LE(distance(a * whole, identity(n, n)), 100 * most);
  }
}

TYPED_TEST(FactorsOfSeveral, AMatrixThatIsNotPositiveSaysWhere) {
  using T = TypeParam;
  const Several on({0, 1});
  auto a = identity(5, 5);
  a(3, 3) = -1;
  Spread<T> factor(on, a, 2);
  Workspaces<T> work(on, 200);
  int info = -77;
  ASSERT_EQ(library().cusolverMgPotrf(on.handle, kLower, 5, factor.data(), 1, 1, factor.description, kType<T>,
                                      work.data(), work.size, &info),
            CUSOLVER_STATUS_INTERNAL_ERROR);
  EXPECT_EQ(info, 4);
}

// The rows of a matrix in the order of the exchanges.
Dense exchanged(Dense a, const Dense& pivots) {
  for (int i = 0; i < pivots.columns; ++i)
    for (int j = 0; j < a.columns; ++j) std::swap(a(i, j), a(static_cast<int>(pivots(0, i).real()) - 1, j));
  return a;
}

// Whole numbers whose tiles are those of a matrix.
class Pivots {
 public:
  Pivots(const Several& on, int columns, int tile, int column) : on_(on), tile_(tile), column_(column) {
    const int all = columns + column - 1, tiles = (all + tile - 1) / tile;
    const auto size = static_cast<std::size_t>(tile * ((tiles + on.count() - 1) / on.count()));
    for (const int device : on.devices) {
      const InContextOf context(device);
      memory_.push_back(std::make_unique<OnDevice<int>>(std::vector<int>(size, -77)));
      addresses_.push_back(memory_.back()->as());
    }
  }
  int** data() { return addresses_.data(); }
  Dense get(int count) const {
    Dense out(1, count);
    for (int j = 0; j < count; ++j) {
      const int whole = j + column_ - 1, tile = whole / tile_, g = tile % on_.count();
      const InContextOf context(on_.devices[static_cast<std::size_t>(g)]);
      const auto own = memory_[static_cast<std::size_t>(g)]->read();
      out(0, j) = own[static_cast<std::size_t>(tile / on_.count() * tile_ + whole % tile_)];
    }
    return out;
  }

 private:
  const Several& on_;
  int tile_, column_;
  std::vector<std::unique_ptr<OnDevice<int>>> memory_;
  std::vector<int*> addresses_;
};

TYPED_TEST(FactorsOfSeveral, LuOfAnyShape) {
  using T = TypeParam;
  Random random(2);
  for (int turn = 0; turn < 18; ++turn) {
    const Several on(some_gpus(turn));
    const int m = 1 + random.below(30), n = 1 + random.below(30), tile = 1 + random.below(8), least = std::min(m, n);
    const auto a = rounded<T>(random.matrix<T>(m, n));
    Spread<T> factor(on, a, tile, 1 + random.below(4), 1 + random.below(6), random.below(3));
    Pivots pivots(on, n, tile, factor.column);
    std::int64_t size = 0;
    int info = -77;
    ASSERT_EQ(library().cusolverMgGetrf_bufferSize(on.handle, m, n, factor.data(), factor.row, factor.column,
                                                   factor.description, pivots.data(), kType<T>, &size),
              CUSOLVER_STATUS_SUCCESS);
    Workspaces<T> work(on, size);
    ASSERT_EQ(library().cusolverMgGetrf(on.handle, m, n, factor.data(), factor.row, factor.column, factor.description,
                                        pivots.data(), kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    const auto found = factor.get();
    const auto lower = found.only([](int i, int j) { return i > j; }).part(m, least) + identity(m, least);
    EXPECT_LE(distance(lower * found.upper().part(least, n), exchanged(a, pivots.get(least))),
              10 * tolerance<T>() * (1 + a.largest()));
  }
}

TYPED_TEST(FactorsOfSeveral, EquationsByLu) {
  using T = TypeParam;
  Random random(3);
  for (int turn = 0; turn < 18; ++turn) {
    const Several on(some_gpus(turn));
    const int n = 1 + random.below(30), columns = 1 + random.below(5), tile = 1 + random.below(8);
    const auto a = rounded<T>(random.regular<T>(n)), x = random.matrix<T>(n, columns);
    Spread<T> factor(on, a, tile, 1 + random.below(4), 1 + random.below(6), random.below(3));
    Spread<T> right(on, a * x, 1 + random.below(3), 1 + random.below(4), 1 + random.below(6), random.below(3));
    Pivots pivots(on, n, tile, factor.column);
    std::int64_t size = 0;
    int info = -77;
    ASSERT_EQ(library().cusolverMgGetrs_bufferSize(on.handle, CUBLAS_OP_N, n, columns, factor.data(), factor.row,
                                                   factor.column, factor.description, pivots.data(), right.data(),
                                                   right.row, right.column, right.description, kType<T>, &size),
              CUSOLVER_STATUS_SUCCESS);
    Workspaces<T> work(on, size);
    ASSERT_EQ(library().cusolverMgGetrf(on.handle, n, n, factor.data(), factor.row, factor.column, factor.description,
                                        pivots.data(), kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    for (const auto operation : {CUBLAS_OP_T, CUBLAS_OP_C})
      EXPECT_EQ(library().cusolverMgGetrs(on.handle, operation, n, columns, factor.data(), factor.row, factor.column,
                                          factor.description, pivots.data(), right.data(), right.row, right.column,
                                          right.description, kType<T>, work.data(), work.size, &info),
                CUSOLVER_STATUS_INVALID_VALUE);
    ASSERT_EQ(library().cusolverMgGetrs(on.handle, CUBLAS_OP_N, n, columns, factor.data(), factor.row, factor.column,
                                        factor.description, pivots.data(), right.data(), right.row, right.column,
                                        right.description, kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    EXPECT_LE(distance(a * right.get(), a * x), 100 * tolerance<T>() * (1 + a.largest()));
  }
}

TYPED_TEST(FactorsOfSeveral, LuWithoutExchanges) {
  using T = TypeParam;
  Random random(4);
  for (int turn = 0; turn < 6; ++turn) {
    const Several on(some_gpus(turn));
    const int n = 1 + random.below(20), tile = 1 + random.below(8);
    const auto a = rounded<T>(random.matrix<T>(n, n) + diagonal(std::vector<double>(30, 3.0 * n), n, n));
    const auto x = random.matrix<T>(n, 2);
    Spread<T> factor(on, a, tile), right(on, a * x, 1);
    Workspaces<T> work(on, 1000);
    int info = -77;
    ASSERT_EQ(library().cusolverMgGetrf(on.handle, n, n, factor.data(), 1, 1, factor.description, nullptr, kType<T>,
                                        work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    const auto found = factor.get();
    const auto lower = found.lower() - found.only([](int i, int j) { return i == j; }) + identity(n, n);
    const double most = 10 * tolerance<T>() * (1 + a.largest());
    EXPECT_LE(distance(lower * found.upper(), a), most);
    ASSERT_EQ(library().cusolverMgGetrs(on.handle, CUBLAS_OP_N, n, 2, factor.data(), 1, 1, factor.description, nullptr,
                                        right.data(), 1, 1, right.description, kType<T>, work.data(), work.size, &info),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_LE(distance(a * right.get(), a * x), most);
  }
}

TYPED_TEST(FactorsOfSeveral, ASingularMatrixSaysWhere) {
  using T = TypeParam;
  const Several on({0, 1});
  auto a = identity(5, 5);
  a(2, 2) = 0;
  Spread<T> factor(on, a, 2);
  Pivots pivots(on, 5, 2, 1);
  Workspaces<T> work(on, 200);
  int info = -77;
  ASSERT_EQ(library().cusolverMgGetrf(on.handle, 5, 5, factor.data(), 1, 1, factor.description, pivots.data(), kType<T>,
                                      work.data(), work.size, &info),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(info, 3);
}

}  // namespace
}  // namespace nvmlkit::library_test
