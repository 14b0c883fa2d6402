// An event of a GPU, with the data of an NVML event.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::events {

inline constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoGpu = 0xFFFFFFFF;

struct Event {
  std::uint64_t type;  // one bit: model::EventType
  std::uint64_t data;  // of an Xid its number
  std::uint32_t gpu_instance, compute_instance;
  std::uint32_t detail = 0;  // for the kernel log: of an NVLink error the link
  std::uint32_t reserved = 0;
};

// Events of a change that is not committed yet; empty outside of an edit.
struct Noted {
  static constexpr std::uint32_t kCapacity = 16;
  std::uint32_t count;
  std::uint32_t reserved;
  Event events[kCapacity];
};

}  // namespace nvmlkit::sim::events
