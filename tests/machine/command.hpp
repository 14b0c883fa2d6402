// What the test tells its processes to do with the machine they share, and what they answer.
#pragma once

#include <cstdint>

namespace nvmlkit::machine_test {

inline constexpr std::uint32_t kMostGpus = 4;
inline constexpr std::uint32_t kMostClients = 32;

enum class Op : std::uint32_t {
  // Through the driver library, as a program does it.
  set_power_limit,  // a: mW
  set_persistence,  // a: 0 or 1
  set_compute_mode,
  set_ecc,           // a: 0 or 1
  clear_ecc_counts,  // volatile ones
  reset,
  read,  // answers with a Snapshot
  // On the machine, as the command does it.
  load,     // a: per cent; 0 ends it
  advance,  // a: ms
  attach,   // a: process, b: bytes
  add_ecc,  // a: corrected errors
  lose,
  heal,
  quit,
};

struct Command {
  Op op;
  std::uint32_t gpu;
  std::uint64_t a, b;
};

// All that NVML tells of one GPU and that the test knows better. Two processes give the same bytes.
struct GpuSnapshot {
  std::int32_t availability;  // what every call answers
  std::uint32_t power_limit_mw, persistence, compute_mode, ecc_current, ecc_pending;
  std::uint32_t power_mw, temperature_c, clock_mhz, utilization;
  std::uint64_t memory_total, memory_used, memory_free, memory_reserved;
  std::uint64_t corrected_volatile, corrected_aggregate;
  std::uint64_t energy_mj;
  std::uint32_t client_count;
  std::uint32_t pids[kMostClients];
  std::uint64_t client_bytes[kMostClients];
};

struct Snapshot {
  std::uint32_t count;
  GpuSnapshot gpus[kMostGpus];
};

struct Answer {
  std::int64_t result;
  Snapshot seen;
};

}  // namespace nvmlkit::machine_test
