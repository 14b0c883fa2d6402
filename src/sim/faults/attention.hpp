// What calls must know about faults before they look at a GPU, in a few words that every call may afford to read.
// Derived from the GPUs and the call rules; whoever changes those brings it up to date, under the machine's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/faults/state.hpp"

namespace nvmlkit::sim {

class Machine;
namespace model {
struct Gpu;
}

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

// Is there anything about the GPU that calls have to look at?
bool needs_attention(const model::Gpu& gpu);

// Looks at all GPUs and rules again.
void update_attention(const Machine& machine);

// The GPUs that NVML enumerates: all but those off the bus and those removed.
std::size_t count_visible(const Machine& machine);
// The place of the NVML index in the machine; max_gpus when there is none.
std::size_t place_of_index(const Machine& machine, std::size_t index);
std::size_t index_of_place(const Machine& machine, std::size_t place);
bool is_visible(const Machine& machine, std::size_t place);

}  // namespace faults
}  // namespace nvmlkit::sim
