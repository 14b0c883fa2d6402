#include "sim/native/clock.hpp"

#include <charconv>
#include <ctime>

namespace nvmlkit::sim {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kLongestNs = 4e18;  // below what 64 bits hold: the fields may come from a damaged file

std::int64_t read_clock(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::int64_t rounded(double ns) {
  if (!(ns > -kLongestNs)) return -static_cast<std::int64_t>(kLongestNs);
  return static_cast<std::int64_t>(ns < kLongestNs ? ns : kLongestNs);
}

}  // namespace

std::int64_t Clock::at(std::int64_t real_ns) const {
  if (set == 0) return real_ns;
  if (pace == 0) return at_ns;
  return rounded(static_cast<double>(at_ns) + (static_cast<double>(real_ns) - static_cast<double>(since_ns)) * pace);
}

Clock Clock::paced(std::int64_t real_ns, double pace_wanted) const {
  return {1, real_ns, at(real_ns), pace_wanted, epoch_ns};
}

Clock Clock::advanced(std::int64_t real_ns, std::int64_t by_ns) const {
  auto out = paced(real_ns, set == 0 ? 1 : pace);
  out.at_ns = rounded(static_cast<double>(out.at_ns) + static_cast<double>(by_ns));
  return out;
}

std::int64_t real_time_ns() { return read_clock(CLOCK_BOOTTIME); }

std::int64_t real_epoch_ns() { return read_clock(CLOCK_REALTIME) - read_clock(CLOCK_BOOTTIME); }

std::optional<double> parse_pace(std::string_view text) {
  if (text == "real") return 1;
  if (text == "virtual") return 0;
  double pace = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), pace);
  const bool good = problem == std::errc() && end == text.data() + text.size() && pace >= 0.001 && pace <= 1e6;
  return good ? std::optional(pace) : std::nullopt;
}

}  // namespace nvmlkit::sim
