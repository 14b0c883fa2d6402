#include "sim/processes/simulated.hpp"

#include <algorithm>

#include "sim/processes/accounting.hpp"
#include "sim/processes/table_writer.hpp"

namespace nvmlkit::sim::processes {
namespace {

// A number of a program, of another simulated process or of the machine file.
bool is_taken(const TableWriter& writer, std::uint32_t pid) {
  const auto& configured = writer.gpu().processes;
  const auto places = writer.table().places();
  return std::any_of(configured.begin(), configured.end(),
                     [&](const model::Process& process) { return process.pid.value_or(0) == pid; }) ||
         std::any_of(places.begin(), places.end(), [&](const Client& client) { return client.pid == pid; });
}

Client wanted_client(const Machine& machine, const model::Gpu& gpu, const Request& request) {
  Client out{};
  out.pid = request.pid;
  out.kinds = request.kinds;
  out.memory_bytes = out.max_memory_bytes = request.memory_bytes;
  out.began_us = now_us(machine);
  out.start = static_cast<std::uint64_t>(out.began_us);  // tells it from an earlier one with its number
  out.share = request.share;
  out.gpu_instance = request.gpu_instance;
  out.compute_instance = request.compute_instance;
  out.load_percent = request.load_percent;
  out.simulated = 1;
  out.accounted = accounting_is_on(gpu) ? current_epoch(gpu) : 0;
  out.name = request.name;
  return out;
}

Outcome refusal_of(const TableWriter& writer, const Client& wanted) {
  return writer.without_ended([&] {
    if (is_taken(writer, wanted.pid)) return Outcome::taken;
    return writer.refusal_of(wanted);
  });
}

}  // namespace

std::uint32_t next_simulated_pid(const Machine& machine) {
  return machine.gpus().empty() ? kFirstSimulatedPid : kFirstSimulatedPid + machine.process_table(0).simulated;
}

Started start(const state::Lock& lock, const std::vector<std::size_t>& gpus, Request request) {
  const auto& machine = lock.machine();
  const bool numbered = request.pid == 0;
  if (numbered) request.pid = next_simulated_pid(machine);
  std::vector<Client> wanted;
  for (const auto gpu : gpus) {
    wanted.push_back(wanted_client(machine, machine.gpus()[gpu], request));
    if (const auto refusal = refusal_of(TableWriter(lock, gpu), wanted.back()); refusal != Outcome::done)
      return {refusal, gpu, 0};
  }
  if (const auto& count = machine.process_table(0).simulated; numbered && !lock.replace(count, count + 1))
    return {Outcome::no_room, 0, 0};
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (const auto added = TableWriter(lock, gpus[i]).add(wanted[i]); added != Outcome::done)
      return {added, gpus[i], 0};
  return {Outcome::done, 0, request.pid};
}

Outcome end(const state::Lock& lock, std::size_t gpu, std::uint32_t pid) {
  const TableWriter writer(lock, gpu);
  auto outcome = Outcome::not_attached;
  for (const auto& client : writer.table().places()) {
    if (client.pid != pid || client.simulated == 0) continue;
    if (!writer.end(client)) return Outcome::no_room;
    outcome = Outcome::done;
  }
  return outcome;
}

std::uint32_t asked_load(const Machine& machine, std::size_t gpu) {
  std::uint32_t sum = 0;
  for_each_client(machine, gpu, [&](const Client& client, Life) { sum += client.load_percent; });
  return std::min(sum, 100U);
}

}  // namespace nvmlkit::sim::processes
