#include "serve/machine/wall_time.hpp"

#include <time.h>

namespace nvmlkit::serve {

std::int64_t unix_ms_of(std::uint64_t uptime_us) {
  timespec wall{}, boot{};
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const auto begin_ms = (wall.tv_sec - boot.tv_sec) * 1000 + (wall.tv_nsec - boot.tv_nsec) / 1'000'000;
  return begin_ms + static_cast<std::int64_t>(uptime_us / 1000);
}

}  // namespace nvmlkit::serve
