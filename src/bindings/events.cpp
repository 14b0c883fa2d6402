#include <algorithm>
#include <nvmlkit/abi/legacy.hpp>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/events.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

// Long enough to cost nothing, short enough for a stop request.
constexpr std::chrono::milliseconds kSlice{100};

}  // namespace

Result<EventSet> EventSet::create(const Library& library) {
  abi::nvmlEventSet_t set{};
  const SessionPtr& state = library.session();
  const Outcome outcome = call(*state, &Table::EventSetCreate, &set);
  if (!outcome.ok()) return outcome.failure();
  return EventSet(state, set);
}

EventSet::EventSet(EventSet&& other) noexcept
    : session_(std::move(other.session_)), set_(std::exchange(other.set_, nullptr)) {}

EventSet& EventSet::operator=(EventSet&& other) noexcept {
  std::swap(session_, other.session_);
  std::swap(set_, other.set_);
  return *this;
}

EventSet::~EventSet() {
  // After close() or in a forked child the call is not made: the driver's set is gone, or the parent's.
  if (set_) static_cast<void>(call(*session_, &Table::EventSetFree, set_));
}

Result<void> EventSet::watch(const Device& device, EventTypes types) {
  const Outcome outcome = call(*session_, &Table::DeviceRegisterEvents, device.held(), to_abi(types), set_);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::optional<Event>> EventSet::wait_once(unsigned int timeout_ms) {
  return detail::newest_of(
      detail::by(&Table::EventSetWait_v2, 0,
                 [&]() -> Result<std::optional<Event>> {
                   abi::nvmlEventData_t data{};
                   const Outcome outcome = call(*session_, &Table::EventSetWait_v2, set_, &data, timeout_ms);
                   if (outcome.code == Errc::timeout) return std::optional<Event>();
                   if (!outcome.ok()) return outcome.failure();
                   return std::optional<Event>(Event{Device(session_, data.device), EventType(data.eventType),
                                                     data.eventData, data.gpuInstanceId, data.computeInstanceId});
                 }),
      detail::by(&Table::EventSetWait, 0, [&]() -> Result<std::optional<Event>> {
        abi::nvmlEventData_v1_t data{};
        const Outcome outcome =
            call(*session_, &Table::EventSetWait, set_, reinterpret_cast<abi::nvmlEventData_t*>(&data), timeout_ms);
        if (outcome.code == Errc::timeout) return std::optional<Event>();
        if (!outcome.ok()) return outcome.failure();
        return std::optional<Event>(
            Event{Device(session_, data.device), EventType(data.eventType), data.eventData, ~0U, ~0U});
      }));
}

Result<std::optional<Event>> EventSet::wait_until(std::chrono::steady_clock::time_point deadline,
                                                  std::stop_token stop) {
  using Steady = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  while (true) {
    const bool stopped = stop.stop_requested();
    // Compared before it is subtracted: a deadline at the end of time must not overflow.
    const Steady::time_point now = Steady::now();
    const bool last = stopped || deadline <= now + kSlice;
    milliseconds slice = kSlice;
    if (stopped || deadline <= now)
      slice = milliseconds(0);
    else if (last)
      slice = std::chrono::ceil<milliseconds>(deadline - now);
    auto event = wait_once(static_cast<unsigned int>(slice.count()));
    if (!event || *event || last) return event;
  }
}

Result<std::optional<Event>> EventSet::wait(std::chrono::milliseconds timeout, std::stop_token stop) {
  using Steady = std::chrono::steady_clock;
  const Steady::time_point now = Steady::now();
  const bool for_ever =
      timeout > std::chrono::duration_cast<std::chrono::milliseconds>(Steady::time_point::max() - now);
  return wait_until(for_ever ? Steady::time_point::max() : now + timeout, std::move(stop));
}

}  // namespace nvmlkit::nvml
