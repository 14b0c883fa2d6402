// A simulated machine: one mapped block with the host and its GPUs, free of pointers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "sim/state/layout.hpp"

namespace nvmlkit::sim {

using storage::Access;

class Machine {
 public:
  // A machine of this process without values: every field is absent. Null when memory is refused or `gpu_count`
  // exceeds kMaxGpus. Pages are touched only when something is written to them.
  static std::unique_ptr<Machine> create(std::size_t gpu_count);

  // Takes over a mapping of total_size(gpu_count) bytes, header included.
  static std::unique_ptr<Machine> adopt(void* mapping, std::size_t gpu_count, Access access);

  const model::Machine& host() const;
  model::Machine& host();
  const model::System& system() const { return host().system; }
  model::System& system() { return host().system; }
  std::span<const model::Gpu> gpus() const {
    return {reinterpret_cast<const model::Gpu*>(block_.bytes() + state::kGpusAt), count_};
  }
  // For building a machine. Once others may read it, changes go through transaction::Edit.
  std::span<model::Gpu> gpus() { return {reinterpret_cast<model::Gpu*>(block_.bytes() + state::kGpusAt), count_}; }
  const processes::Table& process_table(std::size_t gpu) const {
    return reinterpret_cast<const processes::Table*>(block_.bytes() + state::tables_at(count_))[gpu];
  }
  std::size_t index_of(const model::Gpu& gpu) const { return static_cast<std::size_t>(&gpu - gpus().data()); }

  Access access() const { return block_.access(); }
  // The lock and the sequences change under a const machine too: they are no values of it.
  storage::Header& header() const { return block_.header(); }
  faults::Attention& attention() const {
    return *reinterpret_cast<faults::Attention*>(block_.bytes() + state::kAttentionAt);
  }
  events::Ring& events() const { return *reinterpret_cast<events::Ring*>(block_.bytes() + state::kEventsAt); }
  calls::Rules& call_rules() const { return *reinterpret_cast<calls::Rules*>(block_.bytes() + state::kCallRulesAt); }
  const state::Sequence& sequence() const { return header().any; }
  const state::Sequence& sequence(const model::Gpu& gpu) const { return header().records[&gpu - gpus().data()]; }
  const storage::Block& block() const { return block_; }
  void set_life_signs(std::unique_ptr<storage::LifeSigns> signs) { block_.set_life_signs(std::move(signs)); }

 private:
  Machine(void* mapping, std::size_t gpu_count, Access access);

  storage::Block block_;
  std::size_t count_;
};

}  // namespace nvmlkit::sim
