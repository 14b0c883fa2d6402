// The block of memory that a machine is, in a private mapping or in a state file that processes share.
//
//   Header | host | events | call rules | GPUs | journal | process tables
//
// The process tables are as large as they may ever get, and take room in memory and on disk as they fill.
//
// Nothing in it points anywhere. Whoever writes holds `lock`; whoever reads watches a sequence, see read.hpp.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/calls/rules.hpp"
#include "sim/events/ring.hpp"
#include "sim/faults/attention.hpp"
#include "sim/generated/model.hpp"
#include "sim/processes/table.hpp"

namespace nvmlkit::sim {

namespace state {

// Odd while its block is being written.
using Sequence = std::atomic<std::uint64_t>;
static_assert(Sequence::is_always_lock_free);

inline constexpr char kMagic[16] = "nvmlkit state\n\x1a";
inline constexpr std::uint32_t kHostBlock = 0;  // block 1 + i is GPU i; behind the last GPU come the process tables

// The bytes that a writer is about to change, as they were. They lie at journal_at().
struct Journal {
  std::atomic<std::uint32_t> valid;
  std::uint32_t block;
  std::uint32_t offset, size;  // within the block
  std::uint64_t checksum;      // of the bytes and of their place
};

struct Header {
  char magic[16];
  std::uint64_t layout;
  char version[32];
  std::uint64_t size;
  std::uint32_t gpu_count;
  std::uint32_t creator;             // process
  std::int64_t created;              // seconds since 1970
  char origin[256];                  // what the machine was made from, for people
  pthread_mutex_t lock;              // robust, shared between processes
  std::atomic<std::uint64_t> turns;  // how often somebody got the lock
  std::atomic<std::uint64_t> writes;
  faults::Attention attention;
  std::atomic<std::uint32_t> last_writer;  // process
  alignas(64) Journal journal;
  alignas(64) Sequence any;  // counts the writes of all blocks
  alignas(64) Sequence gpus[kMaxGpus];
};

constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

inline constexpr std::size_t kHostAt = in_lines(sizeof(Header));
inline constexpr std::size_t kEventsAt = kHostAt + in_lines(sizeof(model::Machine));
inline constexpr std::size_t kCallRulesAt = kEventsAt + in_lines(sizeof(events::Ring));
inline constexpr std::size_t kGpusAt = kCallRulesAt + in_lines(sizeof(calls::Rules));
inline constexpr std::size_t kLargestBlock = std::max(sizeof(model::Machine), sizeof(model::Gpu));
constexpr std::size_t journal_at(std::size_t gpu_count) { return kGpusAt + in_lines(gpu_count * sizeof(model::Gpu)); }
constexpr std::size_t tables_at(std::size_t gpu_count) {
  return (journal_at(gpu_count) + in_lines(kLargestBlock) + 4095) / 4096 * 4096;
}
constexpr std::size_t total_size(std::size_t gpu_count) {
  return tables_at(gpu_count) + gpu_count * sizeof(processes::Table);
}
static_assert(alignof(model::Gpu) <= 64 && alignof(model::Machine) <= 64 && alignof(processes::Table) <= 64);

// Tells one layout from another: names, types, offsets and sizes of the whole model, and of the header.
std::uint64_t layout_hash();

// Makes the header of a block of zero bytes. False when the system has no robust mutexes.
bool make_header(Header& header, std::size_t gpu_count);

}  // namespace state
}  // namespace nvmlkit::sim
