// Noise as a pure function of seed, purpose and time. Its integral has a closed form.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::telemetry {

inline constexpr std::int64_t kNoiseStepNs = 1'000'000'000;

// From 0 to 1, the same for the same numbers.
double random_number(std::uint64_t seed, std::uint64_t purpose, std::int64_t step);

// From -1 to 1, constant for a step. What follows in a step makes up for a part of it, so that the sum stays small.
double noise(std::uint64_t seed, std::uint64_t purpose, std::int64_t at_ns);

// The integral of noise() from 0, in seconds: never beyond half a step.
double noise_integral(std::uint64_t seed, std::uint64_t purpose, std::int64_t at_ns);

}  // namespace nvmlkit::sim::telemetry
