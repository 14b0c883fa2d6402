// The beginning of every block: its format, its lock, its journal and its sequences.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "storage/changes.hpp"
#include "storage/sequence.hpp"

namespace nvmlkit::storage {

inline constexpr std::size_t kMaxRecords = 1024;

// The bytes that a writer is about to change, as they were. The bytes themselves lie at Shape::journal_at.
struct Journal {
  std::atomic<std::uint32_t> valid;
  std::uint32_t size;
  std::uint64_t offset;    // in the block
  std::uint64_t checksum;  // of the bytes and of their place
};

struct Header {
  char magic[16];
  std::uint64_t layout;  // a hash of the format of the whole block
  char version[32];      // of the program that made the block
  std::uint64_t size;
  std::uint32_t record_count;
  std::uint32_t creator;             // process
  std::int64_t created;              // seconds since 1970
  char origin[256];                  // the source of the contents, for people
  pthread_mutex_t lock;              // robust, shared between processes
  std::atomic<std::uint64_t> turns;  // number of times that the lock was taken
  std::atomic<std::uint64_t> writes;
  std::atomic<std::uint32_t> last_writer;  // process
  Changes changes;                         // of the contents, one for each lock that changed some
  alignas(64) Journal journal;
  alignas(64) Sequence any;  // counts the writes of the whole block
  alignas(64) Sequence records[kMaxRecords];
};

// The format of a block. Blocks of different formats are not compatible.
struct Format {
  char magic[16];
  std::uint64_t layout;
  char version[32];
};

}  // namespace nvmlkit::storage
