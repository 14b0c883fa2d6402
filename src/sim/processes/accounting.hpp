// Accounting records of a GPU: of running processes, and of the last ended ones.
#pragma once

#include <cstdint>

#include "sim/processes/clients.hpp"

namespace nvmlkit::sim::processes {

struct Record {
  std::uint32_t pid;
  bool running;
  std::uint32_t gpu_percent, memory_percent;
  std::uint64_t max_memory_bytes;
  std::int64_t began_us;  // since 1970
  std::uint64_t time_ms;  // 0 while it runs
};

bool accounting_is_on(const model::Gpu& gpu);

// The epoch that records of now carry; never 0.
inline std::uint32_t current_epoch(const model::Gpu& gpu) { return gpu.accounting_marks.epoch + 1; }

// The turns of the GPU's clients until now.
LastTurns turns_now(const Machine& machine, const model::Gpu& gpu, const Table& table);

// What a client that ends now leaves behind.
Ended ended_now(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client);

// The accounting of the GPU forgets what it knows: all, when the mode is switched; the ended ones, when it is cleared.
void forget_all(model::Gpu& gpu);
void forget_ended(const Machine& machine, model::Gpu& gpu, std::size_t index);

// The machine's time.
std::int64_t now_us(const Machine& machine);

namespace detail {
Record record_of(const Machine& machine, const model::Gpu& gpu, std::size_t index, const Client& client);
Record record_of(const Machine& machine, const model::Process& process);
Record record_of(const Ended& ended);
// Is the record of this accounting, and of no process that uses the GPU again?
bool counts(const model::Gpu& gpu, const Table& table, const Ended& ended);
// The first of the ended processes that are still remembered.
std::uint64_t first_ended(const model::Gpu& gpu, const Table& table);
}  // namespace detail

// Calls `visit(record)`: ended processes in the order of their ends, then those that run.
template <class Visit>
void for_each_record(const Machine& machine, const model::Gpu& gpu, std::size_t index, Visit visit) {
  if (!accounting_is_on(gpu)) return;
  const auto& table = machine.process_table(index);
  for (auto number = detail::first_ended(gpu, table); number < table.written; ++number)
    if (const auto& ended = table.ended_at(number); detail::counts(gpu, table, ended)) visit(detail::record_of(ended));
  for (const auto& process : gpu.processes) visit(detail::record_of(machine, process));
  for_each_client(machine, index, [&](const Client& client, Life life) {
    if (life == Life::runs && client.accounted == current_epoch(gpu))
      visit(detail::record_of(machine, gpu, index, client));
  });
}

}  // namespace nvmlkit::sim::processes
