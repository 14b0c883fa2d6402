#include "sim/steering/time_words.hpp"

#include <algorithm>
#include <optional>

#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::steering {
namespace {

struct Unit {
  std::string_view word;
  double seconds;
};
constexpr Unit kUnits[] = {{"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
constexpr double kLongest = 1e8;

std::optional<double> seconds_in(std::string_view unit) {
  const auto at = std::ranges::find(kUnits, unit, &Unit::word);
  return at == std::end(kUnits) ? std::nullopt : std::optional(at->seconds);
}

// One amount, or several one behind the other: 1h30m.
std::optional<double> seconds_of(std::string_view text) {
  double total = 0;
  do {
    std::string_view rest;
    const auto value = text::number_before<double>(text, rest);
    const auto unit = rest.substr(0, rest.find_first_of("0123456789"));
    const auto seconds = seconds_in(unit);
    if (!value || !seconds || (total > 0 && !(*value >= 0))) return std::nullopt;
    total += *value * *seconds;
    text = rest.substr(unit.size());
  } while (!text.empty());
  return total;
}

}  // namespace

Expected<double> read_seconds(std::string_view text) {
  const auto seconds = seconds_of(text);
  if (!seconds || !(*seconds > 0) || *seconds > kLongest)
    return fail(wrong_value("a time such as 500ms, 10s, 5m or 2h", quote(text)));
  return *seconds;
}

Expected<double> read_seconds_or_zero(std::string_view text) {
  if (seconds_of(text) == 0.0) return 0.0;
  return read_seconds(text);
}

}  // namespace nvmlkit::sim::steering
