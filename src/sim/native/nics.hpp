// What is broken of a network adapter. Part of the machine's block: no pointers, zero bytes mean a healthy adapter, and
// reading any bytes is safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlkit::sim::nics {

inline constexpr std::size_t kCounters = 33;  // of errors: traits/port_counters.hpp

struct State {
  std::uint32_t down;               // not zero: the port has no link
  std::uint32_t counts[kCounters];  // added to the counters of its port
};

}  // namespace nvmlkit::sim::nics
