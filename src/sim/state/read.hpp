// Reading what another thread or process may be writing: no lock, no allocation, and never half of a change.
#pragma once

#include <memory>

#include "sim/machine.hpp"

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

namespace nvmlkit::sim::state {
namespace detail {

// Once through the seqlock. What `read` saw counts only if this returns true: it may have met a change half made, so
// it reads what stays within bounds whatever the bytes are, and has no effect that a second run would double.
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

// Tries for a while, then waits for the lock, which also mends what a dead writer left. False when neither works.
bool read_patiently(const Machine& machine, const Sequence& sequence, void (*read)(void*), void* context);

}  // namespace detail

// Runs `read` until it has seen one state of what `sequence` guards: machine.sequence(gpu) for one GPU,
// machine.sequence() for all. False when a writer that was stopped in the middle does not go on within seconds.
template <class Read>
bool consistently(const Machine& machine, const Sequence& sequence, Read&& read) {
  if (detail::try_read(sequence, read)) [[likely]]
    return true;
  return detail::read_patiently(
      machine, sequence, [](void* context) { (*static_cast<std::remove_reference_t<Read>*>(context))(); },
      std::addressof(read));
}

}  // namespace nvmlkit::sim::state
