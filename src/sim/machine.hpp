// A simulated machine: one mapped block that holds the host and its GPUs, and nothing that points anywhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "sim/generated/model.hpp"
#include "sim/state/layout.hpp"

namespace nvmlkit::sim {

// Who has the block.
enum class Access {
  private_memory,  // this process
  shared,          // every process that attached to the state file
  read_only,       // the same, but this process may not write
};

class Machine {
 public:
  // A machine of this process without values: every field is absent. Null when memory is refused or `gpu_count`
  // exceeds max_gpus. Pages are touched only when something is written to them.
  static std::unique_ptr<Machine> create(std::size_t gpu_count);

  // Takes over a mapping of total_size(gpu_count) bytes, header included.
  static std::unique_ptr<Machine> adopt(void* block, std::size_t gpu_count, Access access);

  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const model::Machine& host() const;
  model::Machine& host();
  const model::System& system() const { return host().system; }
  model::System& system() { return host().system; }
  std::span<const model::Gpu> gpus() const {
    return {reinterpret_cast<const model::Gpu*>(block_ + state::kGpusAt), count_};
  }
  // For whoever builds a machine; once others may read it, changes go through state::Edit.
  std::span<model::Gpu> gpus() { return {reinterpret_cast<model::Gpu*>(block_ + state::kGpusAt), count_}; }
  const processes::Table& process_table(std::size_t gpu) const {
    return reinterpret_cast<const processes::Table*>(block_ + state::tables_at(count_))[gpu];
  }
  std::size_t index_of(const model::Gpu& gpu) const { return static_cast<std::size_t>(&gpu - gpus().data()); }

  Access access() const { return access_; }
  // The lock and the sequences change under a const machine too: they are no values of it.
  state::Header& header() const { return *reinterpret_cast<state::Header*>(block_); }
  faults::Attention& attention() const { return header().attention; }
  events::Ring& events() const { return *reinterpret_cast<events::Ring*>(block_ + state::kEventsAt); }
  calls::Rules& call_rules() const { return *reinterpret_cast<calls::Rules*>(block_ + state::kCallRulesAt); }
  const state::Sequence& sequence() const { return header().any; }
  const state::Sequence& sequence(const model::Gpu& gpu) const { return header().gpus[&gpu - gpus().data()]; }
  // True once in a process that was forked after the machine was made.
  bool entered_by_child() const;

 private:
  Machine(std::byte* block, std::size_t gpu_count, Access access);

  std::byte* block_;
  std::size_t count_;
  Access access_;
  mutable std::atomic<int> process_;
};

}  // namespace nvmlkit::sim
