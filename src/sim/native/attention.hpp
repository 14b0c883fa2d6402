// The state of faults that every call checks before it reads a GPU, in a few words. It is derived from the GPUs and the
// call rules. A writer that changes those updates it, under the machine's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nvmlkit::sim {

inline constexpr std::size_t kMaxGpus = 1024;

namespace faults {

// What keeps the driver itself from starting. Any other number in a damaged file counts as no fault.
enum class MachineFault : std::uint32_t {
  none,
  driver_not_loaded,
  version_mismatch,  // of library and driver
  no_permission,
  no_devices,
};

struct Attention {
  std::atomic<std::uint32_t> watched;  // not zero while a call may meet a fault or a rule
  std::atomic<MachineFault> machine;
  std::atomic<std::uint32_t> any_hidden;
  std::atomic<std::uint64_t> hidden_gpus[kMaxGpus / 64];
  std::atomic<std::uint64_t> failure_calls[kMaxGpus];  // counted for `failure.after_calls`
};

}  // namespace faults
}  // namespace nvmlkit::sim
