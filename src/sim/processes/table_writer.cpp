#include "sim/processes/table_writer.hpp"

#include <algorithm>

#include "sim/mig/instances.hpp"
#include "sim/processes/accounting.hpp"
#include "sim/processes/life.hpp"
#include "sim/processes/limits.hpp"
#include "sim/processes/memory.hpp"
#include "sim/processes/occupants.hpp"

namespace nvmlkit::sim::processes {

// Every container has a process 1, and two may start within one clock tick.
bool is_same_process(const Client& a, const Client& b) {
  return a.pid == b.pid && a.start == b.start && a.simulated == b.simulated && is_of_namespace(a, b.pid_namespace);
}

TableWriter::TableWriter(const state::Lock& lock, std::size_t index)
    : lock_(lock), index_(index), gpu_(lock.machine().gpus()[index]), table_(lock.machine().process_table(index)) {}

const Client* TableWriter::find(const Client& wanted) const {
  for (const auto& client : table_.places())
    if (is_same_process(client, wanted) && client.gpu_instance == wanted.gpu_instance &&
        client.compute_instance == wanted.compute_instance)
      return &client;
  return nullptr;
}

bool TableWriter::remove_ended(bool thorough) const {
  Watch watch(lock_.machine());
  const auto own = table_.places().empty() ? 0 : own_pid_namespace();
  for (const auto& client : table_.places()) {
    if (client.pid == 0) continue;
    const bool is_gone_here = client.simulated == 0 && is_of_namespace(client, own) && is_gone(client.pid);
    const bool ended = is_gone_here || (thorough && watch.look(client) == Life::ended);
    if (ended && !end(client)) return false;
  }
  return true;
}

bool TableWriter::end(const Client& client) const {
  if (!take_turns()) return false;
  if (accounting_is_on(gpu_) && client.accounted == current_epoch(gpu_) && !remember(client)) return false;
  if (!lock_.replace(client, Client{})) return false;
  release_sign(lock_.machine(), client);
  const auto places = table_.places();
  auto used = places.size();
  while (used > 0 && places[used - 1].pid == 0) --used;
  return lock_.replace(table_.in_use, static_cast<std::uint32_t>(used));
}

std::uint32_t TableWriter::free_place() const {
  const auto places = table_.places();
  return static_cast<std::uint32_t>(
      std::find_if(places.begin(), places.end(), [](const Client& client) { return client.pid == 0; }) -
      places.begin());
}

Outcome TableWriter::refusal_of(const Client& wanted) const {
  if (const auto refusal = refused_by_state(); refusal != Outcome::done) return refusal;
  if (const auto refusal = refused_by_mode(wanted); refusal != Outcome::done) return refusal;
  if (wanted.memory_bytes > free_memory() || exceeds_instance(wanted) || exceeds_limit(wanted, wanted.memory_bytes))
    return Outcome::out_of_memory;
  return free_place() >= kMaxClients ? Outcome::full : Outcome::done;
}

Outcome TableWriter::add(const Client& wanted) const {
  if (const auto refusal = refusal_of(wanted); refusal != Outcome::done) return refusal;
  const auto place = free_place();
  if (!take_turns()) return Outcome::no_room;
  Client added = wanted;
  added.began = table_.last.turns;
  if (added.signs_life != 0 && !give_sign(lock_.machine(), table_.clients[place])) added.signs_life = 0;
  if (!lock_.replace(table_.clients[place], added)) {
    release_sign(lock_.machine(), table_.clients[place]);
    return Outcome::no_room;
  }
  return lock_.replace(table_.in_use, std::max(table_.in_use, place + 1)) ? Outcome::done : Outcome::no_room;
}

Outcome TableWriter::resize(const Client& client, std::uint64_t bytes, std::uint32_t further_kinds) const {
  Client changed = client;
  changed.kinds |= further_kinds;
  changed.memory_bytes = bytes;
  changed.max_memory_bytes = std::max(changed.max_memory_bytes, bytes);
  if (bytes > client.memory_bytes &&
      (bytes - client.memory_bytes > free_memory() || exceeds_limit(client, bytes - client.memory_bytes)))
    return Outcome::out_of_memory;
  return lock_.replace(client, changed) ? Outcome::done : Outcome::no_room;
}

// Conditions that refuse every process that does not use the GPU already.
Outcome TableWriter::refused_by_state() const {
  using faults::Availability;
  const auto availability = gpu_.faults.availability;
  if (availability != Availability::available && availability != Availability::reset_required)
    return Outcome::unreachable;
  if (availability == Availability::reset_required || gpu_.reset_status.required.value_or(false))
    return Outcome::reset_first;
  return gpu_.faults.draining != 0 ? Outcome::draining : Outcome::done;
}

// Compute modes are about compute contexts. An exclusive GPU may be the MPS server's, with its clients.
Outcome TableWriter::refused_by_mode(const Client& wanted) const {
  if ((wanted.kinds & (compute | mps)) == 0 || !gpu_.compute_mode) return Outcome::done;
  switch (*gpu_.compute_mode) {
    case model::ComputeMode::prohibited:
      return Outcome::prohibited;
    case model::ComputeMode::exclusive_thread:
    case model::ComputeMode::exclusive_process:
      return excludes(wanted) ? Outcome::exclusive : Outcome::done;
    default:
      return Outcome::done;
  }
}

// Before the weights change: what has passed was shared by the old ones.
bool TableWriter::take_turns() const { return lock_.replace(table_.last, turns_now(lock_.machine(), gpu_, table_)); }

// One record for one process, however often it came. A writer that died behind this step leaves the client, which
// then ends once more: its record is known by when the use began.
bool TableWriter::remember(const Client& client) const {
  auto ended = ended_now(lock_.machine(), gpu_, index_, client);
  const auto oldest = table_.written > kMaxEnded ? table_.written - kMaxEnded : 0;
  for (auto number = table_.written; number > oldest; --number) {
    const auto& known = table_.ended_at(number - 1);
    if (known.pid != ended.pid || known.start != ended.start || known.epoch != ended.epoch) continue;
    if (known.began_us == ended.began_us) return true;
    if (number - 1 < gpu_.accounting_marks.cleared_before) break;
    const auto whole = std::max<std::uint64_t>(ended.time_ms + known.time_ms, 1);
    const auto mean = [&](std::uint32_t now, std::uint32_t before) {
      return static_cast<std::uint32_t>((now * ended.time_ms + before * known.time_ms) / whole);
    };
    ended.gpu_percent = mean(ended.gpu_percent, known.gpu_percent);
    ended.memory_percent = mean(ended.memory_percent, known.memory_percent);
    ended.time_ms += known.time_ms;
    ended.max_memory_bytes = std::max(ended.max_memory_bytes, known.max_memory_bytes);
    return lock_.replace(known, ended);
  }
  return lock_.replace(table_.ended_at(table_.written), ended) && lock_.replace(table_.written, table_.written + 1);
}

// With a full table: a refused process searches all clients for ended ones and tries again.
std::uint64_t TableWriter::free_memory() const {
  std::uint64_t held = 0;
  for (const auto& client : table_.places()) held += client.memory_bytes;
  return memory_of(gpu_, held).free;
}

// A client that holds nothing yet is not asked.
bool TableWriter::exceeds_instance(const Client& client) const {
  if (client.memory_bytes == 0 || client.gpu_instance == kNoInstance) return false;
  const auto* instance = mig::find_instance(gpu_, client.gpu_instance);
  const auto* profile = instance ? mig::profile_of(gpu_, *instance) : nullptr;
  if (!profile) return false;
  const auto total = profile->memory_mib.value_or(0) << 20;
  const auto used = used_bytes(lock_.machine(), gpu_, *instance);
  return client.memory_bytes > (total > used ? total - used : 0);
}

// Do the limits of its cgroups leave less than so much more? Like free_memory(), this counts clients that have ended.
bool TableWriter::exceeds_limit(const Client& client, std::uint64_t further) const {
  for (const auto& limit : table_.limit_places()) {
    if (limit.hard == kNoLimit || !is_in(client.cgroups, limit.cgroup)) continue;
    std::uint64_t held = 0;
    for (const auto& other : table_.places())
      if (is_in(other.cgroups, limit.cgroup)) held += other.memory_bytes;
    if (held > limit.hard || further > limit.hard - held) return true;
  }
  return false;
}

bool TableWriter::excludes(const Client& wanted) const {
  const bool one_of_mps = (wanted.kinds & mps) != 0;
  for (const auto& process : gpu_.processes) {
    const auto type = process.type ? process.type->view() : std::string_view("C");
    if (type.find('M') != std::string_view::npos ? !one_of_mps : type.find('C') != std::string_view::npos) return true;
  }
  return std::any_of(table_.places().begin(), table_.places().end(), [&](const Client& other) {
    return other.pid != 0 && !is_same_process(other, wanted) &&
           ((other.kinds & mps) != 0          ? !one_of_mps && (wanted.kinds & mps_server) == 0
            : (other.kinds & mps_server) != 0 ? !one_of_mps
                                              : (other.kinds & compute) != 0);
  });
}

}  // namespace nvmlkit::sim::processes
