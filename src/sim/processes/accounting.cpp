#include "sim/processes/accounting.hpp"

#include <algorithm>

#include "sim/clock.hpp"
#include "sim/processes/utilization.hpp"

namespace nvmlkit::sim::processes {
namespace {

std::uint64_t ms_since(const Machine& machine, std::int64_t began_us) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(now_us(machine) - began_us, 0)) / 1000;
}

}  // namespace

std::int64_t now_us(const Machine& machine) { return static_cast<std::int64_t>(unix_us(machine, now_ns(machine))); }

bool accounting_is_on(const model::Gpu& gpu) {
  return gpu.accounting.mode && *gpu.accounting.mode == model::EnableState::enabled;
}

Ended ended_now(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client) {
  const auto used = utilization_of(machine, gpu, index, client);
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
  const auto used = utilization_of(machine, gpu, index, client);
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
  const std::uint64_t kept = std::min(gpu.accounting.buffer_size.value_or(0), max_ended);
  const std::uint64_t oldest = table.written > kept ? table.written - kept : 0;
  return std::max(oldest, gpu.accounting_marks.cleared_before);
}

}  // namespace detail
}  // namespace nvmlkit::sim::processes
