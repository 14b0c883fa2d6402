#include "serve/machine/log.hpp"

#include <time.h>

namespace nvmlkit::serve {
namespace {

constexpr std::size_t kMostMessages = 1000;

// Uptimes of the host as milliseconds since 1970.
std::int64_t unix_ms_of(std::uint64_t uptime_us) {
  timespec wall{}, boot{};
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const auto begin_ms = (wall.tv_sec - boot.tv_sec) * 1000 + (wall.tv_nsec - boot.tv_nsec) / 1'000'000;
  return begin_ms + static_cast<std::int64_t>(uptime_us / 1000);
}

const char* name_of_level(kernel_log::Level level) {
  switch (level) {
    case kernel_log::Level::error:
      return "error";
    case kernel_log::Level::warning:
      return "warning";
    default:
      return "info";
  }
}

}  // namespace

nlohmann::ordered_json Log::take() {
  auto out = nlohmann::ordered_json::array();
  for (const auto& record : follower_.take()) {
    out.push_back({{"sequence", record.sequence},
                   {"time_ms", unix_ms_of(record.uptime_us)},
                   {"level", name_of_level(record.level)},
                   {"text", record.text}});
    kept_.push_back(out.back());
    if (kept_.size() > kMostMessages) kept_.pop_front();
  }
  return out;
}

nlohmann::ordered_json Log::all() const {
  auto out = nlohmann::ordered_json::array();
  for (const auto& each : kept_) out.push_back(each);
  return out;
}

}  // namespace nvmlkit::serve
