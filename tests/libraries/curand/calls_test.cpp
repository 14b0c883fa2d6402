// Generators of the device, wrong arguments, seeds and orders.
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(Calls, DeviceAndHostDrawTheSame) {
  for (const auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                          CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32}) {
    const HostGenerator here(library(), type);
    gpu();
    Generator* there = nullptr;
    ASSERT_EQ(library().curandCreateGenerator(&there, type), kFine);
    cuda::CUstream stream = nullptr;
    ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
    ASSERT_EQ(library().curandSetStream(there, stream), kFine);
    const OnDevice<float> memory(std::vector<float>(5000, -1));
    ASSERT_EQ(library().curandGenerateUniform(there, memory.as(), 2000), kFine);
    ASSERT_EQ(library().curandGenerateUniform(there, memory.as() + 2000, 3000), kFine);
    ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
    EXPECT_EQ(memory.read(), here.uniform(5000)) << type;
    EXPECT_EQ(library().curandDestroyGenerator(there), kFine);
  }
}

TEST(Calls, GeneratorsThatAreNone) {
  alignas(16) std::uint64_t rubbish[16] = {1, 2, 3};
  unsigned number = 0;
  for (auto* const generator : {static_cast<Generator*>(nullptr), reinterpret_cast<Generator*>(rubbish)}) {
    EXPECT_EQ(library().curandGenerate(generator, &number, 1), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().curandDestroyGenerator(generator), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(library().curandSetGeneratorOffset(generator, 1), CURAND_STATUS_NOT_INITIALIZED);
  }
  EXPECT_EQ(library().curandGeneratePoissonMethod(nullptr, &number, 1, 1, CURAND_CHOOSE_BEST),
            CURAND_STATUS_INTERNAL_ERROR);  // as on an H100
  Generator* made = nullptr;
  EXPECT_EQ(library().curandCreateGeneratorHost(&made, static_cast<curandRngType_t>(5)), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(made, nullptr);
}

TEST(Calls, WrongArguments) {
  const HostGenerator xorwow(library(), CURAND_RNG_PSEUDO_DEFAULT), sobol(library(), CURAND_RNG_QUASI_DEFAULT),
      twister(library(), CURAND_RNG_PSEUDO_MT19937), wide(library(), CURAND_RNG_QUASI_SOBOL64);
  float numbers[8] = {};
  unsigned integers[8] = {};
  unsigned long long longs[8] = {};
  EXPECT_EQ(library().curandGenerateNormal(xorwow, numbers, 7, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(library().curandGenerateNormal(twister, numbers, 7, 0, 1), kFine);
  EXPECT_EQ(library().curandSetQuasiRandomGeneratorDimensions(sobol, 3), kFine);
  EXPECT_EQ(library().curandGenerateUniform(sobol, numbers, 7), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(library().curandSetQuasiRandomGeneratorDimensions(sobol, 0), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandSetQuasiRandomGeneratorDimensions(sobol, 20001), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandSetQuasiRandomGeneratorDimensions(xorwow, 3), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(library().curandSetPseudoRandomGeneratorSeed(sobol, 3), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(library().curandSetGeneratorOffset(twister, 3), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(library().curandSetGeneratorOrdering(xorwow, CURAND_ORDERING_QUASI_DEFAULT), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandSetGeneratorOrdering(sobol, CURAND_ORDERING_PSEUDO_BEST), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandSetGeneratorOrdering(xorwow, static_cast<curandOrdering_t>(7)), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandGenerateLongLong(xorwow, longs, 8), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(library().curandGenerate(wide, integers, 8), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(library().curandGeneratePoisson(xorwow, integers, 8, -1), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandGenerate(xorwow, nullptr, 8), CURAND_STATUS_OUT_OF_RANGE);
}

TEST(Calls, SeedsAndOrders) {
  const HostGenerator a(library(), CURAND_RNG_PSEUDO_XORWOW), b(library(), CURAND_RNG_PSEUDO_XORWOW);
  ASSERT_EQ(library().curandSetPseudoRandomGeneratorSeed(a, 7), kFine);
  const auto numbers = a.integers(5000);
  EXPECT_NE(numbers, b.integers(5000));
  ASSERT_EQ(library().curandSetPseudoRandomGeneratorSeed(b, 7), kFine);
  ASSERT_EQ(library().curandSetGeneratorOffset(b, 0), kFine);
  EXPECT_EQ(numbers, b.integers(5000));
  ASSERT_EQ(library().curandSetGeneratorOrdering(b, CURAND_ORDERING_PSEUDO_SEEDED), kFine);
  ASSERT_EQ(library().curandSetGeneratorOffset(b, 0), kFine);
  EXPECT_NE(numbers, b.integers(5000));
}

TEST(Calls, TablesOfSobol) {
  DirectionVectors32* vectors = nullptr;
  ASSERT_EQ(library().curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6), kFine);
  EXPECT_EQ(vectors[0][0], 0x80000000u);
  EXPECT_EQ(vectors[1][3], 0xf0000000u);
  for (unsigned d = 0; d < 20000; ++d)  // the last bit of vector k that is not 0 is bit k
    for (unsigned k = 0; k < 32; ++k) {
      const std::uint32_t last = 0x80000000u >> k;
      ASSERT_EQ(vectors[d][k] & (last | (last - 1)), last) << d << " " << k;
    }
  EXPECT_EQ(library().curandGetDirectionVectors32(nullptr, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
            CURAND_STATUS_OUT_OF_RANGE);
  unsigned* constants = nullptr;
  ASSERT_EQ(library().curandGetScrambleConstants32(&constants), kFine);
  EXPECT_NE(constants[0], constants[19999]);
}

}  // namespace
}  // namespace nvmlkit::library_test
