// Systems with three and five diagonals.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

template <class T>
struct Bands : testing::Test {};
using Scalars = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Bands, Scalars);

NVMLKIT_SPARSE(gtsv2)
NVMLKIT_SPARSE(gtsv2StridedBatch)
NVMLKIT_SPARSE(gtsvInterleavedBatch)
NVMLKIT_SPARSE(gpsvInterleavedBatch)

// The diagonals of a batch of random systems: element i of system k at [i * step + k * stride].
template <class T>
struct Systems {
  int n, batches, step, stride;
  std::vector<Numbers> matrices, sides;

  Systems(Random& random, int rows, int count, int reach, bool is_interleaved)
      : n(rows), batches(count), step(is_interleaved ? count : 1), stride(is_interleaved ? 1 : rows) {
    for (int k = 0; k < count; ++k) {
      auto a = dense_numbers<T>(random, n, n).only([&](int i, int j) { return std::abs(i - j) <= reach; });
      for (int i = 0; i < n; ++i) a(i, (i + k) % 2 == 0 ? i : std::min(i + 1, n - 1)) += 4;  // some rows need a pivot
      matrices.push_back(a);
      sides.push_back(dense_numbers<T>(random, n, 1));
    }
  }
  std::vector<T> diagonal(int shift) const {
    return laid_out([&](int k, int i) {
      return i + shift >= 0 && i + shift < n ? matrices[static_cast<std::size_t>(k)](i, i + shift) : Number();
    });
  }
  std::vector<T> right() const {
    return laid_out([&](int k, int i) { return sides[static_cast<std::size_t>(k)](i, 0); });
  }
  template <class Element>
  std::vector<T> laid_out(Element element) const {
    std::vector<T> out(static_cast<std::size_t>(n * batches));
    for (int k = 0; k < batches; ++k)
      for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(i * step + k * stride)] = number_as<T>(element(k, i));
    return out;
  }
  void check(const std::vector<T>& x) const {
    for (int k = 0; k < batches; ++k) {
      Numbers solution(n, 1);
      for (int i = 0; i < n; ++i) solution(i, 0) = wide(x[static_cast<std::size_t>(i * step + k * stride)]);
      EXPECT_LE(distance(matrices[static_cast<std::size_t>(k)] * solution, sides[static_cast<std::size_t>(k)]),
                kTolerance<T> * (1 + solution.largest()) * 40);
    }
  }
};

TYPED_TEST(Bands, ThreeDiagonals) {
  using T = TypeParam;
  Random random(21);
  for (int round = 0; round < 20; ++round) {
    const int n = 3 + random.below(20), batches = 1 + random.below(4);
    const Systems<T> strided(random, n, batches, 1, false), interleaved(random, n, batches, 1, true);
    const OnDevice<T> low(strided.diagonal(-1)), middle(strided.diagonal(0)), high(strided.diagonal(1)),
        x(strided.right());
    ASSERT_EQ(gtsv2StridedBatch<T>()(sparse(), n, low.as(), middle.as(), high.as(), x.as(), batches, n, nullptr),
              kFine);
    strided.check(x.read());
    const OnDevice<T> low2(interleaved.diagonal(-1)), middle2(interleaved.diagonal(0)), high2(interleaved.diagonal(1)),
        x2(interleaved.right());
    ASSERT_EQ(gtsvInterleavedBatch<T>()(sparse(), 0, n, low2.as(), middle2.as(), high2.as(), x2.as(), batches, nullptr),
              kFine);
    interleaved.check(x2.read());
    const Systems<T> single(random, n, 1, 1, false);
    const OnDevice<T> low3(single.diagonal(-1)), middle3(single.diagonal(0)), high3(single.diagonal(1)),
        x3(single.right());
    ASSERT_EQ(gtsv2<T>()(sparse(), n, 1, low3.as(), middle3.as(), high3.as(), x3.as(), n, nullptr), kFine);
    single.check(x3.read());
  }
}

TYPED_TEST(Bands, FiveDiagonals) {
  using T = TypeParam;
  Random random(22);
  for (int round = 0; round < 20; ++round) {
    const int n = 1 + random.below(20), batches = 1 + random.below(4);
    const Systems<T> systems(random, n, batches, 2, true);
    const OnDevice<T> a(systems.diagonal(-2)), b(systems.diagonal(-1)), c(systems.diagonal(0)), d(systems.diagonal(1)),
        e(systems.diagonal(2)), x(systems.right());
    ASSERT_EQ(
        gpsvInterleavedBatch<T>()(sparse(), 0, n, a.as(), b.as(), c.as(), d.as(), e.as(), x.as(), batches, nullptr),
        kFine);
    systems.check(x.read());
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
