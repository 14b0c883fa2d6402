// Eigenvalues and vectors of matrices on several GPUs.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct EigenOfSeveral : testing::Test {};
TYPED_TEST_SUITE(EigenOfSeveral, Scalars);

TYPED_TEST(EigenOfSeveral, VectorsSolveTheirEquation) {
  using T = TypeParam;
  Random random(1);
  for (int turn = 0; turn < 12; ++turn) {
    const Several on(some_gpus(turn));
    const int n = 1 + random.below(30), tile = 1 + random.below(8);
    const auto whole = rounded<T>(random.hermitian<T>(n));
    Spread<T> matrix(on, whole.lower(), tile, 1, 1, random.below(3));  // the other triangle is not read
    std::vector<RealOf<T>> values(static_cast<std::size_t>(n)), alone(values.size());
    constexpr auto kReal = kType<RealOf<T>>;
    std::int64_t size = 0;
    int info = -77;
    ASSERT_EQ(library().cusolverMgSyevd_bufferSize(on.handle, CUSOLVER_EIG_MODE_VECTOR, kLower, n, matrix.data(), 1, 1,
                                                   matrix.description, values.data(), kReal, kType<T>, &size),
              CUSOLVER_STATUS_SUCCESS);
    Workspaces<T> work(on, size);
    ASSERT_EQ(
        library().cusolverMgSyevd(on.handle, CUSOLVER_EIG_MODE_VECTOR, kLower, n, matrix.data(), 1, 1,
                                  matrix.description, values.data(), kReal, kType<T>, work.data(), work.size, &info),
        CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(info, 0);
    const auto vectors = matrix.get();
    const double most = 10 * tolerance<T>() * (1 + whole.largest()) * n;
    EXPECT_LE(distance(whole * vectors, vectors * diagonal(values, n, n)), most);
    EXPECT_LE(distance(vectors.adjoint() * vectors, identity(n, n)), most);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));

    Spread<T> again(on, whole, tile);
    ASSERT_EQ(
        library().cusolverMgSyevd(on.handle, CUSOLVER_EIG_MODE_NOVECTOR, kLower, n, again.data(), 1, 1,
                                  again.description, alone.data(), kReal, kType<T>, work.data(), work.size, &info),
        CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(info, 0);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], alone[i], most);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
