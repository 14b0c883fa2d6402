// What the machine must look like, kept by the plainest means: the test's own idea of a GPU.
#pragma once

#include <map>
#include <string>

#include "command.hpp"

namespace nvmlkit::machine_test {

struct ReferenceGpu {
  // As an H100 of the built-in machine begins.
  std::uint32_t power_limit_mw = 700000, persistence = 1, compute_mode = 0, ecc_current = 1, ecc_pending = 1;
  std::uint32_t load = 0;
  std::uint64_t corrected_volatile = 0, corrected_aggregate = 0;
  bool lost = false;
  std::map<std::uint32_t, std::uint64_t> clients;  // process, bytes
  double joules = 0;                               // the integral of power
  std::uint64_t last_energy_mj = 0;

  std::uint64_t held() const {
    std::uint64_t sum = 0;
    for (const auto& [pid, bytes] : clients) sum += bytes;
    return sum;
  }
};

// Does the driver show what the reference says? Empty if so, else the first difference.
std::string difference(const ReferenceGpu& reference, const GpuSnapshot& seen);

}  // namespace nvmlkit::machine_test
