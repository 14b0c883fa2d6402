// Where the parts of a machine lie in its block.
//
//   header | attention | host | events | call rules | GPUs | journal | process tables
//
// The process tables are as large as they may ever get, and take room in memory and on disk as they fill. Whoever
// writes holds the lock (lock.hpp); whoever reads watches a sequence (read.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/calls/rules.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/model.hpp"
#include "sim/native/attention.hpp"
#include "sim/native/processes.hpp"
#include "storage/block.hpp"

namespace nvmlkit::sim::state {

using storage::in_lines;
using storage::Sequence;

inline constexpr std::size_t kAttentionAt = in_lines(sizeof(storage::Header));
inline constexpr std::size_t kHostAt = kAttentionAt + in_lines(sizeof(faults::Attention));
inline constexpr std::size_t kEventsAt = kHostAt + in_lines(sizeof(model::Machine));
inline constexpr std::size_t kCallRulesAt = kEventsAt + in_lines(sizeof(events::Ring));
inline constexpr std::size_t kGpusAt = kCallRulesAt + in_lines(sizeof(calls::Rules));
inline constexpr std::size_t kLargestPiece = std::max(sizeof(model::Machine), sizeof(model::Gpu));
constexpr std::size_t journal_at(std::size_t gpu_count) { return kGpusAt + in_lines(gpu_count * sizeof(model::Gpu)); }
constexpr std::size_t tables_at(std::size_t gpu_count) {
  return storage::in_pages(journal_at(gpu_count) + in_lines(kLargestPiece));
}
constexpr std::size_t total_size(std::size_t gpu_count) {
  return tables_at(gpu_count) + gpu_count * sizeof(processes::Table);
}
static_assert(alignof(model::Gpu) <= 64 && alignof(model::Machine) <= 64 && alignof(processes::Table) <= 64);
static_assert(kMaxGpus <= storage::kMaxRecords);

// Sequence i guards GPU i and its process table.
constexpr storage::Shape shape_of(std::size_t gpu_count) {
  return {gpu_count,
          {{{kGpusAt, sizeof(model::Gpu)}, {tables_at(gpu_count), sizeof(processes::Table)}}},
          journal_at(gpu_count),
          kLargestPiece,
          tables_at(gpu_count),
          total_size(gpu_count)};
}

// Tells one layout from another: names, types, offsets and sizes of the whole model, and of the block.
std::uint64_t layout_hash();

// The format of state files, and of private memory, whose format is never compared.
storage::Format file_format();
storage::Format private_format();

}  // namespace nvmlkit::sim::state
