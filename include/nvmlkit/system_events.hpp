// Events of the whole machine: a GPU was bound to the driver, or unbound.
#pragma once

#include <chrono>
#include <nvmlkit/library.hpp>
#include <stop_token>
#include <utility>
#include <vector>

namespace nvmlkit::nvml {

struct SystemEvent {
  SystemEventType type;
  unsigned int gpu_id;  // as Device::gpu_id...: the driver's own number of the GPU
};

// Owns a set of system events. Not for use from several threads at once; movable. Needs a driver of CUDA 12.9.
class SystemEventSet {
 public:
  // @c nvmlSystemEventSetCreate
  static Result<SystemEventSet> create(const Library& library);
  SystemEventSet(SystemEventSet&& other) noexcept
      : session_(std::move(other.session_)), set_(std::exchange(other.set_, nullptr)) {}
  SystemEventSet& operator=(SystemEventSet&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(set_, other.set_);
    return *this;
  }
  SystemEventSet(const SystemEventSet&) = delete;
  SystemEventSet& operator=(const SystemEventSet&) = delete;
  // @c nvmlSystemEventSetFree
  ~SystemEventSet();

  // What happened before is not recorded. @c nvmlSystemRegisterEvents
  Result<void> watch(SystemEventTypes types);

  // What happened, oldest first; empty when nothing came in time. Waits in slices, so that a stop request ends the wait
  // within 100 ms. @c nvmlSystemEventSetWait
  Result<std::vector<SystemEvent>> wait(std::chrono::milliseconds timeout, std::stop_token stop = {});

  abi::nvmlSystemEventSet_t handle() const noexcept { return set_; }

 private:
  SystemEventSet(SessionPtr session, abi::nvmlSystemEventSet_t set) noexcept
      : session_(std::move(session)), set_(set) {}
  Result<std::vector<SystemEvent>> wait_once(unsigned int timeout_ms);

  SessionPtr session_;
  abi::nvmlSystemEventSet_t set_ = nullptr;
};

}  // namespace nvmlkit::nvml
