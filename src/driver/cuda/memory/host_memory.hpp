// Device memory is memory of the host. A page takes memory from its first write on, so a program may allocate more than
// the host has. What it writes has to fit: else the system would end the process without a message.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::cuda::host_memory {

// What NVMLKIT_CUDA_HOST_MEMORY says: nothing, "unlimited" (no check at all), or the most bytes that the process may
// hold: a number with K, M, G or T.
struct Setting {
  bool is_checked = true;
  std::optional<std::uint64_t> most;
};
std::optional<Setting> setting_of(std::string_view text);

// Do these bytes fit, when they are written? Pages that are there already take no more. False prints one line on
// stderr.
bool fits(const std::byte* start, std::uint64_t size);

// The memory that a kernel makes the process hold, while it runs.
class Growth {
 public:
  // The kernel writes ever more, and nothing is left: the system would end the process soon. Prints one line on stderr.
  // Called often, looks now and then.
  bool is_too_much();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_{};
  std::optional<std::uint64_t> first_;
};

}  // namespace nvmlkit::cuda::host_memory
