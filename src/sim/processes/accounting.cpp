#include "sim/processes/accounting.hpp"

#include <algorithm>

#include "sim/processes/utilization.hpp"
#include "sim/state/clock.hpp"
#include "sim/telemetry/plan.hpp"

namespace nvmlkit::sim::processes {
namespace {

// Per cent of the client's life, as NVML reports it. A client that has just begun has no life yet.
struct Mean {
  std::uint32_t gpu, memory;
};

Mean mean_of(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client) {
  const double life = static_cast<double>(now_us(machine) - client.began_us) * 1e-6;
  if (!(life > 1e-3)) {
    const auto at_once = utilization_of(machine, gpu, index, client);
    return {at_once.gpu, at_once.memory};
  }
  const auto now = turns_now(machine, gpu, machine.process_table(index)).turns;
  const auto percent = [&](double turns) {
    const double mean = 100 * client.share * turns / life;
    return mean > 0 ? static_cast<std::uint32_t>(std::min(mean, 100.0) + 0.5) : 0;
  };
  return {percent(now.gpu_s - client.began.gpu_s), percent(now.memory_s - client.began.memory_s)};
}

std::uint64_t ms_since(const Machine& machine, std::int64_t began_us) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(now_us(machine) - began_us, 0)) / 1000;
}

}  // namespace

std::int64_t now_us(const Machine& machine) { return static_cast<std::int64_t>(unix_us(machine, now_ns(machine))); }

LastTurns turns_now(const Machine& machine, const model::Gpu& gpu, const Table& table) {
  std::uint64_t weight = 0;
  for (const auto& client : table.places()) weight += client.pid != 0 ? client.share : 0;
  const auto counted = telemetry::shared_seconds(machine, gpu);
  LastTurns out{table.last.turns, {counted.gpu, counted.memory}};
  if (weight == 0) return out;
  // After a reset telemetry may count from zero again.
  out.turns.gpu_s += std::max(counted.gpu - table.last.counted.gpu_s, 0.0) / static_cast<double>(weight);
  out.turns.memory_s += std::max(counted.memory - table.last.counted.memory_s, 0.0) / static_cast<double>(weight);
  return out;
}

bool accounting_is_on(const model::Gpu& gpu) {
  return gpu.accounting.mode && *gpu.accounting.mode == model::EnableState::enabled;
}

Ended ended_now(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client) {
  const auto used = mean_of(machine, gpu, index, client);
  return {client.pid,      client.accounted,
          client.start,    client.max_memory_bytes,
          client.began_us, ms_since(machine, client.began_us),
          used.gpu,        used.memory};
}

void forget_all(model::Gpu& gpu) { ++gpu.accounting_marks.epoch; }

void forget_ended(const Machine& machine, model::Gpu& gpu, std::size_t index) {
  gpu.accounting_marks.cleared_before = machine.process_table(index).written;
}

namespace detail {

Record record_of(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client) {
  const auto used = mean_of(machine, gpu, index, client);
  return {client.pid, true, used.gpu, used.memory, client.max_memory_bytes, client.began_us, 0};
}

// It runs as long as the machine.
Record record_of(const Machine& machine, const model::Process& process) {
  return {process.pid.value_or(0),
          true,
          process.sm_util.value_or(0),
          process.mem_util.value_or(0),
          process.used_memory_mib.value_or(0) << 20,
          machine.header().created * 1'000'000,
          0};
}

Record record_of(const Ended& ended) {
  return {ended.pid,      false,        ended.gpu_percent, ended.memory_percent, ended.max_memory_bytes,
          ended.began_us, ended.time_ms};
}

bool counts(const model::Gpu& gpu, const Table& table, const Ended& ended) {
  const auto clients = table.places();
  return ended.epoch == current_epoch(gpu) && std::none_of(clients.begin(), clients.end(), [&](const Client& client) {
           return client.pid == ended.pid && client.start == ended.start && client.accounted == ended.epoch;
         });
}

std::uint64_t first_ended(const model::Gpu& gpu, const Table& table) {
  const std::uint64_t kept = std::min(gpu.accounting.buffer_size.value_or(0), kMaxEnded);
  const std::uint64_t oldest = table.written > kept ? table.written - kept : 0;
  return std::max(oldest, gpu.accounting_marks.cleared_before);
}

}  // namespace detail
}  // namespace nvmlkit::sim::processes
