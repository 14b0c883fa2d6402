#include "storage/changes.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace nvmlkit::storage {
namespace {

constexpr std::uint32_t kAwaited = 1;

// Not private to the process: the word may lie in a mapped file.
void call_futex(Changes& word, int operation, std::uint32_t value, const timespec* deadline) {
  static_assert(sizeof word == sizeof value && Changes::is_always_lock_free);
  syscall(SYS_futex, &word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

std::uint32_t count_changes(const Changes& changes) { return changes.load(std::memory_order_acquire) >> 1; }

void announce(Changes& changes) {
  auto before = changes.load(std::memory_order_relaxed);
  while (!changes.compare_exchange_weak(before, (before & ~kAwaited) + 2, std::memory_order_acq_rel)) {
  }
  if (before & kAwaited) call_futex(changes, FUTEX_WAKE, INT_MAX, nullptr);
}

void wait_for_change(Changes& changes, std::uint32_t seen, const timespec* deadline) {
  const auto now = changes.fetch_or(kAwaited, std::memory_order_acq_rel) | kAwaited;
  if (now >> 1 == seen) call_futex(changes, FUTEX_WAIT_BITSET, now, deadline);
}

}  // namespace nvmlkit::storage
