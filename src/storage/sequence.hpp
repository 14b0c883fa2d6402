// A seqlock: readers take no lock, and repeat a read that overlapped a write.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#define NVMLKIT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NVMLKIT_TSAN 1
#endif
#endif

#ifdef NVMLKIT_TSAN
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);
#endif

namespace nvmlkit::storage {

// Odd while the bytes that it guards are being written.
using Sequence = std::atomic<std::uint64_t>;
static_assert(Sequence::is_always_lock_free);

// Both make the number odd or even, whatever a dead writer left in it. The caller holds the lock of the block.
inline void begin_write(Sequence& sequence) {
  const auto now = sequence.load(std::memory_order_relaxed);
  sequence.exchange((now | 1) == now ? now + 2 : now + 1, std::memory_order_acq_rel);
}
inline void end_write(Sequence& sequence) {
  const auto now = sequence.load(std::memory_order_relaxed);
  if (now & 1) sequence.store(now + 1, std::memory_order_release);
}

// Reads once. The result of `read` is valid only if this returns true. `read` may see half of a change: it stays within
// bounds whatever the bytes are, and it may run twice.
template <class Read>
bool try_read(const Sequence& sequence, Read& read) {
  const auto before = sequence.load(std::memory_order_acquire);
  if (before & 1) return false;
#ifdef NVMLKIT_TSAN
  // The race between these reads and a writer is the seqlock's, and its loser is thrown away. The thread sanitizer has
  // no notion of that, nor of fences.
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  read();
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#else
  read();
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return sequence.load(std::memory_order_relaxed) == before;
}

}  // namespace nvmlkit::storage
