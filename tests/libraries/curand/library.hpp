// libcurand, as a program loads it, and generators of the test.
#pragma once

#include "generated/curand_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {

using namespace curand;

inline constexpr auto kFine = CURAND_STATUS_SUCCESS;

inline Curand& library() {
  static Curand the("libcurand.so.10");
  return the;
}

// A generator for memory of the host, of any library.
class HostGenerator {
 public:
  HostGenerator(const Curand& library, curandRngType_t type) : library_(library) {
    EXPECT_EQ(library_.curandCreateGeneratorHost(&generator_, type), kFine);
  }
  ~HostGenerator() { EXPECT_EQ(library_.curandDestroyGenerator(generator_), kFine); }
  HostGenerator(const HostGenerator&) = delete;
  operator Generator*() const { return generator_; }

  std::vector<std::uint32_t> integers(std::size_t count) const {
    std::vector<std::uint32_t> out(count);
    EXPECT_EQ(library_.curandGenerate(generator_, out.data(), count), kFine);
    return out;
  }
  std::vector<unsigned long long> long_integers(std::size_t count) const {
    std::vector<unsigned long long> out(count);
    EXPECT_EQ(library_.curandGenerateLongLong(generator_, out.data(), count), kFine);
    return out;
  }
  std::vector<float> uniform(std::size_t count) const {
    std::vector<float> out(count);
    EXPECT_EQ(library_.curandGenerateUniform(generator_, out.data(), count), kFine);
    return out;
  }
  std::vector<double> uniform_double(std::size_t count) const {
    std::vector<double> out(count);
    EXPECT_EQ(library_.curandGenerateUniformDouble(generator_, out.data(), count), kFine);
    return out;
  }
  std::vector<float> normal(std::size_t count, float mean, float deviation) const {
    std::vector<float> out(count);
    EXPECT_EQ(library_.curandGenerateNormal(generator_, out.data(), count, mean, deviation), kFine);
    return out;
  }
  std::vector<double> normal_double(std::size_t count, double mean, double deviation) const {
    std::vector<double> out(count);
    EXPECT_EQ(library_.curandGenerateNormalDouble(generator_, out.data(), count, mean, deviation), kFine);
    return out;
  }

 private:
  const Curand& library_;
  Generator* generator_ = nullptr;
};

inline const std::vector<curandRngType_t>& all_types() {
  static const std::vector<curandRngType_t> all = {
      CURAND_RNG_PSEUDO_XORWOW,           CURAND_RNG_PSEUDO_MRG32K3A,      CURAND_RNG_PSEUDO_MTGP32,
      CURAND_RNG_PSEUDO_MT19937,          CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_QUASI_SOBOL32,
      CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,        CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
  return all;
}

}  // namespace nvmlkit::library_test
