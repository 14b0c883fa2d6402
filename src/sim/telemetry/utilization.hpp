// The load of a GPU's engines by one user.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::telemetry {

// In per cent.
struct Utilization {
  std::uint32_t gpu = 0, memory = 0, encoder = 0, decoder = 0, jpeg = 0, ofa = 0;

  bool any() const { return (gpu | memory | encoder | decoder | jpeg | ofa) != 0; }
};

}  // namespace nvmlkit::sim::telemetry
