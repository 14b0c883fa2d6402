#include "top/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace nvmlkit::top {
namespace {

constexpr std::size_t kKeptEvents = 200;

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

// Changes of clocks and P-states are no news in a view that shows them.
constexpr nvml::EventTypes kNews = nvml::EventTypes(~0ULL) - (nvml::EventType::clock | nvml::EventType::p_state);

std::string text_of(const nvml::Event& event) {
  if (event.type == nvml::EventType::xid_critical_error) return fmt::format("Xid {}", event.data);
  auto out = nvml::to_string(nvml::EventTypes(event.type));
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

bool is_grave(nvml::EventType type) {
  return type != nvml::EventType::power_source_change && type != nvml::EventType::mig_config_change &&
         type != nvml::EventType::single_bit_ecc_error;
}

}  // namespace

Machine::Machine(nvml::Library library, nvml::OpenOptions options) : options_(std::move(options)) {
  start(std::move(library));
}

void Machine::start(nvml::Library library) {
  problem_.clear();
  library_ = std::move(library);
  gpus_.clear();
  const auto count = library_->device_count();
  if (!count) return stop(count.error());
  for (unsigned int i = 0; i < *count; ++i) gpus_.emplace_back(i);
  asked_.assign(gpus_.size(), Depth::none);
  driver_.driver = library_->driver_version().value_or("");
  if (const auto cuda = library_->cuda_driver_version())
    driver_.cuda = fmt::format("{}.{}", *cuda / 1000, *cuda % 1000 / 10);
  watch();
}

void Machine::stop(const nvml::Failure& failure) {
  problem_ = failure.message();
  event_set_.reset();
  handles_.clear();
  gpus_.clear();
  asked_.clear();
  if (library_) static_cast<void>(library_->close());
  library_.reset();
}

// Where the driver has no events, the view lives without them.
void Machine::watch() {
  event_set_.reset();
  handles_.assign(gpus_.size(), nullptr);
  auto set = nvml::EventSet::create(*library_);
  if (!set) return;
  event_set_.emplace(std::move(*set));
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto device = library_->device(static_cast<unsigned int>(i));
    if (!device) continue;
    const auto types = device->supported_event_types();
    if (types && event_set_->watch(*device, *types & kNews)) handles_[i] = device->handle();
  }
}

void Machine::add_event(const nvml::Event& event) {
  EventLine line{time_now(), std::nullopt, text_of(event), is_grave(event.type)};
  const void* handle = event.device.handle();
  const auto found = std::find(handles_.begin(), handles_.end(), handle);
  if (found != handles_.end()) line.gpu = static_cast<std::size_t>(found - handles_.begin());
  events_.push_back(std::move(line));
  if (events_.size() > kKeptEvents) events_.pop_front();
}

void Machine::take_events() {
  // A lost GPU makes waiting fail without an event; a storm of events leaves some for the next frame.
  for (int taken = 0; event_set_ && taken < 1000; ++taken) {
    const auto event = event_set_->wait(std::chrono::milliseconds(0));
    if (!event || !*event) return;
    add_event(**event);
  }
}

void Machine::begin(std::uint64_t frame) {
  frame_ = frame;
  if (library_) {
    const auto count = library_->device_count();
    if (!count)
      stop(count.error());
    else if (*count != gpus_.size())
      start(*library_);
  }
  if (!library_) {
    auto found = nvml::Library::open(options_);
    if (!found) {
      problem_ = found.error().message();
      return;
    }
    start(std::move(*found));
  }
  std::fill(asked_.begin(), asked_.end(), Depth::none);
  take_events();
}

void Machine::poll(std::size_t gpu, Depth depth) {
  if (!library_ || asked_[gpu] >= depth) return;
  asked_[gpu] = depth;
  gpus_[gpu].poll(*library_, frame_, depth);
}

void Machine::learn_all() {
  if (!library_) return;
  for (auto& gpu : gpus_) gpu.learn(*library_);
}

}  // namespace nvmlkit::top
