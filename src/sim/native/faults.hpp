// The faults of a GPU. All zero is a healthy GPU.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::faults {

// Can the GPU be reached? Any other number in a damaged file counts as `lost`.
enum class Availability : std::uint32_t {
  available,
  lost,            // answers nothing; the driver still counts it
  reset_required,  // answers nothing until it is reset
  off_bus,         // not enumerated any more
  removed,         // taken out by nvmlDeviceRemoveGpu
};

struct State {
  Availability availability;
  std::uint32_t draining;  // takes no new clients

  // What lowers the clocks, 0 or 1; the clocks event reasons of the same names are set with them.
  std::uint32_t sw_thermal_slowdown, hw_thermal_slowdown, hw_power_brake;

  std::uint32_t inforom_corrupted;
  std::uint32_t fans_failed;                   // a bit for each fan
  std::uint32_t fabric_health;                 // bits: see faults/fabric.hpp
  std::uint64_t nvlinks_down, nvlinks_erring;  // a bit for each link
  std::uint64_t last_xid;                      // 0: none since the driver was loaded
  std::uint32_t failure_tripped;               // the machine file's `failure` has happened
  std::uint32_t identified_in_log;             // its first Xid has named it
};

inline bool hidden(const State& state) {
  return state.availability == Availability::off_bus || state.availability == Availability::removed;
}

}  // namespace nvmlkit::sim::faults
