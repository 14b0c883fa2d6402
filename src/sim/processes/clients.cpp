#include "sim/processes/clients.hpp"

#include <algorithm>
#include <iterator>

#include "sim/processes/accounting.hpp"
#include "sim/processes/life.hpp"
#include "sim/processes/limits.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/lock.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::processes {
namespace {

using state::Lock;

// Every container has a process 1, and two may start within one clock tick.
bool is_same_process(const Client& a, const Client& b) {
  return a.pid == b.pid && a.start == b.start && is_of_namespace(a, b.pid_namespace);
}

Outcome outcome_of(state::Refusal refusal) {
  return refusal == state::Refusal::read_only ? Outcome::read_only : Outcome::busy;
}

// Changes the table of one GPU, in steps of which each leaves a right table behind, wherever this process dies.
class Writer {
 public:
  Writer(const Lock& lock, std::size_t index)
      : lock_(lock), index_(index), gpu_(lock.machine().gpus()[index]), table_(lock.machine().process_table(index)) {}

  const Client* find(const Client& wanted) const {
    for (const auto& client : table_.places())
      if (is_same_process(client, wanted) && client.gpu_instance == wanted.gpu_instance &&
          client.compute_instance == wanted.compute_instance)
        return &client;
    return nullptr;
  }

  // The thorough look also finds numbers that were given again; it costs some microseconds for each client.
  bool remove_ended(bool thorough) const {
    Watch watch(lock_.machine());
    const auto own = table_.places().empty() ? 0 : own_pid_namespace();
    for (const auto& client : table_.places()) {
      if (client.pid == 0) continue;
      const bool is_gone_here = is_of_namespace(client, own) && is_gone(client.pid);
      const bool ended = is_gone_here || (thorough && watch.look(client) == Life::ended);
      if (ended && !end(client)) return false;
    }
    return true;
  }

  bool end(const Client& client) const {
    if (!take_turns()) return false;
    if (accounting_is_on(gpu_) && client.accounted == current_epoch(gpu_) && !remember(client)) return false;
    if (!lock_.replace(client, Client{})) return false;
    release_sign(lock_.machine(), client);
    const auto places = table_.places();
    auto used = places.size();
    while (used > 0 && places[used - 1].pid == 0) --used;
    return lock_.replace(table_.in_use, static_cast<std::uint32_t>(used));
  }

  Outcome add(const Client& wanted) const {
    if (const auto refusal = refused_by_state(); refusal != Outcome::done) return refusal;
    if (const auto refusal = refused_by_mode(wanted); refusal != Outcome::done) return refusal;
    if (wanted.memory_bytes > free_memory() || exceeds_limit(wanted, wanted.memory_bytes))
      return Outcome::out_of_memory;
    const auto places = table_.places();
    const auto place = static_cast<std::uint32_t>(
        std::find_if(places.begin(), places.end(), [](const Client& client) { return client.pid == 0; }) -
        places.begin());
    if (place >= kMaxClients) return Outcome::full;
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

  Outcome resize(const Client& client, std::uint64_t bytes, std::uint32_t further_kinds) const {
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
  Outcome refused_by_state() const {
    using faults::Availability;
    const auto availability = gpu_.faults.availability;
    if (availability != Availability::available && availability != Availability::reset_required)
      return Outcome::unreachable;
    if (availability == Availability::reset_required || gpu_.reset_status.required.value_or(false))
      return Outcome::reset_first;
    return gpu_.faults.draining != 0 ? Outcome::draining : Outcome::done;
  }

  // Compute modes are about compute contexts. An exclusive GPU may be the MPS server's, with its clients.
  Outcome refused_by_mode(const Client& wanted) const {
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

  const Table& table() const { return table_; }
  const model::Gpu& gpu() const { return gpu_; }

 private:
  // Before the weights change: what has passed was shared by the old ones.
  bool take_turns() const { return lock_.replace(table_.last, turns_now(lock_.machine(), gpu_, table_)); }

  // One record for one process, however often it came. A writer that died behind this step leaves the client, which
  // then ends once more: its record is known by when the use began.
  bool remember(const Client& client) const {
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
  std::uint64_t free_memory() const {
    std::uint64_t held = 0;
    for (const auto& client : table_.places()) held += client.memory_bytes;
    return memory_of(gpu_, held).free;
  }

  // Do the limits of its cgroups leave less than so much more? Like free_memory(), this counts clients that have ended.
  bool exceeds_limit(const Client& client, std::uint64_t further) const {
    for (const auto& limit : table_.limit_places()) {
      if (limit.hard == kNoLimit || !is_in(client.cgroups, limit.cgroup)) continue;
      std::uint64_t held = 0;
      for (const auto& other : table_.places())
        if (is_in(other.cgroups, limit.cgroup)) held += other.memory_bytes;
      if (held > limit.hard || further > limit.hard - held) return true;
    }
    return false;
  }

  bool excludes(const Client& wanted) const {
    const bool one_of_mps = (wanted.kinds & mps) != 0;
    for (const auto& process : gpu_.processes) {
      const auto type = process.type ? process.type->view() : std::string_view("C");
      if (type.find('M') != std::string_view::npos ? !one_of_mps : type.find('C') != std::string_view::npos)
        return true;
    }
    return std::any_of(table_.places().begin(), table_.places().end(), [&](const Client& other) {
      return other.pid != 0 && !is_same_process(other, wanted) &&
             ((other.kinds & mps) != 0          ? !one_of_mps && (wanted.kinds & mps_server) == 0
              : (other.kinds & mps_server) != 0 ? !one_of_mps
                                                : (other.kinds & compute) != 0);
    });
  }

  const Lock& lock_;
  std::size_t index_;
  const model::Gpu& gpu_;
  const Table& table_;
};

// Does `work`, and once more without those whose end only a thorough look finds.
template <class Work>
Outcome without_ended(const Writer& writer, Work work) {
  if (!writer.remove_ended(false)) return Outcome::no_room;
  const auto first = work();
  if (first != Outcome::full && first != Outcome::out_of_memory && first != Outcome::exclusive) return first;
  return writer.remove_ended(true) ? work() : Outcome::no_room;
}

}  // namespace

Outcome attach(const Machine& machine, std::size_t gpu, const Request& request) {
  const auto process = inner_process(request.pid);
  if (!process) return Outcome::no_such_process;
  char buffer[256];
  const auto name = request.name.empty() ? name_of(request.pid, buffer) : request.name;
  const auto cgroups = cgroups_of(request.pid);
  const Lock lock(machine);
  if (!lock) return outcome_of(lock.refusal());
  const Writer writer(lock, gpu);
  return without_ended(writer, [&] {
    Client client{};
    client.pid = process->pid;
    client.kinds = request.kinds;
    client.start = process->start;
    client.pid_namespace = process->pid_namespace;
    client.memory_bytes = client.max_memory_bytes = request.memory_bytes;
    client.began_us = now_us(machine);
    client.share = request.share;
    client.gpu_instance = request.gpu_instance;
    client.compute_instance = request.compute_instance;
    client.signs_life = request.signs_life ? 1 : 0;
    client.load_percent = request.load_percent;
    client.cgroups = cgroups;
    client.accounted = accounting_is_on(writer.gpu()) ? current_epoch(writer.gpu()) : 0;
    client.name = name;
    const auto* known = writer.find(client);
    if (!known) return writer.add(client);
    const auto refusal = writer.refused_by_mode(client);
    return refusal == Outcome::done ? writer.resize(*known, known->memory_bytes + request.memory_bytes, request.kinds)
                                    : refusal;
  });
}

Outcome set_memory(const Machine& machine, std::size_t gpu, std::uint32_t pid, std::uint64_t bytes,
                   std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  const auto start = running_since(pid);
  if (!start) return Outcome::no_such_process;
  const Lock lock(machine);
  if (!lock) return outcome_of(lock.refusal());
  const Writer writer(lock, gpu);
  Client wanted{};
  wanted.pid = pid;
  wanted.start = *start;
  wanted.pid_namespace = own_pid_namespace();
  wanted.gpu_instance = gpu_instance;
  wanted.compute_instance = compute_instance;
  return without_ended(writer, [&] {
    const auto* client = writer.find(wanted);
    return client ? writer.resize(*client, bytes, 0) : Outcome::not_attached;
  });
}

// The process may have ended before. Then its PID may be another process's, and its client ends as ended.
Outcome detach(const Machine& machine, std::size_t gpu, std::uint32_t pid) {
  const auto start = running_since(pid);
  const auto own = own_pid_namespace();
  const Lock lock(machine);
  if (!lock) return outcome_of(lock.refusal());
  const Writer writer(lock, gpu);
  auto outcome = Outcome::not_attached;
  for (const auto& client : writer.table().places()) {
    if (client.pid != pid || pid == 0 || !is_of_namespace(client, own)) continue;
    if (!writer.end(client)) return Outcome::no_room;
    const bool same = !start || *start == 0 || client.start == 0 || client.start == *start;
    if (same) outcome = Outcome::done;
  }
  return writer.remove_ended(false) ? outcome : Outcome::no_room;
}

Outcome detach(const Machine& machine, std::size_t gpu, const InnerProcess& process) {
  const Lock lock(machine);
  if (!lock) return outcome_of(lock.refusal());
  const Writer writer(lock, gpu);
  Client wanted{};
  wanted.pid = process.pid;
  wanted.start = process.start;
  wanted.pid_namespace = process.pid_namespace;
  for (const auto& client : writer.table().places())
    if (client.pid != 0 && is_same_process(client, wanted) && !writer.end(client)) return Outcome::no_room;
  return Outcome::done;
}

void remove_ended(const Machine& machine, std::size_t gpu) {
  bool any = false;
  Watch watch(machine);
  for (const auto& client : machine.process_table(gpu).places())
    any = any || (client.pid != 0 && watch.look(client) == Life::ended);
  if (!any) return;
  if (const Lock lock(machine); lock) Writer(lock, gpu).remove_ended(true);
}

bool in_use(const Machine& machine, const model::Gpu& gpu, std::size_t index) {
  bool any = !gpu.processes.empty() || vgpu::any(gpu);
  for_each_client(machine, index, [&](const Client&, Life) { any = true; });
  return any;
}

}  // namespace nvmlkit::sim::processes
