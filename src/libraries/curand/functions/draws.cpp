#include "libraries/curand/functions/draws.hpp"

#include "libraries/curand/numbers.hpp"

namespace nvmlkit::curand::functions {
namespace {

std::shared_ptr<Drawing> make_drawing(const Generator& g) {
  switch (g.type) {
    case CURAND_RNG_PSEUDO_XORWOW:
      return g.order == CURAND_ORDERING_PSEUDO_SEEDED ? make_seeded_xorwow(g.seed) : make_xorwow(g.seed);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return make_mrg32k3a(g.seed, g.order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return make_philox(g.seed);
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
      return make_mt19937(g.seed);
    default:
      return nullptr;
  }
}

bool is_wide(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

// Pairs of normal numbers come from one sequence each.
bool is_multiple(const Generator& g, Kind kind, std::size_t count) {
  if (g.is_quasi()) return count % g.dimensions == 0;
  const bool in_pairs = g.type == CURAND_RNG_PSEUDO_XORWOW || g.type == CURAND_RNG_PSEUDO_MRG32K3A;
  return !in_pairs || (kind != Kind::normal && kind != Kind::lognormal) || count % 2 == 0;
}

template <class T>
curandStatus_t draw(const Call& call, Kind kind, T* out, std::size_t count, double mean = 0, double deviation = 1) {
  auto& g = call.generator;
  if (!is_multiple(g, kind, count)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (!out) return CURAND_STATUS_OUT_OF_RANGE;
  const bool is_new = !g.drawing;
  if (is_new) g.drawing = make_drawing(g);
  const Request request{g.drawing, g.type, g.offset, is_new || g.is_sought, g.dimensions, kind, mean, deviation};
  g.is_sought = false;
  const auto n = static_cast<Size>(count);
  g.offset += moved_by<T>(request, n);
  if (!g.driver) {
    fill(request, out, n);
    return CURAND_STATUS_SUCCESS;
  }
  const auto amount = static_cast<double>(count);
  const auto result = libraries::enqueue(
      *g.driver, g.stream, call.name, {.operations = 20 * amount, .bytes = amount * static_cast<double>(sizeof(T))},
      [request, out, n](Running& running) { fill(request, running.write(out, n), n); });
  return result == cuda::CUDA_SUCCESS               ? CURAND_STATUS_SUCCESS
         : result == cuda::CUDA_ERROR_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                                    : CURAND_STATUS_LAUNCH_FAILURE;
}

}  // namespace

curandStatus_t integers(const Call& call, unsigned int* out, std::size_t count) {
  const bool is_wrong = is_wide(call.generator.type) && count > 0;
  return is_wrong ? CURAND_STATUS_TYPE_ERROR : draw(call, Kind::integers, out, count);
}
curandStatus_t long_integers(const Call& call, unsigned long long* out, std::size_t count) {
  const bool is_wrong = !is_wide(call.generator.type) && count > 0;
  return is_wrong ? CURAND_STATUS_TYPE_ERROR : draw(call, Kind::integers, out, count);
}
curandStatus_t uniform(const Call& call, float* out, std::size_t count) {
  return draw(call, Kind::uniform, out, count);
}
curandStatus_t uniform(const Call& call, double* out, std::size_t count) {
  return draw(call, Kind::uniform, out, count);
}
curandStatus_t normal(const Call& call, float* out, std::size_t count, float mean, float deviation) {
  return draw(call, Kind::normal, out, count, mean, deviation);
}
curandStatus_t normal(const Call& call, double* out, std::size_t count, double mean, double deviation) {
  return draw(call, Kind::normal, out, count, mean, deviation);
}
curandStatus_t lognormal(const Call& call, float* out, std::size_t count, float mean, float deviation) {
  return draw(call, Kind::lognormal, out, count, mean, deviation);
}
curandStatus_t lognormal(const Call& call, double* out, std::size_t count, double mean, double deviation) {
  return draw(call, Kind::lognormal, out, count, mean, deviation);
}
// Documented: 0 < lambda <= 400000. Without numbers, NVIDIA's library looks at nothing else.
curandStatus_t poisson(const Call& call, unsigned int* out, std::size_t count, double lambda) {
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (!(lambda > 0) || lambda > 400000) return CURAND_STATUS_OUT_OF_RANGE;
  return draw(call, Kind::poisson, out, count, lambda);
}
curandStatus_t poisson_by(const Call& call, unsigned int* out, std::size_t count, double lambda, curandMethod_t) {
  return poisson(call, out, count, lambda);
}

}  // namespace nvmlkit::curand::functions
