#include "top/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace nvmlkit::top {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// Three digits that count.
std::string short_number(double value) { return fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0); }

}  // namespace

std::string percent(const Value& value) { return value ? fmt::format("{:.0f}%", *value) : kNoValue; }

std::string whole(const Value& value, const char* unit) {
  return value ? fmt::format("{:.0f}{}", *value, unit) : kNoValue;
}

std::string memory_of(const Value& used, const Value& total) {
  if (!used || !total) return kNoValue;
  return fmt::format("{}/{:.0f}G", short_number(*used / kGibibyte), *total / kGibibyte);
}

std::string power_of(const Value& power, const Value& limit) {
  if (!power) return kNoValue;
  return limit ? fmt::format("{:.0f}/{:.0f}W", *power, *limit) : fmt::format("{:.0f}W", *power);
}

std::string bytes(const Value& value) {
  if (!value) return kNoValue;
  constexpr const char* kUnits[] = {"B", "K", "M", "G", "T"};
  double number = *value;
  std::size_t unit = 0;
  for (; number >= 999.5 && unit < 4; ++unit) number /= 1024;
  return unit == 0 ? fmt::format("{:.0f}B", number) : short_number(number) + kUnits[unit];
}

std::string rate(const Value& bytes_per_second) {
  if (!bytes_per_second) return kNoValue;
  constexpr const char* kUnits[] = {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
  double number = *bytes_per_second;
  std::size_t unit = 0;
  for (; number >= 999.5 && unit < 4; ++unit) number /= 1000;
  return fmt::format("{} {}", unit == 0 ? fmt::format("{:.0f}", number) : short_number(number), kUnits[unit]);
}

std::string count(const Value& value) { return value ? fmt::format("{:.0f}", *value) : kNoValue; }

}  // namespace nvmlkit::top
