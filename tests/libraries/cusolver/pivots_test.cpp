// Exchanges of rows that a program hands over: pivots that are no rows, and those of factors that have no numbers.
#include <cmath>
#include <functional>
#include <utility>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

constexpr int kSize = 4;

// In a process of its own: the context is of no use afterwards.
void expect_no_address(const std::function<cusolverStatus_t(const Stored<double>& matrix, int* info)>& call) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto work = [&] {
    const Stored<double> matrix(identity(kSize, kSize), kSize);
    const auto info = state();
    EXPECT_EQ(call(matrix, info.as()), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(gpu().wait(), cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST(Pivots, OfExchangesMustBeRows) {
  for (const auto& [wrong, step] :
       {std::pair(0, 1), std::pair(-1, -2), std::pair(kSize + 1, -2), std::pair(1 << 30, 1)})
    expect_no_address([&, wrong = wrong, step = step](const Stored<double>& matrix, int*) {
      std::vector<int> pivots(2 * kSize, 1);
      pivots[step == 1 ? 1 : 2] = wrong;
      const OnDevice<int> all(pivots);
      const auto status = library().cusolverDnDlaswp(solver(), kSize, matrix.data(), kSize, 1, 3, all.as(), step);
      gpu().wait();
      return status;
    });
}

TEST(Pivots, OfGeneralFactorsMustBeRows) {
  for (const int wrong : {0, -2, kSize + 1})
    expect_no_address([&](const Stored<double>& matrix, int* info) {
      const OnDevice<int> all(std::vector<int>{1, 2, wrong, 4});
      const Stored<double> right(identity(kSize, 1), kSize);
      const auto status = library().cusolverDnDgetrs(solver(), CUBLAS_OP_N, kSize, 1, matrix.data(), kSize, all.as(),
                                                     right.data(), kSize, info);
      gpu().wait();
      return status;
    });
}

// A negative one has a neighbour of its block.
TEST(Pivots, OfSymmetricFactorsMustBeBlocks) {
  const std::vector<std::vector<int>> wrongs{{1, 2, 3, -4}, {-1, -1, -3, 4}, {0, 2, 3, 4}, {1, -9, -9, 4}};
  for (const auto& wrong : wrongs)
    expect_no_address([&](const Stored<double>& matrix, int* info) {
      const OnDevice<int> all(wrong);
      const auto work = workspace<double>(kSize * kSize);
      const auto status = library().cusolverDnDsytri(solver(), CUBLAS_FILL_MODE_LOWER, kSize, matrix.data(), kSize,
                                                     all.as(), work.as(), kSize * kSize, info);
      gpu().wait();
      return status;
    });
}

// The factors of a matrix without numbers have rows as pivots: its solution has no numbers, and no error.
TEST(Pivots, OfMatricesWithoutNumbersAreRows) {
  for (const int n : {1, 3, 7, 40, 150}) {
    Dense none(n, n);
    for (Number& x : none.numbers) x = std::nan("");
    const Stored<double> general(none, n), symmetric(none, n), right(identity(n, 1), n), inverse(none, n);
    const OnDevice<int> pivots(std::vector<int>(static_cast<std::size_t>(n)));
    const auto info = state();
    const auto work = workspace<double>(32 * n * n);
    ASSERT_EQ(library().cusolverDnDgetrf(solver(), n, n, general.data(), n, work.as(), pivots.as(), info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnDgetrs(solver(), CUBLAS_OP_N, n, 1, general.data(), n, pivots.as(), right.data(), n,
                                         info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(gpu().wait(), cuda::CUDA_SUCCESS) << n;
    EXPECT_TRUE(std::isnan(right.get()(0, 0).real()));
    ASSERT_EQ(library().cusolverDnDsytrf(solver(), CUBLAS_FILL_MODE_LOWER, n, symmetric.data(), n, pivots.as(),
                                         work.as(), 32 * n * n, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnDsytri(solver(), CUBLAS_FILL_MODE_LOWER, n, symmetric.data(), n, pivots.as(),
                                         work.as(), 32 * n * n, info.as()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(gpu().wait(), cuda::CUDA_SUCCESS) << n;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
