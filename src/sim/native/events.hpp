// What happened to a GPU, as NVML's events tell it.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::events {

inline constexpr std::uint32_t no_instance = 0xFFFFFFFF;
inline constexpr std::uint32_t no_gpu = 0xFFFFFFFF;

struct Event {
  std::uint64_t type;  // one bit: nvmlEventType...
  std::uint64_t data;  // of an Xid its number
  std::uint32_t gpu_instance, compute_instance;
};

// Events of a change that is not committed yet; empty in a GPU that nobody edits.
struct Noted {
  static constexpr std::uint32_t capacity = 8;
  std::uint32_t count;
  std::uint32_t reserved;
  Event events[capacity];
};

}  // namespace nvmlkit::sim::events
