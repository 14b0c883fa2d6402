// How much of the GPU's utilization is whose: configured processes have what the machine file says, clients share the
// rest by their weights.
#pragma once

#include <cstdint>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::processes {

// In per cent.
struct Utilization {
  std::uint32_t gpu = 0, memory = 0, encoder = 0, decoder = 0, jpeg = 0, ofa = 0;

  bool any() const { return (gpu | memory | encoder | decoder | jpeg | ofa) != 0; }
};

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
