#include "recording/cell.hpp"

#include <cstdint>

#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {

bool is_absent(std::string_view cell) {
  if (cell.size() > 2 && cell.front() == '[' && cell.back() == ']') return true;
  return cell.empty() || cell == "-" || cell == "N/A" || cell == "Not Supported" || cell == "Unknown" ||
         cell == "ERR!" || cell == "Requested functionality has been deprecated";
}

std::optional<double> number_of_cell(std::string_view cell) {
  if (cell == "Yes" || cell == "Active" || cell == "Pending") return 1;
  if (cell == "No" || cell == "Not Active") return 0;
  if (cell.starts_with("0x")) {
    const auto bits = sim::text::number_of<std::uint64_t>(cell.substr(2), 16);
    return bits ? std::optional(static_cast<double>(*bits)) : std::nullopt;
  }
  if (cell.size() > 1 && cell[0] == 'P') cell.remove_prefix(1);
  std::string_view unit;
  const auto number = sim::text::number_before<double>(cell, unit);
  if (!number || (!unit.empty() && unit[0] != ' ' && unit != "%")) return {};
  return number;
}

}  // namespace nvmlkit::recording
