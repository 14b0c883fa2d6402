#include "sim/events/ring.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace nvmlkit::sim::events {
namespace {

// Not private to the process: the word may lie in a mapped file.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* deadline) {
  static_assert(sizeof word == sizeof value && std::atomic<std::uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, &word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void ring_bell(Ring& ring) {
  auto& bell = ring.bell;
  bell.fetch_add(1, std::memory_order_release);
  futex(bell, FUTEX_WAKE, INT_MAX, nullptr);
}

void publish(Ring& ring, std::uint32_t gpu, const Event& event) {
  const auto number = ring.next.load(std::memory_order_relaxed);
  auto& slot = ring.slots[number % Ring::kCapacity];
  slot.number.exchange(0, std::memory_order_acq_rel);  // before the bytes change
  slot.type.store(event.type, std::memory_order_relaxed);
  slot.data.store(event.data, std::memory_order_relaxed);
  slot.gpu.store(gpu, std::memory_order_relaxed);
  slot.gpu_instance.store(event.gpu_instance, std::memory_order_relaxed);
  slot.compute_instance.store(event.compute_instance, std::memory_order_relaxed);
  slot.number.store(number + 1, std::memory_order_release);
  ring.next.store(number + 1, std::memory_order_release);
  ring_bell(ring);
}

bool take(const Ring& ring, std::uint64_t& cursor, Published& out) {
  while (true) {
    const auto next = ring.next.load(std::memory_order_acquire);
    if (cursor >= next) {
      cursor = next;  // a number beyond is none that this ring gave
      return false;
    }
    if (next - cursor > Ring::kCapacity) cursor = next - Ring::kCapacity;
    const auto& slot = ring.slots[cursor % Ring::kCapacity];
    const auto number = slot.number.load(std::memory_order_acquire);
    out.event = {slot.type.load(std::memory_order_relaxed), slot.data.load(std::memory_order_relaxed),
                 slot.gpu_instance.load(std::memory_order_relaxed),
                 slot.compute_instance.load(std::memory_order_relaxed)};
    out.gpu = slot.gpu.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool whole = number == cursor + 1 && slot.number.load(std::memory_order_relaxed) == number;
    ++cursor;
    if (whole) return true;  // else a writer came round, and this one is gone
  }
}

std::uint64_t now(const Ring& ring) { return ring.next.load(std::memory_order_acquire); }

std::uint32_t listen(const Ring& ring) { return ring.bell.load(std::memory_order_acquire); }

bool wait(Ring& ring, std::uint32_t heard, const timespec* deadline) {
  return futex(ring.bell, FUTEX_WAIT_BITSET, heard, deadline) == 0 || errno != EINTR;
}

}  // namespace nvmlkit::sim::events
