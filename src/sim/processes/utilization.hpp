// Divides the GPU's utilization among its processes: configured processes have the values of the machine file, clients
// share the rest by their weights.
#pragma once

#include <cstdint>

#include "sim/native/processes.hpp"
#include "sim/state/machine.hpp"
#include "sim/telemetry/utilization.hpp"

namespace nvmlkit::sim::processes {

using telemetry::Utilization;

// What clients share, and by how much weight.
struct Shared {
  Utilization percent;
  std::uint64_t weight = 0;

  Utilization of(const Client& client) const;
};

Shared shared_utilization(const Machine& machine, const model::Gpu& gpu, std::size_t index);

inline Utilization utilization_of(const Machine& machine, const model::Gpu& gpu, std::size_t index,
                                  const Client& client) {
  return shared_utilization(machine, gpu, index).of(client);
}

Utilization utilization_of(const model::Process& process);

}  // namespace nvmlkit::sim::processes
