// Limits of a GPU's memory for the processes of a cgroup.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "sim/processes/cgroups.hpp"
#include "sim/processes/clients.hpp"

namespace nvmlkit::sim::processes {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The limits of the cgroup itself; null where it has none. Belongs into consistently(), like every read.
const MemoryLimit* limit_of(const Table& table, std::uint64_t cgroup);

// Sets them, or ends them if `soft` is 0 and `hard` kNoLimit. Outcome::full: as many cgroups as there may be have
// limits.
Outcome set_limit(const Machine& machine, std::size_t gpu, const MemoryLimit& limit);

// The memory that processes of the cgroup and of those below it hold.
std::uint64_t held_in(const Machine& machine, std::size_t gpu, std::uint64_t cgroup, std::uint32_t without_pid = 0);

// The tightest limit that counts for a process of these cgroups: the one that leaves it the least.
struct Budget {
  std::uint64_t hard, used;  // `used` leaves out the process `without_pid`

  std::uint64_t left() const { return hard > used ? hard - used : 0; }
};
std::optional<Budget> budget_of(const Machine& machine, std::size_t gpu, const CgroupIds& cgroups,
                                std::uint32_t without_pid = 0);

// The same for this process. It costs nothing while no cgroup has a limit.
std::optional<Budget> own_budget(const Machine& machine, std::size_t gpu, bool without_own_memory);

}  // namespace nvmlkit::sim::processes
