// The file of a recording: a header, tables of names, then segments of records. docs/internals/trace.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nvmlkit::trace {

inline constexpr char kMagic[8] = {'N', 'V', 'M', 'L', 'T', 'R', 'C', '\n'};
inline constexpr std::uint32_t kFormat = 1;
inline constexpr const char* kSuffix = ".nvtrace";

// Numbers are those of a little-endian machine of 64 bits.
struct FileHeader {
  char magic[8];
  std::uint32_t format;
  std::uint32_t header_bytes;  // where the first segment begins
  std::uint32_t segment_bytes;
  std::uint32_t tables_bytes;  // behind this struct
  std::uint64_t salt;          // of the marks of records
  std::uint64_t start_ns;      // CLOCK_REALTIME when the recording began; records count from here
  std::uint64_t calls;         // written so far, also those that were overwritten since
  std::uint64_t dropped;       // not written: larger than a segment, or no room
  std::uint32_t pid;
  std::uint32_t closed;  // 1: the process ended the file; 0: it still writes, or was killed
  std::uint64_t unused[4];
};
static_assert(sizeof(FileHeader) == 96 && std::is_trivially_copyable_v<FileHeader>);

struct SegmentHeader {
  std::uint64_t generation;  // from 1 in the order of use; 0: never used
  std::uint64_t first_call;  // number of its first record, from 0
};

// A record begins with one word, which is written last: the size of what follows, and a mark.
inline constexpr std::size_t kWordBytes = 8;
inline std::uint32_t size_of_record(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
inline std::size_t padded(std::size_t size) noexcept { return (size + kWordBytes - 1) / kWordBytes * kWordBytes; }

inline std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The word of a record. Its mark depends on the place, the file and the contents: what an earlier use of the segment
// left, or a record that is there in part, does not have it.
inline std::uint64_t word_of(std::uint64_t salt, std::uint64_t generation, std::size_t offset,
                             const unsigned char* payload, std::size_t size) noexcept {
  std::uint64_t hash = salt ^ mixed(generation + offset * 0x9e3779b97f4a7c15u);
  for (std::size_t at = 0; at < size; at += sizeof hash) {
    std::uint64_t piece = 0;
    if (size - at >= sizeof piece)
      std::memcpy(&piece, payload + at, sizeof piece);
    else
      std::memcpy(&piece, payload + at, size - at);
    hash = (hash ^ piece) * 0x9fb21c651e98df25u;
    hash ^= hash >> 32;
  }
  return (mixed(hash) & ~std::uint64_t{0xffffffff}) | size;
}

}  // namespace nvmlkit::trace
