#include <algorithm>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/system_events.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

namespace {

constexpr std::chrono::milliseconds kSlice{100};
// A full buffer hints at more: the next wait brings them.
constexpr std::size_t kEventsAtOnce = 64;

}  // namespace

Result<SystemEventSet> SystemEventSet::create(const Library& library) {
  abi::nvmlSystemEventSetCreateRequest_v1_t request{};
  request.version = abi::version_tag<abi::nvmlSystemEventSetCreateRequest_v1_t>;
  const Outcome outcome = call(*library.session(), &Table::SystemEventSetCreate, &request);
  if (!outcome.ok()) return outcome.failure();
  return SystemEventSet(library.session(), request.set);
}

SystemEventSet::~SystemEventSet() {
  if (!set_) return;
  abi::nvmlSystemEventSetFreeRequest_v1_t request{};
  request.version = abi::version_tag<abi::nvmlSystemEventSetFreeRequest_v1_t>;
  request.set = set_;
  static_cast<void>(call(*session_, &Table::SystemEventSetFree, &request));
}

Result<void> SystemEventSet::watch(SystemEventTypes types) {
  abi::nvmlSystemRegisterEventRequest_v1_t request{};
  request.version = abi::version_tag<abi::nvmlSystemRegisterEventRequest_v1_t>;
  request.eventTypes = to_abi(types);
  request.set = set_;
  const Outcome outcome = call(*session_, &Table::SystemRegisterEvents, &request);
  if (!outcome.ok()) return outcome.failure();
  return {};
}

Result<std::vector<SystemEvent>> SystemEventSet::wait_once(unsigned int timeout_ms) {
  std::vector<abi::nvmlSystemEventData_v1_t> data(kEventsAtOnce);
  abi::nvmlSystemEventSetWaitRequest_v1_t request{};
  request.version = abi::version_tag<abi::nvmlSystemEventSetWaitRequest_v1_t>;
  request.timeoutms = timeout_ms;
  request.set = set_;
  request.data = data.data();
  request.dataSize = static_cast<unsigned int>(data.size());
  const Outcome outcome = call(*session_, &Table::SystemEventSetWait, &request);
  if (outcome.code == Errc::timeout) return std::vector<SystemEvent>();
  if (!outcome.ok()) return outcome.failure();
  if (request.numEvent > data.size()) return Failure(Errc::malformed_answer, "nvmlSystemEventSetWait");
  std::vector<SystemEvent> events;
  for (unsigned int i = 0; i < request.numEvent; ++i)
    events.push_back({SystemEventType(data[i].eventType), data[i].gpuId});
  return events;
}

Result<std::vector<SystemEvent>> SystemEventSet::wait(std::chrono::milliseconds timeout, std::stop_token stop) {
  using Steady = std::chrono::steady_clock;
  const Steady::time_point end = Steady::now() + timeout;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now());
    const auto slice = std::clamp(left, std::chrono::milliseconds(0), kSlice);
    auto events = wait_once(static_cast<unsigned int>(slice.count()));
    if (!events || !events->empty() || left <= slice || stop.stop_requested()) return events;
  }
}

}  // namespace nvmlkit::nvml
