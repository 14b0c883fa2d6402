// Changes the table of processes of one GPU, in steps of which each leaves a right table behind, wherever this process
// dies.
#pragma once

#include <cstdint>

#include "sim/processes/clients.hpp"
#include "sim/state/lock.hpp"

namespace nvmlkit::sim::processes {

bool is_same_process(const Client& a, const Client& b);

class TableWriter {
 public:
  TableWriter(const state::Lock& lock, std::size_t index);

  // The same process on the same instances, or null.
  const Client* find(const Client& wanted) const;

  // The thorough look also finds numbers that were given again; it costs some microseconds for each client.
  bool remove_ended(bool thorough) const;
  bool end(const Client& client) const;
  Outcome add(const Client& wanted) const;
  Outcome refusal_of(const Client& wanted) const;  // of add(); done: none
  Outcome resize(const Client& client, std::uint64_t bytes, std::uint32_t further_kinds) const;

  // Compute modes are about compute contexts. An exclusive GPU may be the MPS server's, with its clients.
  Outcome refused_by_mode(const Client& wanted) const;

  // Does `work`, and once more without those whose end only a thorough look finds.
  template <class Work>
  Outcome without_ended(Work work) const {
    if (!remove_ended(false)) return Outcome::no_room;
    const auto first = work();
    if (first != Outcome::full && first != Outcome::out_of_memory && first != Outcome::exclusive) return first;
    return remove_ended(true) ? work() : Outcome::no_room;
  }

  const Table& table() const { return table_; }
  const model::Gpu& gpu() const { return gpu_; }

 private:
  bool take_turns() const;
  bool remember(const Client& client) const;
  Outcome refused_by_state() const;
  std::uint32_t free_place() const;
  std::uint64_t free_memory() const;
  bool exceeds_instance(const Client& client) const;
  bool exceeds_limit(const Client& client, std::uint64_t further) const;
  bool excludes(const Client& wanted) const;

  const state::Lock& lock_;
  std::size_t index_;
  const model::Gpu& gpu_;
  const Table& table_;
};

}  // namespace nvmlkit::sim::processes
