#include "sim/processes/clients.hpp"

#include "sim/processes/accounting.hpp"
#include "sim/processes/cgroups.hpp"
#include "sim/processes/life.hpp"
#include "sim/processes/table_writer.hpp"
#include "sim/state/lock.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::processes {
namespace {

using state::Lock;

Outcome outcome_of(state::Refusal refusal) {
  return refusal == state::Refusal::read_only ? Outcome::read_only : Outcome::busy;
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
  const TableWriter writer(lock, gpu);
  return writer.without_ended([&] {
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
  const TableWriter writer(lock, gpu);
  Client wanted{};
  wanted.pid = pid;
  wanted.start = *start;
  wanted.pid_namespace = own_pid_namespace();
  wanted.gpu_instance = gpu_instance;
  wanted.compute_instance = compute_instance;
  return writer.without_ended([&] {
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
  const TableWriter writer(lock, gpu);
  auto outcome = Outcome::not_attached;
  for (const auto& client : writer.table().places()) {
    if (client.pid != pid || pid == 0 || client.simulated != 0 || !is_of_namespace(client, own)) continue;
    if (!writer.end(client)) return Outcome::no_room;
    const bool same = !start || *start == 0 || client.start == 0 || client.start == *start;
    if (same) outcome = Outcome::done;
  }
  return writer.remove_ended(false) ? outcome : Outcome::no_room;
}

Outcome detach(const Machine& machine, std::size_t gpu, const InnerProcess& process) {
  const Lock lock(machine);
  if (!lock) return outcome_of(lock.refusal());
  const TableWriter writer(lock, gpu);
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
  if (const Lock lock(machine); lock) TableWriter(lock, gpu).remove_ended(true);
}

bool in_use(const Machine& machine, const model::Gpu& gpu, std::size_t index) {
  bool any = !gpu.processes.empty() || vgpu::any(gpu);
  for_each_client(machine, index, [&](const Client&, Life) { any = true; });
  return any;
}

}  // namespace nvmlkit::sim::processes
