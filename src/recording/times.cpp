#include "recording/times.hpp"

#include <chrono>
#include <cstddef>
#include <string>

#include "recording/lines.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

std::optional<int> digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return {};
  const auto value = sim::text::number_of<int>(text.substr(0, count));
  if (!value || text[0] == '-') return {};
  text.remove_prefix(count);
  return value;
}

bool skip(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> day_ms(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970 || year > 2200) return {};
  return std::chrono::sys_days(date).time_since_epoch().count() * kDayMs;
}

// 2026/11/23, 2026-11-23 or 20261123.
std::optional<std::int64_t> date_before(std::string_view& text) {
  const auto year = digits(text, 4);
  if (!year) return {};
  const bool parted = skip(text, "/-");
  const auto month = digits(text, 2);
  if (!month || (parted && !skip(text, "/-"))) return {};
  const auto day = digits(text, 2);
  return day ? day_ms(*year, *month, *day) : std::nullopt;
}

// Nov, Nov 23 with one or two blanks: month and day.
std::optional<std::pair<int, int>> month_and_day(std::string_view& text) {
  const auto at = text.size() < 3 ? std::string_view::npos : kMonths.find(text.substr(0, 3));
  if (at == std::string_view::npos || at % 3 != 0) return {};
  text.remove_prefix(3);
  while (skip(text, " ")) continue;
  const auto day = sim::text::number_before<int>(text, text);
  if (!day || *day < 1 || *day > 31) return {};
  return std::pair(static_cast<int>(at / 3) + 1, *day);
}

// Z, +01:00 or +0100; no zone is none.
std::int64_t zone_before(std::string_view& text) {
  if (skip(text, "Z")) return 0;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return 0;
  auto rest = text.substr(1);
  const auto hours = digits(rest, 2);
  skip(rest, ":");
  const auto minutes = digits(rest, 2);
  if (!hours || !minutes) return 0;
  const auto sign = text[0] == '-' ? -1 : 1;
  text = rest;
  return sign * (*hours * 60LL + *minutes) * 60'000;
}

// Mon Nov 23 17:45:09 2026
std::optional<std::int64_t> asctime_before(std::string_view text, std::string_view& rest) {
  if (text.size() < 4 || text[3] != ' ') return {};
  text.remove_prefix(4);
  const auto date = month_and_day(text);
  if (!date || !skip(text, " ")) return {};
  const auto clock = clock_before(text, text);
  if (!clock || !skip(text, " ")) return {};
  const auto year = digits(text, 4);
  const auto day = year ? day_ms(*year, date->first, date->second) : std::nullopt;
  if (!day) return {};
  rest = text;
  return *day + *clock;
}

}  // namespace

std::optional<std::int64_t> clock_before(std::string_view text, std::string_view& rest) {
  const auto hours = digits(text, 2);
  if (!hours || !skip(text, ":")) return {};
  const auto minutes = digits(text, 2);
  if (!minutes || !skip(text, ":")) return {};
  const auto seconds = digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return {};
  std::int64_t out = ((*hours * 60LL + *minutes) * 60 + *seconds) * 1000;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && text[1] >= '0' && text[1] <= '9') {
    text.remove_prefix(1);
    for (std::int64_t unit = 100; !text.empty() && text[0] >= '0' && text[0] <= '9'; unit /= 10) {
      out += (text[0] - '0') * unit;
      text.remove_prefix(1);
    }
  }
  rest = text;
  return out;
}

std::optional<std::int64_t> syslog_time_before(std::string_view text, std::string_view& rest) {
  const auto date = month_and_day(text);
  if (!date || !skip(text, " ")) return {};
  const auto clock = clock_before(text, text);
  const auto day = clock ? day_ms(2000, date->first, date->second) : std::nullopt;
  if (!day) return {};
  rest = text;
  return *day + *clock - *day_ms(2000, 1, 1);
}

std::optional<std::int64_t> time_before(std::string_view text, std::string_view& rest) {
  if (const auto time = asctime_before(text, rest)) return time;
  const auto day = date_before(text);
  if (!day || !skip(text, " T")) return {};
  const auto clock = clock_before(text, text);
  if (!clock) return {};
  const auto zone = zone_before(text);
  rest = text;
  return *day + *clock - zone;
}

std::optional<std::int64_t> time_of(std::string_view text) {
  std::string_view rest;
  const auto time = time_before(trimmed(text), rest);
  return rest.empty() ? time : std::nullopt;
}

}  // namespace nvmlkit::recording
