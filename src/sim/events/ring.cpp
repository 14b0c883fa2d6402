#include "sim/events/ring.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::events {
namespace {

// Not private to the process: the word may lie in a mapped file.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* deadline) {
  static_assert(sizeof word == sizeof value && std::atomic<std::uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, &word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

std::uint64_t uptime_us() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

void put(Ring& ring, std::uint64_t number, const Published& published) {
  const auto& event = published.event;
  auto& slot = ring.slots[number % Ring::kCapacity];
  slot.number.exchange(0, std::memory_order_acq_rel);  // before the bytes change
  slot.type.store(event.type, std::memory_order_relaxed);
  slot.data.store(event.data, std::memory_order_relaxed);
  slot.gpu.store(published.gpu, std::memory_order_relaxed);
  slot.gpu_instance.store(event.gpu_instance, std::memory_order_relaxed);
  slot.compute_instance.store(event.compute_instance, std::memory_order_relaxed);
  slot.detail.store(event.detail, std::memory_order_relaxed);
  slot.uptime_us.store(published.uptime_us, std::memory_order_relaxed);
  slot.record.store(published.record, std::memory_order_relaxed);
  std::uint64_t name[2];
  std::memcpy(name, published.process.name, sizeof name);
  slot.process_name[0].store(name[0], std::memory_order_relaxed);
  slot.process_name[1].store(name[1], std::memory_order_relaxed);
  slot.pid.store(published.process.pid, std::memory_order_relaxed);
  slot.number.store(number + 1, std::memory_order_release);
}

}  // namespace

bool has_record(const Event& event) {
  return event.type == kLogged || event.type == model::EventType::xid_critical_error;
}

void ring_bell(Ring& ring) {
  auto& bell = ring.bell;
  bell.fetch_add(1, std::memory_order_release);
  futex(bell, FUTEX_WAKE, INT_MAX, nullptr);
}

void wake_sleepers(Ring& ring) { futex(ring.bell, FUTEX_WAKE, INT_MAX, nullptr); }

void publish(Ring& ring, std::uint32_t gpu, const Event& event, const Process& process) {
  const auto number = ring.next.load(std::memory_order_relaxed);
  put(ring, number, {event, gpu, uptime_us(), ring.records.load(std::memory_order_relaxed), process});
  if (has_record(event)) ring.records.fetch_add(1, std::memory_order_relaxed);
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
    out.event = {
        slot.type.load(std::memory_order_relaxed),         slot.data.load(std::memory_order_relaxed),
        slot.gpu_instance.load(std::memory_order_relaxed), slot.compute_instance.load(std::memory_order_relaxed),
        slot.detail.load(std::memory_order_relaxed),       0};
    out.gpu = slot.gpu.load(std::memory_order_relaxed);
    out.uptime_us = slot.uptime_us.load(std::memory_order_relaxed);
    out.record = slot.record.load(std::memory_order_relaxed);
    const std::uint64_t name[] = {slot.process_name[0].load(std::memory_order_relaxed),
                                  slot.process_name[1].load(std::memory_order_relaxed)};
    static_assert(sizeof name == sizeof out.process.name);
    std::memcpy(out.process.name, name, sizeof name);
    out.process.name[sizeof out.process.name - 1] = '\0';  // also in a damaged file
    out.process.pid = slot.pid.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool whole = number == cursor + 1 && slot.number.load(std::memory_order_relaxed) == number;
    ++cursor;
    if (whole) return true;  // else a writer came round, and this one is gone
  }
}

void copy(const Ring& from, Ring& to) {
  std::uint64_t cursor = 0;
  for (Published event{}; take(from, cursor, event);) put(to, cursor - 1, event);
  to.records.store(from.records.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.next.store(cursor, std::memory_order_release);
}

std::uint64_t now(const Ring& ring) { return ring.next.load(std::memory_order_acquire); }

std::uint32_t listen(const Ring& ring) { return ring.bell.load(std::memory_order_acquire); }

bool wait(Ring& ring, std::uint32_t heard, const timespec* deadline) {
  return futex(ring.bell, FUTEX_WAIT_BITSET, heard, deadline) == 0 || errno != EINTR;
}

}  // namespace nvmlkit::sim::events
