// Writes to a block. Readers see all of a change or nothing, and the death of a writer leaves no partial change.
#pragma once

#include <cstddef>

#include "storage/block.hpp"

namespace nvmlkit::storage {

// The reason why nothing can be written.
enum class Refusal {
  none,
  read_only,  // the file may only be read
  busy,       // another writer was stopped while it held the lock
};

// The right to write, for as long as it lives. Waits some seconds at most.
class Lock {
 public:
  explicit Lock(const Block& block);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  Refusal refusal() const { return refusal_; }

  // The last writer died, and its change was undone. Its change of bytes that replace() does not write was not: who
  // derives such bytes from others derives them again, before the lock is released. A death before that is no harm: the
  // next lock says the same.
  bool recovered() const { return recovered_; }

  // Writes `size` bytes at `piece`, which lies in the block and in one record at most. False when the disk has no room.
  [[nodiscard]] bool replace(const void* piece, const void* with, std::size_t size) const;

  // Bytes changed that replace() does not write: who waits for changes learns of it when the lock is released.
  void note_change() const { changed_ = true; }

 private:
  Refusal acquire();
  void recover();

  const Block& block_;
  bool recovered_ = false;
  mutable bool changed_ = false;
  Refusal refusal_;
};

}  // namespace nvmlkit::storage
