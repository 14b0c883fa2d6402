#include "sim/processes/limits.hpp"

#include <unistd.h>

#include <algorithm>

#include "sim/processes/life.hpp"
#include "sim/state/lock.hpp"

namespace nvmlkit::sim::processes {
namespace {

bool has_process(const Table& table, std::uint64_t cgroup) {
  const auto places = table.places();
  return std::any_of(places.begin(), places.end(),
                     [&](const Client& client) { return client.pid != 0 && is_in(client.cgroups, cgroup); });
}

// A cgroup was removed if its path leads to another one, or if its folder is gone from the one above it. The latter is
// no proof for a path of another container, so a cgroup whose processes use the GPU stays.
bool was_removed(const Table& table, const MemoryLimit& limit) {
  char path[sizeof limit.path.data + 1];
  const auto text = limit.path.view();
  std::copy(text.begin(), text.end(), path);
  path[text.size()] = '\0';
  if (const auto found = cgroup_at(path)) return *found != limit.cgroup;
  const auto end = text.find_last_not_of('/');
  const auto mark = text.substr(0, end == text.npos ? 0 : end).rfind('/');
  if (mark == text.npos || access(path, F_OK) == 0) return false;
  path[mark] = '\0';
  return cgroup_at(path) && !has_process(table, limit.cgroup);
}

}  // namespace

const MemoryLimit* limit_of(const Table& table, std::uint64_t cgroup) {
  for (const auto& limit : table.limit_places())
    if (limit.cgroup == cgroup && cgroup != 0) return &limit;
  return nullptr;
}

Outcome set_limit(const Machine& machine, std::size_t gpu, const MemoryLimit& limit) {
  const state::Lock lock(machine);
  if (lock.refusal() == state::Refusal::read_only) return Outcome::read_only;
  if (!lock) return Outcome::busy;
  const auto& table = machine.process_table(gpu);
  const auto* known = limit_of(table, limit.cgroup);
  if (limit.soft == 0 && limit.hard == kNoLimit) {
    if (known && !lock.replace(*known, MemoryLimit{})) return Outcome::no_room;
    auto used = table.limit_places().size();
    while (used > 0 && table.limits[used - 1].cgroup == 0) --used;
    return lock.replace(table.limits_in_use, static_cast<std::uint32_t>(used)) ? Outcome::done : Outcome::no_room;
  }
  if (known) return lock.replace(*known, limit) ? Outcome::done : Outcome::no_room;
  const auto places = table.limit_places();
  auto place = static_cast<std::uint32_t>(
      std::find_if(places.begin(), places.end(), [](const MemoryLimit& each) { return each.cgroup == 0; }) -
      places.begin());
  if (place >= kMaxLimits)
    place = static_cast<std::uint32_t>(
        std::find_if(places.begin(), places.end(), [&](const MemoryLimit& each) { return was_removed(table, each); }) -
        places.begin());
  if (place >= kMaxLimits) return Outcome::full;
  if (!lock.replace(table.limits[place], limit)) return Outcome::no_room;
  return lock.replace(table.limits_in_use, std::max(table.limits_in_use, place + 1)) ? Outcome::done : Outcome::no_room;
}

std::uint64_t held_in(const Machine& machine, std::size_t gpu, std::uint64_t cgroup, std::uint32_t without_pid) {
  std::uint64_t held = 0;
  const auto own_namespace = without_pid == 0 ? 0 : own_pid_namespace();
  for_each_client(machine, gpu, [&](const Client& client, Life) {
    const bool left_out = client.pid == without_pid && client.pid_namespace == own_namespace;
    if (!left_out && is_in(client.cgroups, cgroup)) held += client.memory_bytes;
  });
  return held;
}

std::optional<Budget> budget_of(const Machine& machine, std::size_t gpu, const CgroupIds& cgroups,
                                std::uint32_t without_pid) {
  std::optional<Budget> least;
  for (const auto& limit : machine.process_table(gpu).limit_places()) {
    if (limit.cgroup == 0 || limit.hard == kNoLimit || !is_in(cgroups, limit.cgroup)) continue;
    const Budget one{limit.hard, held_in(machine, gpu, limit.cgroup, without_pid)};
    if (!least || one.left() < least->left()) least = one;
  }
  return least;
}

std::optional<Budget> own_budget(const Machine& machine, std::size_t gpu, bool without_own_memory) {
  if (machine.process_table(gpu).limit_places().empty()) return {};
  const auto pid = static_cast<std::uint32_t>(getpid());
  return budget_of(machine, gpu, cgroups_of(pid), without_own_memory ? pid : 0);
}

}  // namespace nvmlkit::sim::processes
