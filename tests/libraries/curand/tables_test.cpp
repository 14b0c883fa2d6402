// Tables of the Poisson distribution, drawn from as curand_discrete() of a kernel does.
#include <cmath>

#include "gpu.hpp"
#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

// The structs of NVIDIA's curand_discrete.h.
struct Histogram {
  std::uintptr_t thresholds, of_host, others, others_of_host;
  unsigned made_by_host;
};
struct Shifted {
  std::uintptr_t histogram, of_host;
  unsigned shift, length, made_by_host;
};
struct Discrete {
  std::uintptr_t self, shifted, of_host;
  double deviation, mean;
  int method;
  unsigned made_by_host;
};

template <class T>
std::vector<T> read(std::uintptr_t address, std::size_t count = 1) {
  std::vector<T> out(count);
  EXPECT_EQ(gpu().get(out.data(), static_cast<cuda::CUdeviceptr>(address), count * sizeof(T)), cuda::CUDA_SUCCESS);
  return out;
}

class Table {
 public:
  explicit Table(double lambda) {
    gpu();
    EXPECT_EQ(library().curandCreatePoissonDistribution(lambda, &address_), CURAND_STATUS_SUCCESS);
  }
  ~Table() { EXPECT_EQ(library().curandDestroyDistribution(address_), CURAND_STATUS_SUCCESS); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  Discrete get() const { return read<Discrete>(reinterpret_cast<std::uintptr_t>(address_))[0]; }

 private:
  void* address_ = nullptr;
};

// How much of a uniform number each result has.
TEST(Tables, HaveThePoissonDistribution) {
  for (const double lambda : {0.01, 0.5, 1.0, 7.3, 150.0, 1999.5}) {
    const Table table(lambda);
    const auto discrete = table.get();
    EXPECT_EQ(discrete.method, CURAND_M2);
    const auto shifted = read<Shifted>(discrete.shifted)[0];
    const auto histogram = read<Histogram>(shifted.histogram)[0];
    const auto thresholds = read<double>(histogram.thresholds, shifted.length);
    const auto others = read<unsigned>(histogram.others, shifted.length);
    std::vector<double> shares(shifted.length);
    for (unsigned j = 0; j < shifted.length; ++j) {
      const double from = static_cast<double>(j) / shifted.length, to = static_cast<double>(j + 1) / shifted.length;
      ASSERT_GE(thresholds[j], from - 1e-12);
      ASSERT_LE(thresholds[j], to + 1e-12);
      ASSERT_LT(others[j], shifted.length);
      shares[j] += thresholds[j] - from;
      shares[others[j]] += to - thresholds[j];
    }
    for (unsigned j = 0; j < shifted.length; ++j) {
      const double k = static_cast<double>(shifted.shift) + j;
      EXPECT_NEAR(shares[j], std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1)), 1e-11) << lambda << " " << k;
    }
  }
}

TEST(Tables, AreNormalForLargeMeans) {
  const Table table(5000);
  const auto discrete = table.get();
  EXPECT_NE(discrete.method, CURAND_M2);
  EXPECT_EQ(discrete.mean, 5000);
  EXPECT_EQ(discrete.deviation, std::sqrt(5000));
}

TEST(Tables, AreRefusedWithoutASense) {
  gpu();
  void* table = nullptr;
  for (const double lambda : {0.0, -1.0, 400001.0, std::nan("")})
    EXPECT_EQ(library().curandCreatePoissonDistribution(lambda, &table), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(library().curandCreatePoissonDistribution(1, nullptr), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(library().curandDestroyDistribution(&table), CURAND_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace nvmlkit::library_test
