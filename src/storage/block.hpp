// A block of memory with a header, private or shared between processes. It contains no pointers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "storage/header.hpp"
#include "storage/life.hpp"

namespace nvmlkit::storage {

enum class Access {
  private_memory,  // this process
  shared,          // every process that mapped the file
  read_only,       // every process that mapped the file; this one may not write
};

// Records of one size, one behind the other. Record i is guarded by sequence i of the header.
struct Column {
  std::size_t at;
  std::size_t stride;
};

// The parts of a block. Bytes outside of the columns are guarded by the common sequence alone.
struct Shape {
  std::size_t record_count;
  std::array<Column, 2> columns;
  std::size_t journal_at;
  std::size_t journal_size;  // the largest piece that is written at once
  std::size_t sparse_at;     // from here on a file takes room on disk only when it is written
  std::size_t size;
};

constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr std::size_t in_pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// Writes the header of a block of zero bytes. False when the system has no robust mutexes.
bool make_header(Header& header, const Format& format, const Shape& shape);

// Owns a mapping.
class Block {
 public:
  Block(void* mapping, const Shape& shape, Access access);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::byte* bytes() const { return bytes_; }
  // The lock and the sequences change under a const block too: they are no contents.
  Header& header() const { return *reinterpret_cast<Header*>(bytes_); }
  const Shape& shape() const { return shape_; }
  Access access() const { return access_; }
  // Of a block in a file; null otherwise.
  LifeSigns* life_signs() const { return life_signs_.get(); }
  void set_life_signs(std::unique_ptr<LifeSigns> signs) { life_signs_ = std::move(signs); }
  // True once in a process that was forked after the block was mapped.
  bool entered_by_child() const;

 private:
  std::byte* bytes_;
  Shape shape_;
  Access access_;
  mutable std::atomic<int> process_;
  std::unique_ptr<LifeSigns> life_signs_;
};

// Private memory with a header, zero bytes elsewhere. Pages take memory when they are written. Null when the system
// refuses.
void* map_private(const Format& format, const Shape& shape);

}  // namespace nvmlkit::storage
