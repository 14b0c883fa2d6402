// A file that calls are appended to: mapped, bounded, readable up to the last whole call after any end of the process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sim/problem/problem.hpp"
#include "trace/format.hpp"

namespace nvmlkit::trace {

struct WriterOptions {
  std::string path;
  std::uint64_t limit = kDefaultLimit;  // bytes of the file
  std::string program, library;         // words for people
  std::vector<bool> present;            // by function: does the library have it?

  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kLeastLimit = std::uint64_t{256} << 10;
};

class Writer {
 public:
  // ProblemKind::unusable_file where the file cannot be made or has no room for its first segment. The path must be
  // new.
  static sim::Expected<std::unique_ptr<Writer>> create(const WriterOptions& options);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // From any thread. When the bound is reached or the disk is full, the first segment stays and the oldest of the
  // others is overwritten.
  void append(std::span<const unsigned char> payload) noexcept;
  void drop() noexcept;  // a call that could not be encoded
  // CLOCK_MONOTONIC at the start.
  std::uint64_t start() const noexcept { return start_; }
  // Gives back what the file does not use; later calls are dropped.
  void close() noexcept;
  // In the child of a fork: the file is the parent's.
  void forget() noexcept;

 private:
  Writer() = default;
  sim::Expected<void> open(const WriterOptions& options);
  bool next_segment() noexcept;
  unsigned char* segment() const noexcept;
  FileHeader& header() const noexcept { return *reinterpret_cast<FileHeader*>(map_); }

  std::mutex mutex_;
  unsigned char* map_ = nullptr;
  std::size_t map_bytes_ = 0, header_bytes_ = 0, segment_bytes_ = 0;
  std::uint64_t most_segments_ = 0;  // that the bound or the disk allows
  std::uint64_t segments_ = 0;       // used so far, with those that were overwritten
  std::size_t used_ = 0;             // of the present segment
  std::uint64_t salt_ = 0, start_ = 0, calls_ = 0;
  int file_ = -1;
  bool closed_ = false;
};

}  // namespace nvmlkit::trace
