// One call at a time.
#pragma once

#include <mutex>
#include <nvmlkit/interpose/hook.hpp>

namespace nvmlkit::nvml::interpose {

// For drivers whose calls race. Waiting for events goes past the lock: it would hold all others up for as long as it
// waits.
class SerializingLock : public Hook {
 public:
  Word on_call(const Call& call) noexcept override;

 private:
  std::mutex mutex_;
};

}  // namespace nvmlkit::nvml::interpose
