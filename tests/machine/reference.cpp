#include "reference.hpp"

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::machine_test {
namespace {

std::string differ(const char* what, std::uint64_t expected, std::uint64_t seen) {
  return std::string(what) + ": expected " + std::to_string(expected) + ", NVML says " + std::to_string(seen);
}

}  // namespace

std::string difference(const ReferenceGpu& reference, const GpuSnapshot& seen) {
  if (reference.lost)
    return seen.availability == abi::NVML_ERROR_GPU_IS_LOST ? "" : differ("result", 15, seen.availability);
  if (seen.availability != abi::NVML_SUCCESS) return differ("result", 0, seen.availability);
  const struct {
    const char* what;
    std::uint64_t expected, seen;
  } values[] = {
      {"power limit", reference.power_limit_mw, seen.power_limit_mw},
      {"persistence mode", reference.persistence, seen.persistence},
      {"compute mode", reference.compute_mode, seen.compute_mode},
      {"current ECC mode", reference.ecc_current, seen.ecc_current},
      {"pending ECC mode", reference.ecc_pending, seen.ecc_pending},
      {"utilization", reference.load, seen.utilization},
      {"used memory", reference.held(), seen.memory_used},
      {"sum of memory", seen.memory_total, seen.memory_used + seen.memory_free + seen.memory_reserved},
      {"processes", reference.clients.size(), seen.client_count},
  };
  for (const auto& value : values)
    if (value.expected != value.seen) return differ(value.what, value.expected, value.seen);
  if (reference.ecc_current == abi::NVML_FEATURE_ENABLED) {
    if (seen.corrected_volatile != reference.corrected_volatile)
      return differ("volatile errors", reference.corrected_volatile, seen.corrected_volatile);
    if (seen.corrected_aggregate != reference.corrected_aggregate)
      return differ("aggregate errors", reference.corrected_aggregate, seen.corrected_aggregate);
  }
  for (std::uint32_t i = 0; i < seen.client_count && i < kMostClients; ++i) {
    const auto client = reference.clients.find(seen.pids[i]);
    if (client == reference.clients.end()) return "process " + std::to_string(seen.pids[i]) + " has ended";
    if (client->second != seen.client_bytes[i])
      return differ("memory of a process", client->second, seen.client_bytes[i]);
  }
  if (seen.energy_mj < reference.last_energy_mj)
    return differ("energy at least", reference.last_energy_mj, seen.energy_mj);
  return {};
}

}  // namespace nvmlkit::machine_test
