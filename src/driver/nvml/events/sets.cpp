#include "driver/nvml/events/sets.hpp"

#include <atomic>
#include <cstddef>
#include <ctime>
#include <mutex>
#include <new>
#include <vector>

#include "driver/nvml/call/call.hpp"

namespace nvmlkit::driver {
namespace {

namespace events = sim::events;

struct Registration {
  std::uint32_t gpu;
  std::uint64_t types;
  std::uint64_t since;  // events from this one on
};

struct Operational {
  std::uint32_t gpu, level, severity;
  std::uint64_t since;
};

struct Set {
  EventScope scope;
  const void* owner;  // the driver whose set it is
  std::mutex mutex;
  std::uint64_t cursor;
  std::vector<Registration> registrations;
  bool loss_unreported;  // of a GPU of the set
  bool just_reported;    // the latest wait ended with such a report
  std::vector<Operational> operational = {};
  std::uint64_t operational_cursor = 0;
  const sim::faults::Xid* latest = nullptr;  // the operational event that was delivered last
};

// Does the set register these types of events of the GPU, since before the latest event that it took?
bool registers(const Set& set, std::uint32_t gpu, std::uint64_t types) {
  for (const auto& wanted : set.registrations)
    if (wanted.gpu == gpu && (wanted.types & types) != 0 && wanted.since < set.cursor) return true;
  return false;
}

// Does the set register the operational event of the GPU, since before the latest one that it took?
bool registers(const Set& set, std::uint32_t gpu, const sim::faults::OperationalEvent& event) {
  for (const auto& wanted : set.operational)
    if (wanted.gpu == gpu && event.level >= wanted.level && event.severity >= wanted.severity &&
        wanted.since < set.operational_cursor)
      return true;
  return false;
}

constexpr auto kAnyType = ~std::uint64_t{0};
constexpr auto kXidType = static_cast<std::uint64_t>(abi::EventTypeXidCriticalError);

// A handle is the address of a place; it is never followed before it was found to be one.
struct alignas(16) Place {
  std::atomic<std::uint32_t> users{0};  // with `living` while the handle is good
  Set* set = nullptr;                   // counts as a user of the set
};

constexpr std::uint32_t kLiving = 0x80000000;
constexpr std::size_t kPlaces = 4096;
Place places[kPlaces];
std::atomic<bool> reserved[kPlaces];  // from creation until the last user left

Place* place_of(const void* handle) {
  const auto offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(places);
  if (offset % sizeof(Place) != 0 || offset / sizeof(Place) >= kPlaces) return nullptr;
  return &places[offset / sizeof(Place)];
}

void leave(Place& place) {
  if (place.users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  delete place.set;
  place.set = nullptr;
  reserved[&place - places].store(false, std::memory_order_release);
}

timespec deadline_in(unsigned int milliseconds) {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += milliseconds / 1000;
  at.tv_nsec += static_cast<long>(milliseconds % 1000) * 1'000'000;
  if (at.tv_nsec >= 1'000'000'000) {
    at.tv_nsec -= 1'000'000'000;
    ++at.tv_sec;
  }
  return at;
}

bool passed(const timespec& deadline) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

// The threads of this process that wait.
std::atomic<std::uint32_t> waiting{0};

struct Waiting {
  Waiting() { waiting.fetch_add(1, std::memory_order_acq_rel); }
  ~Waiting() { waiting.fetch_sub(1, std::memory_order_acq_rel); }
};

// Nobody rings the bell of a machine that may only be read. A thread that looked around before it was to come back, and
// sleeps after, is missed by one call; hence the repetition.
template <class Gone>
void wake_until(const sim::Machine& machine, Gone gone) {
  if (machine.access() != sim::Access::read_only) return events::ring_bell(machine.events());
  constexpr int kTimes = 100;  // a child of fork() has none of the threads that it counts
  const timespec pause{0, 1'000'000};
  for (int i = 0; !gone() && i < kTimes; ++i) {
    events::wake_sleepers(machine.events());
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

EventSetUse::EventSetUse(const void* handle, EventScope scope) {
  auto* place = place_of(handle);
  if (!place) return;
  auto users = place->users.load(std::memory_order_acquire);
  do {
    if ((users & kLiving) == 0) return;
  } while (!place->users.compare_exchange_weak(users, users + 1, std::memory_order_acq_rel));
  if (place->set->scope != scope || place->set->owner != &detail::running())
    leave(*place);
  else
    set_ = place;
}

EventSetUse::~EventSetUse() {
  if (set_) leave(*static_cast<Place*>(set_));
}

bool EventSetUse::freed() const { return (static_cast<Place*>(set_)->users.load() & kLiving) == 0; }

bool EventSetUse::add(const sim::Machine& machine, std::uint32_t gpu, std::uint64_t types) {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  for (const auto& known : set.registrations)
    if (known.gpu == gpu) types &= ~known.types;
  if (types == 0) return true;
  try {
    set.registrations.push_back({gpu, types, events::now(machine.events())});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

bool EventSetUse::take(const sim::Machine& machine, events::Published& out) {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  while (events::take(machine.events(), set.cursor, out)) {
    if (out.event.type == events::kLogged) continue;
    if (out.event.type == events::kLossOfGpu) {
      const bool told = out.event.data != 0 && registers(set, out.gpu, kXidType);
      if (!told && registers(set, out.gpu, kAnyType)) set.loss_unreported = true;
      continue;
    }
    const bool of_system = (out.event.type & events::kSystemEvent) != 0;
    if (of_system != (set.scope == EventScope::system)) continue;
    if (!registers(set, of_system ? events::kNoGpu : out.gpu, out.event.type)) continue;
    set.just_reported = false;
    return true;
  }
  return false;
}

bool EventSetUse::add_operational(const sim::Machine& machine, std::uint32_t gpu, std::uint32_t level,
                                  std::uint32_t severity) {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  for (const auto& known : set.operational)
    if (known.gpu == gpu && known.level == level && known.severity == severity) return true;
  const auto now = events::now(machine.events());
  if (set.operational.empty()) set.operational_cursor = now;
  try {
    set.operational.push_back({gpu, level, severity, now});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

bool EventSetUse::take_record(const sim::Machine& machine, EventRecord& out) {
  auto& set = *static_cast<Place*>(set_)->set;
  if (take(machine, out.published)) {
    const std::lock_guard lock(set.mutex);
    out.number = set.cursor;
    out.operational = set.latest = nullptr;
    return true;
  }
  const std::lock_guard lock(set.mutex);
  if (set.operational.empty()) return false;
  while (events::take(machine.events(), set.operational_cursor, out.published)) {
    if (out.published.event.type != kXidType) continue;
    const auto* xid = sim::faults::find_xid(static_cast<std::uint32_t>(out.published.event.data));
    if (!xid || xid->operational.module.empty()) continue;
    if (!registers(set, out.published.gpu, xid->operational)) continue;
    out.number = set.operational_cursor;
    out.operational = set.latest = xid;
    set.just_reported = false;
    return true;
  }
  return false;
}

const sim::faults::Xid* EventSetUse::latest_operational() const {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  return set.latest;
}

bool EventSetUse::report_loss() {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  if (!set.loss_unreported || set.just_reported) return false;
  set.loss_unreported = false;
  set.just_reported = true;
  return true;
}

void EventSetUse::wait_ended() {
  auto& set = *static_cast<Place*>(set_)->set;
  const std::lock_guard lock(set.mutex);
  set.just_reported = false;
}

void* create_event_set(const sim::Machine& machine, EventScope scope) {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (reserved[i].load(std::memory_order_relaxed) || reserved[i].exchange(true)) continue;
    auto* set = new (std::nothrow) Set{scope, &detail::running(), {}, events::now(machine.events()), {}, false, false};
    if (!set) {
      reserved[i] = false;
      return nullptr;
    }
    places[i].set = set;
    places[i].users.store(kLiving | 1, std::memory_order_release);
    return &places[i];
  }
  return nullptr;
}

bool free_event_set(const sim::Machine& machine, const void* handle, EventScope scope) {
  const EventSetUse use(handle, scope);
  if (!use) return false;
  auto& place = *place_of(handle);
  if ((place.users.fetch_and(~kLiving, std::memory_order_acq_rel) & kLiving) == 0) return false;  // another was first
  leave(place);
  wake_until(machine, [&] { return place.users.load(std::memory_order_acquire) == 1; });  // `use`
  return true;
}

void end_waits(const sim::Machine& machine) {
  wake_until(machine, [] { return waiting.load(std::memory_order_acquire) == 0; });
}

namespace {

template <class Take>
abi::nvmlReturn_t wait_until_taken(const sim::Machine& machine, EventSetUse& set, unsigned int milliseconds,
                                   Take take) {
  const auto deadline = deadline_in(milliseconds);
  const Waiting here;
  while (true) {
    const auto heard = events::listen(machine.events());
    if (take()) return abi::NVML_SUCCESS;
    if (set.freed()) return abi::NVML_ERROR_INVALID_ARGUMENT;
    if (initialized_machine() != &machine) return abi::NVML_ERROR_UNINITIALIZED;
    if (set.report_loss()) return abi::NVML_ERROR_GPU_IS_LOST;
    if (passed(deadline) || !events::wait(machine.events(), heard, &deadline)) {
      set.wait_ended();
      return abi::NVML_ERROR_TIMEOUT;
    }
  }
}

}  // namespace

abi::nvmlReturn_t wait_for_event(const sim::Machine& machine, EventSetUse& set, unsigned int milliseconds,
                                 events::Published& out) {
  return wait_until_taken(machine, set, milliseconds, [&] { return set.take(machine, out); });
}

abi::nvmlReturn_t wait_for_record(const sim::Machine& machine, EventSetUse& set, unsigned int milliseconds,
                                  EventRecord& out) {
  return wait_until_taken(machine, set, milliseconds, [&] { return set.take_record(machine, out); });
}

}  // namespace nvmlkit::driver
