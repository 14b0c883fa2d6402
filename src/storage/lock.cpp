#include "storage/lock.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "storage/hash.hpp"
#include "storage/mutex.hpp"

namespace nvmlkit::storage {
namespace {

// A piece of a block and the sequence of its record; null where the common sequence alone guards it.
struct Piece {
  std::byte* at;
  std::size_t size;
  Sequence* sequence;
};

// Nothing where there is no such piece: it overlaps the header or the journal, or lies in several records.
std::optional<Piece> piece_of(const Block& block, std::size_t offset, std::size_t size) {
  const auto& shape = block.shape();
  if (offset < sizeof(Header) || size > shape.journal_size || offset > shape.size || size > shape.size - offset)
    return std::nullopt;
  if (offset < shape.journal_at + shape.journal_size && shape.journal_at < offset + size) return std::nullopt;
  Piece out{block.bytes() + offset, size, nullptr};
  for (const auto& column : shape.columns) {
    if (offset < column.at || offset - column.at >= column.stride * shape.record_count) continue;
    const auto record = (offset - column.at) / column.stride;
    if (offset - column.at + size > (record + 1) * column.stride) return std::nullopt;
    out.sequence = &block.header().records[record];
  }
  return out;
}

std::byte* journal_bytes(const Block& block) { return block.bytes() + block.shape().journal_at; }

std::uint64_t checksum(const Journal& journal, const std::byte* bytes) {
  Hash hash;
  hash.add(journal.offset);
  hash.add(journal.size);
  hash.bytes(bytes, journal.size);
  return hash.value();
}

// The order is what a death at any instruction must find: the journal is whole before a byte changes, and empty before
// a reader can see the change.
void overwrite(const Block& block, const Piece& piece, const void* with) {
  auto& header = block.header();
  auto& journal = header.journal;
  journal.offset = static_cast<std::uint64_t>(piece.at - block.bytes());
  journal.size = static_cast<std::uint32_t>(piece.size);
  std::memcpy(journal_bytes(block), piece.at, piece.size);
  journal.checksum = checksum(journal, journal_bytes(block));
  journal.valid.store(1, std::memory_order_release);

  begin_write(header.any);
  if (piece.sequence) begin_write(*piece.sequence);
  std::memcpy(piece.at, with, piece.size);
  journal.valid.store(0, std::memory_order_release);
  if (piece.sequence) end_write(*piece.sequence);
  end_write(header.any);

  header.writes.fetch_add(1, std::memory_order_relaxed);
  header.last_writer.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
}

// A page that the full disk has no room for would end this process when it is written. Kernels before 5.14 do not tell.
bool take_room([[maybe_unused]] std::byte* at, [[maybe_unused]] std::size_t size) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(at) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(at) + size;
  return madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE) == 0 ||
         (errno != ENOMEM && errno != EFAULT && errno != ENOSPC);
#else
  return true;
#endif
}

}  // namespace

Lock::Lock(const Block& block) : block_(block), refusal_(acquire()) {}

Lock::~Lock() {
  if (refusal_ != Refusal::none) return;
  if (changed_ || recovered_) announce(block_.header().changes);
  release(block_.header().lock);
}

Refusal Lock::acquire() {
  if (block_.access() == Access::read_only) return Refusal::read_only;
  auto& header = block_.header();
  if (block_.access() == Access::private_memory && block_.entered_by_child()) {
    // In the child of a fork, a lock that another thread held is never released.
    std::memset(static_cast<void*>(&header.lock), 0, sizeof header.lock);
    make_mutex(header.lock);
    recover();
  }
  switch (take(header.lock, header.turns)) {
    case Taken::no:
      return Refusal::busy;
    case Taken::from_a_dead_owner:
      recover();
      make_consistent(header.lock);
      return Refusal::none;
    default:
      return Refusal::none;
  }
}

// Undoes the change that a writer had begun when it died. Dying here is no harm: the next one does it again.
void Lock::recover() {
  recovered_ = true;
  auto& header = block_.header();
  auto& journal = header.journal;
  const auto piece = piece_of(block_, journal.offset, journal.size);
  if (journal.valid.load(std::memory_order_acquire) == 1 && piece &&
      journal.checksum == checksum(journal, journal_bytes(block_))) {
    begin_write(header.any);
    if (piece->sequence) begin_write(*piece->sequence);
    std::memcpy(piece->at, journal_bytes(block_), piece->size);
  }
  journal.valid.store(0, std::memory_order_release);
  for (std::size_t i = 0; i < block_.shape().record_count; ++i) end_write(header.records[i]);
  end_write(header.any);
}

bool Lock::replace(const void* piece, const void* with, std::size_t size) const {
  if (std::memcmp(piece, with, size) == 0) return true;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(piece) - block_.bytes());
  const auto place = piece_of(block_, offset, size);
  if (!place) return false;
  if (offset >= block_.shape().sparse_at && block_.access() == Access::shared && !take_room(place->at, size))
    return false;
  overwrite(block_, *place, with);
  note_change();
  return true;
}

}  // namespace nvmlkit::storage
