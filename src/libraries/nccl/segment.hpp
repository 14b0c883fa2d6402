// The memory of a rank that the other ranks of its host write to: what they send, and the bell that wakes it. It is a
// file without a name, which ends with the last process that maps it, however that one ends.
#pragma once

#include <chrono>
#include <optional>

#include "libraries/nccl/ring.hpp"

namespace nvmlkit::nccl {

// What has become of a rank.
enum class Standing : std::uint32_t { works, failed, aborted, left };

struct Doorbell {
  alignas(64) std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> waiting;
  std::atomic<Standing> standing;
  std::uint64_t token;  // of this memory and no other
};

class Segment {
 public:
  Segment() = default;
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  // One's own, with a ring for each rank.
  static std::optional<Segment> make(int ranks, std::uint64_t token);
  // That of another process, or another rank of this one: its descriptor there, until it is closed.
  static std::optional<Segment> open(std::uint32_t pid, int fd, int ranks, std::uint64_t token);

  int fd() const { return fd_; }
  void close_file();
  explicit operator bool() const { return memory_ != nullptr; }

  Doorbell& bell() const { return *static_cast<Doorbell*>(memory_); }
  Ring& ring_from(int rank) const;

  // Wakes the rank whose memory it is.
  void ring() const;
  // Until it rings after it was rung `seen` times, or the time is over.
  void wait(std::uint32_t seen, std::chrono::microseconds most) const;

 private:
  int fd_ = -1;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nvmlkit::nccl
