#include "libraries/curand/functions/tables.hpp"

#include <cmath>
#include <mutex>
#include <set>

#include "base/never_destroyed.hpp"
#include "libraries/curand/poisson.hpp"

namespace nvmlkit::curand::functions {
namespace {

constexpr double kMostOfTable = 2000, kMost = 400000;

// As kernels read them: the structs of curand_discrete.h. What the host would read of them is null.
struct Histogram {
  const double* thresholds;
  const double* of_host = nullptr;
  const unsigned* others;
  const unsigned* others_of_host = nullptr;
  unsigned made_by_host = 0;
};
struct Shifted {
  const Histogram* histogram;
  const Histogram* of_host = nullptr;
  unsigned shift, length, made_by_host = 0;
};
struct Discrete {
  void* self_of_host = nullptr;
  const Shifted* shifted;
  const Shifted* of_host = nullptr;
  double deviation, mean;
  curandMethod_t method;
  unsigned made_by_host = 0;
};

// Equal columns: u chooses one of n, which is its own number below its threshold, and another one above it.
struct Columns {
  std::vector<double> thresholds;
  std::vector<unsigned> others;
};

// The column with the least gets from one that has too much, until all are full.
Columns columns_of(std::vector<double> shares) {
  const auto n = shares.size();
  double sum = 0;
  for (const double share : shares) sum += share;
  Columns out{std::vector<double>(n), std::vector<unsigned>(n)};
  std::vector<std::size_t> poor, rich;
  for (std::size_t k = 0; k < n; ++k) {
    shares[k] *= static_cast<double>(n) / sum;
    (shares[k] < 1 ? poor : rich).push_back(k);
  }
  const auto finish = [&](std::size_t k, double share, std::size_t other) {
    out.thresholds[k] = (static_cast<double>(k) + share) / static_cast<double>(n);
    out.others[k] = static_cast<unsigned>(other);
  };
  while (!poor.empty() && !rich.empty()) {
    const auto low = poor.back(), high = rich.back();
    poor.pop_back();
    finish(low, shares[low], high);
    shares[high] -= 1 - shares[low];
    if (shares[high] >= 1) continue;
    rich.pop_back();
    poor.push_back(high);
  }
  // What is left is full but for the rounding.
  for (const auto* const left : {&poor, &rich})
    for (const auto k : *left) finish(k, 1, k);
  return out;
}

// Addresses of tables that are there.
struct Tables {
  std::mutex mutex;
  std::set<void*> all;
};
Tables& tables() {
  static NeverDestroyed<Tables> the;
  return *the;
}

}  // namespace

curandStatus_t create_poisson(double lambda, void** out) {
  if (!(lambda > 0) || lambda > kMost) return CURAND_STATUS_OUT_OF_RANGE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CURAND_STATUS_INITIALIZATION_FAILED;
  const bool has_table = lambda <= kMostOfTable;
  const Poisson poisson(has_table ? lambda : 0);
  const Columns columns = columns_of(poisson.probabilities());
  const auto length = columns.others.size();
  cuda::CUdeviceptr address = 0;
  const auto size =
      sizeof(Discrete) + sizeof(Shifted) + sizeof(Histogram) + length * (sizeof(double) + sizeof(unsigned));
  if (driver->allocate(&address, size) != cuda::CUDA_SUCCESS) return CURAND_STATUS_ALLOCATION_FAILED;
  auto* const discrete = reinterpret_cast<Discrete*>(address);
  auto* const shifted = reinterpret_cast<Shifted*>(discrete + 1);
  auto* const histogram = reinterpret_cast<Histogram*>(shifted + 1);
  auto* const thresholds = reinterpret_cast<double*>(histogram + 1);
  auto* const others = reinterpret_cast<unsigned*>(thresholds + length);
  const auto shift = static_cast<unsigned>(poisson.first());
  auto result = libraries::enqueue(
      *driver, nullptr, "curandCreatePoissonDistribution", {.bytes = static_cast<double>(size)}, [=](Running& running) {
        *running.write(discrete, 1) = {.shifted = shifted,
                                       .deviation = std::sqrt(lambda),
                                       .mean = lambda,
                                       .method = has_table ? CURAND_M2 : CURAND_DISCRETE_GAUSS};
        *running.write(shifted, 1) = {.histogram = histogram, .shift = shift, .length = static_cast<unsigned>(length)};
        *running.write(histogram, 1) = {.thresholds = thresholds, .others = others};
        const auto count = static_cast<std::int64_t>(length);
        std::copy(columns.thresholds.begin(), columns.thresholds.end(), running.write(thresholds, count));
        std::copy(columns.others.begin(), columns.others.end(), running.write(others, count));
      });
  if (result == cuda::CUDA_SUCCESS) result = driver->wait_for_stream(nullptr);
  if (result != cuda::CUDA_SUCCESS) {
    driver->release(address);
    return CURAND_STATUS_PREEXISTING_FAILURE;
  }
  *out = discrete;
  const std::lock_guard lock(tables().mutex);
  tables().all.insert(discrete);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t destroy_table(void* table) {
  {
    const std::lock_guard lock(tables().mutex);
    if (tables().all.erase(table) == 0) return CURAND_STATUS_NOT_INITIALIZED;
  }
  const auto* const driver = libraries::driver();
  const auto result = driver->release(reinterpret_cast<cuda::CUdeviceptr>(table));
  return result == cuda::CUDA_SUCCESS ? CURAND_STATUS_SUCCESS : CURAND_STATUS_PREEXISTING_FAILURE;
}

}  // namespace nvmlkit::curand::functions
