#include "smi/log/time.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ctime>

namespace nvmlkit::smi {

std::string local_time(const char* format, long long seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 64> buffer{};
  return std::string(buffer.data(), std::strftime(buffer.data(), buffer.size(), format, &parts));
}

std::string long_time(long long seconds) { return local_time("%a %b %e %H:%M:%S %Y", seconds); }

long long now_seconds() { return std::time(nullptr); }

std::string now_with_milliseconds() {
  using namespace std::chrono;
  const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  return local_time("%Y/%m/%d %H:%M:%S", now / 1000) + fmt::format(".{:03}", now % 1000);
}

}  // namespace nvmlkit::smi
