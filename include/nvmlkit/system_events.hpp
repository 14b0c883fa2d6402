// Events of the whole machine: a GPU was bound to the driver, or unbound.
#pragma once

#include <chrono>
#include <nvmlkit/library.hpp>
#include <stop_token>
#include <utility>
#include <vector>

namespace nvmlkit::nvml {

struct SystemEvent {
  unsigned long long type;  // one of abi::SystemEventType...
  unsigned int gpu_id;      // as Device::gpu_id...: the driver's own number of the GPU
};

// Owns a set of system events. Not for use from several threads at once; movable. Needs a driver of CUDA 12.9.
class SystemEventSet {
 public:
  // @c nvmlSystemEventSetCreate
  static Result<SystemEventSet> create(const Library& library);
  SystemEventSet(SystemEventSet&& other) noexcept
      : state_(std::move(other.state_)), set_(std::exchange(other.set_, nullptr)) {}
  SystemEventSet& operator=(SystemEventSet&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(set_, other.set_);
    return *this;
  }
  SystemEventSet(const SystemEventSet&) = delete;
  SystemEventSet& operator=(const SystemEventSet&) = delete;
  // @c nvmlSystemEventSetFree
  ~SystemEventSet();

  // `types` is a mask of abi::SystemEventType...; what happened before is not recorded. @c nvmlSystemRegisterEvents
  Result<void> watch(unsigned long long types);

  // What happened, oldest first; empty when nothing came in time. Waits in slices, so that a stop request ends the wait
  // within 100 ms. @c nvmlSystemEventSetWait
  Result<std::vector<SystemEvent>> wait(std::chrono::milliseconds timeout, std::stop_token stop = {});

  abi::nvmlSystemEventSet_t handle() const noexcept { return set_; }

 private:
  SystemEventSet(detail::StatePtr state, abi::nvmlSystemEventSet_t set) noexcept
      : state_(std::move(state)), set_(set) {}
  Result<std::vector<SystemEvent>> wait_once(unsigned int timeout_ms);

  detail::StatePtr state_;
  abi::nvmlSystemEventSet_t set_ = nullptr;
};

}  // namespace nvmlkit::nvml
