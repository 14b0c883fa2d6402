#include "sim/text/amounts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::text {

std::optional<std::uint64_t> bytes_of(std::string_view text) {
  static constexpr std::pair<std::string_view, int> kShifts[] = {{"", 0},    {"B", 0},    {"Ki", 10}, {"KiB", 10},
                                                                 {"Mi", 20}, {"MiB", 20}, {"Gi", 30}, {"GiB", 30}};
  std::string_view unit;
  const auto number = number_before<std::uint64_t>(text, unit);
  const auto* const known =
      std::find_if(std::begin(kShifts), std::end(kShifts), [&](const auto& shift) { return shift.first == unit; });
  if (!number || known == std::end(kShifts) || *number > UINT64_MAX >> known->second) return {};
  return *number << known->second;
}

std::optional<std::uint32_t> percent_of(std::string_view text) {
  std::string_view unit;
  const auto number = number_before<std::uint32_t>(text, unit);
  if (!number || *number > 100 || (!unit.empty() && unit != "%")) return {};
  return number;
}

}  // namespace nvmlkit::sim::text
