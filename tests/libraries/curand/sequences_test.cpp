// The sequences themselves: published values, offsets, parts of a sequence, NVIDIA's library.
#include <algorithm>
#include <filesystem>
#include <random>
#include <tuple>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

constexpr curandRngType_t kExact[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                                      CURAND_RNG_PSEUDO_PHILOX4_32_10};

// The known answer of the paper's library for a counter and a key of 0.
TEST(Sequences, PhiloxOfThePaper) {
  const HostGenerator philox(library(), CURAND_RNG_PSEUDO_PHILOX4_32_10);
  EXPECT_EQ(philox.integers(4), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}
TEST(Sequences, MersenneTwisterOfThePaper) {
  const HostGenerator twister(library(), CURAND_RNG_PSEUDO_MT19937);
  ASSERT_EQ(library().curandSetPseudoRandomGeneratorSeed(twister, 5489), kFine);
  const auto numbers = twister.integers(10000);
  EXPECT_EQ(numbers.back(), 4123659995u);  // as the C++ standard says of std::mt19937
}
// Sequence 0 of 4096, step by step.
TEST(Sequences, XorwowTakesItsSequencesInTurns) {
  const HostGenerator xorwow(library(), CURAND_RNG_PSEUDO_XORWOW);
  const auto numbers = xorwow.integers(4096 * 3);
  EXPECT_EQ(numbers[0], 3179217846u);
  EXPECT_EQ(numbers[4096], 1883133293u);
  EXPECT_EQ(numbers[8192], 2220552389u);
}
TEST(Sequences, SobolIsGraysCode) {
  const HostGenerator sobol(library(), CURAND_RNG_QUASI_SOBOL32);
  EXPECT_EQ(sobol.integers(5), (std::vector<std::uint32_t>{0, 0x80000000, 0xc0000000, 0x40000000, 0x60000000}));
}
// Each part of 2^k points has one in each of 2^k equal parts, in each dimension: also in those beyond the table.
TEST(Sequences, SobolFillsEachDimensionEvenly) {
  constexpr unsigned kDimensions = 1000, kPoints = 1024;
  for (const auto type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32}) {
    const HostGenerator sobol(library(), type);
    ASSERT_EQ(library().curandSetQuasiRandomGeneratorDimensions(sobol, kDimensions), kFine);
    auto numbers = sobol.integers(std::size_t{kDimensions} * kPoints);
    for (unsigned d = 0; d < kDimensions; ++d) {
      const auto first = numbers.begin() + std::ptrdiff_t{d} * kPoints;
      std::sort(first, first + kPoints);
      for (unsigned k = 0; k < kPoints; ++k) ASSERT_EQ(first[k] >> 22, k) << "dimension " << d;
    }
  }
}

TEST(Sequences, PartsMakeTheWhole) {
  std::mt19937 random(1);
  for (const auto type : all_types()) {
    if (type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) continue;
    const HostGenerator whole(library(), type), parts(library(), type);
    const auto want = whole.integers(20000);
    std::vector<std::uint32_t> got;
    while (got.size() < want.size()) {
      const auto part = parts.integers(std::min<std::size_t>(1 + random() % 5000, want.size() - got.size()));
      got.insert(got.end(), part.begin(), part.end());
    }
    EXPECT_EQ(got, want) << type;
  }
}
TEST(Sequences, Offsets) {
  for (const auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                          CURAND_RNG_QUASI_SOBOL32}) {
    const HostGenerator whole(library(), type), later(library(), type);
    const auto want = whole.integers(300000);
    for (const std::size_t offset : {1u, 4095u, 4097u, 123457u, 262147u, 7u}) {
      ASSERT_EQ(library().curandSetGeneratorOffset(later, offset), kFine);
      const auto got = later.integers(9000);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin() + static_cast<std::ptrdiff_t>(offset))) << type;
    }
  }
}

class Nvidias : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(NVMLKIT_TEST_NVIDIAS_CURAND)) GTEST_SKIP() << "NVIDIA's libcurand is not installed";
    nvidias_ = std::make_unique<Curand>(NVMLKIT_TEST_NVIDIAS_CURAND);
  }
  // Both generators with the same seed and offset.
  template <class Draw>
  void compare(curandRngType_t type, std::uint64_t seed, std::uint64_t offset, std::uint32_t dimensions, Draw draw) {
    const HostGenerator ours(library(), type), theirs(*nvidias_, type);
    const auto set = [&](const Curand& of, Generator* generator) {
      if (type < CURAND_RNG_QUASI_DEFAULT) {
        EXPECT_EQ(of.curandSetPseudoRandomGeneratorSeed(generator, seed), kFine);
      } else {
        EXPECT_EQ(of.curandSetQuasiRandomGeneratorDimensions(generator, dimensions), kFine);
      }
      EXPECT_EQ(of.curandSetGeneratorOffset(generator, offset), kFine);
    };
    set(library(), ours);
    set(*nvidias_, theirs);
    EXPECT_EQ(draw(ours), draw(theirs)) << "type " << type << " seed " << seed << " offset " << offset;
  }

  std::unique_ptr<Curand> nvidias_;
};

// A seed or an offset costs NVIDIA's XORWOW a second: the draws follow each other.
TEST_F(Nvidias, HasTheSameIntegersAndUniformNumbers) {
  for (const auto type : kExact)
    for (const std::uint64_t seed : {0ull, 0x123456789abcdefull})
      for (const std::uint64_t offset : {0u, 10001u})
        compare(type, seed, offset, 1, [](const HostGenerator& g) {
          return std::tuple{g.integers(100001), g.uniform(5003), g.uniform_double(5003)};
        });
}
// Mixed calls: sequences stay where each of them is.
TEST_F(Nvidias, ContinuesAsOurs) {
  for (const auto type : kExact)
    compare(type, 3, 0, 1, [](const HostGenerator& g) {
      auto out = g.uniform_double(9000);
      for (const float x : g.normal(300000, 0, 1)) out.push_back(std::abs(x) < 4 ? 1 : 0);
      for (const auto x : g.integers(5000)) out.push_back(x);
      return out;
    });
}
TEST_F(Nvidias, HasTheSameNormalNumbers) {
  for (const auto type : kExact) {
    const HostGenerator ours(library(), type), theirs(*nvidias_, type);
    const auto a = ours.normal(10000, 2, 3), b = theirs.normal(10000, 2, 3);
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-5);
    const auto c = ours.normal_double(10000, 2, 3), d = theirs.normal_double(10000, 2, 3);
    for (std::size_t k = 0; k < c.size(); ++k) ASSERT_NEAR(c[k], d[k], 1e-12);
  }
}
TEST_F(Nvidias, HasTheSameSobol) {
  for (const std::uint32_t dimensions : {1u, 7u, 640u})
    for (const std::uint64_t offset : {0u, 1000u}) {
      compare(CURAND_RNG_QUASI_SOBOL32, 0, offset, dimensions,
              [=](const HostGenerator& g) { return g.integers(dimensions * 100); });
      compare(CURAND_RNG_QUASI_SOBOL64, 0, offset, dimensions,
              [=](const HostGenerator& g) { return g.long_integers(dimensions * 100); });
      compare(CURAND_RNG_QUASI_SOBOL64, 0, offset, dimensions,
              [=](const HostGenerator& g) { return g.uniform_double(dimensions * 100); });
    }
}

}  // namespace
}  // namespace nvmlkit::library_test
