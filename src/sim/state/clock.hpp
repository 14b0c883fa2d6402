// The time of a machine.
#pragma once

#include <cstdint>

#include "sim/native/clock.hpp"

namespace nvmlkit::sim {

class Machine;

// The machine's time.
std::int64_t now_ns(const Machine& machine);

// A time of the machine as microseconds since 1970, which is how NVML writes timestamps.
std::uint64_t unix_us(const Machine& machine, std::int64_t at_ns);

}  // namespace nvmlkit::sim
