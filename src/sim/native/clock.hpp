// The time of a machine: real, scaled, or virtual.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::sim {

// Zero bytes are real time. All processes of a machine read the same one.
struct Clock {
  std::uint64_t set;      // 0: real time, and only epoch_ns counts
  std::int64_t since_ns;  // the real time at which `pace` began to hold
  std::int64_t at_ns;     // the machine's time then
  double pace;            // seconds of the machine in a real second; 0: it moves only by a command
  std::int64_t epoch_ns;  // 1970 to the zero of this time

  std::int64_t at(std::int64_t real_ns) const;
  // From `real_ns` on the machine's time runs at `pace`.
  Clock paced(std::int64_t real_ns, double pace) const;
  Clock advanced(std::int64_t real_ns, std::int64_t by_ns) const;
};

// CLOCK_BOOTTIME: one for all processes of a host, never set back as the time of day is, and it goes on while the host
// sleeps.
std::int64_t real_time_ns();

// From 1970 to the zero of real_time_ns(), as the time of day is now.
std::int64_t real_epoch_ns();

// How fast time passes, as people write it: real, virtual, or a factor such as 60. None for anything else.
std::optional<double> parse_pace(std::string_view text);
inline constexpr std::string_view kPaceWords = "real, virtual or a factor from 0.001 to 1000000";

// `at_ns` - `from_ns`. Times of a damaged state file wrap around and harm nothing.
constexpr std::int64_t elapsed_ns(std::int64_t from_ns, std::int64_t at_ns) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(at_ns) - static_cast<std::uint64_t>(from_ns));
}

}  // namespace nvmlkit::sim
