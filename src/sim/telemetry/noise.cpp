#include "sim/telemetry/noise.hpp"

#include <algorithm>

namespace nvmlkit::sim::telemetry {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Far from where a time can overflow; only damaged files hold such.
std::int64_t sane(std::int64_t at_ns) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  return std::clamp(at_ns, -kFar, kFar);
}

std::int64_t step_of(std::int64_t at_ns) { return at_ns / kNoiseStepNs - (at_ns % kNoiseStepNs < 0); }

}  // namespace

double random_number(std::uint64_t seed, std::uint64_t purpose, std::int64_t step) {
  const auto bits = mixed(mixed(mixed(seed) ^ purpose) ^ static_cast<std::uint64_t>(step));
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// The difference of two neighbours, so that a sum over steps is the difference of its ends.
double noise(std::uint64_t seed, std::uint64_t purpose, std::int64_t at_ns) {
  const auto step = step_of(sane(at_ns));
  return random_number(seed, purpose, step + 1) - random_number(seed, purpose, step);
}

double noise_integral(std::uint64_t seed, std::uint64_t purpose, std::int64_t at_ns) {
  constexpr double kLength = kNoiseStepNs * 1e-9;
  const auto at = sane(at_ns);
  const auto step = step_of(at);
  const double within = static_cast<double>(at - step * kNoiseStepNs) / kNoiseStepNs;
  return kLength * (random_number(seed, purpose, step) + within * noise(seed, purpose, at_ns) - 0.5);
}

}  // namespace nvmlkit::sim::telemetry
