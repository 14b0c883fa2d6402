// The running and ended processes of a GPU: an area of the block beside the GPU, so that a setter does not copy it. Its
// writes count on the GPU's sequence. Reading any bytes is safe: indices are clamped.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/model/field.hpp"

namespace nvmlkit::sim::processes {

inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;

// What a client does with the GPU, as bits.
// An MPS server is a compute process to NVML; clients of MPS share an exclusive GPU with it.
enum Kind : std::uint32_t { compute = 1, graphics = 2, mps = 4, mps_server = 8 };

// How much of the GPU and of its memory clients have had by some time, in seconds for each unit of weight. The share of
// a client is its weight times what has come to pass since it began: nobody else needs to be asked, and a
// client that comes or goes changes one number for all.
struct Turns {
  double gpu_s, memory_s;
};

// The turns when clients last came or went, and what telemetry had counted for all clients by then.
struct LastTurns {
  Turns turns, counted;
};

// A process's cgroup and those above it, 0 where there are no more.
using CgroupIds = std::array<std::uint64_t, 12>;

inline bool is_in(const CgroupIds& ids, std::uint64_t cgroup) {
  return cgroup != 0 && std::find(ids.begin(), ids.end(), cgroup) != ids.end();
}

// A process that uses the GPU; pid 0 is a free place.
struct Client {
  std::uint32_t pid;
  std::uint32_t kinds;
  std::uint64_t start;          // when the process began, in clock ticks since boot; 0: unknown
  std::uint64_t pid_namespace;  // in which `pid` counts; 0: unknown
  std::uint64_t memory_bytes, max_memory_bytes;
  std::int64_t began_us;  // of its use of the GPU, since 1970
  std::uint32_t share;    // weight in the GPU's utilization
  std::uint32_t gpu_instance, compute_instance;
  std::uint32_t accounted;     // epoch of the accounting that it counts in; 0: none
  std::uint16_t signs_life;    // 1: while it runs, its first byte in the file is locked (storage/life.hpp)
  std::uint16_t load_percent;  // of the GPU, that a container or a simulated process asks for; 0: none
  std::uint32_t simulated;     // 1: no program; it runs until a command ends it (processes/simulated.hpp)
  Turns began;                 // when its use began
  CgroupIds cgroups;           // in which it was then; its memory counts there
  model::Text<128> name;
};

// What a process that has ended did.
struct Ended {
  std::uint32_t pid;
  std::uint32_t epoch;
  std::uint64_t start;
  std::uint64_t max_memory_bytes;
  std::int64_t began_us;
  std::uint64_t time_ms;
  std::uint32_t gpu_percent, memory_percent;
};

// How much memory of the GPU the processes of a cgroup may hold together.
struct MemoryLimit {
  std::uint64_t cgroup;  // 0: a free place
  std::uint64_t soft, hard;
  model::Text<256> path;  // by which it was set
};

inline constexpr std::uint32_t kMaxLimits = 256;
inline constexpr std::uint32_t kMaxClients = 1024;
inline constexpr std::uint32_t kMaxEnded = 4096;  // a power of two

struct Table {
  std::uint32_t in_use;     // no client lies behind so many places
  std::uint32_t simulated;  // of the first GPU: simulated processes of the machine, ever, that got a PID
  LastTurns last;
  std::uint64_t written;        // ended processes, ever; the last of them lie at their number modulo max_ended
  std::uint32_t limits_in_use;  // as in_use
  alignas(64) Client clients[kMaxClients];
  alignas(64) Ended ended[kMaxEnded];
  alignas(64) MemoryLimit limits[kMaxLimits];

  std::span<const Client> places() const { return {clients, std::min(in_use, kMaxClients)}; }
  std::span<const MemoryLimit> limit_places() const { return {limits, std::min(limits_in_use, kMaxLimits)}; }
  const Ended& ended_at(std::uint64_t number) const { return ended[number % kMaxEnded]; }
};

// Kept in the GPU itself, so that switching the mode off forgets all records in one write.
struct AccountingMarks {
  std::uint32_t epoch;           // how often the mode was switched on
  std::uint64_t cleared_before;  // ended processes with lower numbers are forgotten
};

}  // namespace nvmlkit::sim::processes
