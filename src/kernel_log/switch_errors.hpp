// Errors of NVSwitches: the driver logs them as SXids, and the fabric manager reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/events/ring.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::kernel_log {

struct SwitchError {
  std::size_t nvswitch;  // its index on the host
  sim::model::PciBusId place;
  std::uint32_t port, number;  // number: the SXid
  bool fatal;
  std::uint64_t uptime_us;  // when it came, since the host was started
};

// Nothing for other events, and for a switch that the host does not see.
std::optional<SwitchError> switch_error_of(const sim::Machine& machine, const sim::events::Published& event);

// Those among the newest events of the machine, the oldest first.
std::vector<SwitchError> switch_errors(const sim::Machine& machine);

}  // namespace nvmlkit::kernel_log
