#include "sim/processes/kinds.hpp"

#include <utility>

namespace nvmlkit::sim::processes {

std::string letters_of(std::uint32_t kinds) {
  std::string out;
  for (const auto& [kind, letter] : {std::pair{mps, 'M'}, std::pair{compute, 'C'}, std::pair{graphics, 'G'}}) {
    if ((kinds & kind) == 0) continue;
    if (!out.empty()) out += '+';
    out += letter;
  }
  return out;
}

std::optional<std::uint32_t> kinds_of(std::string_view letters) {
  constexpr std::uint32_t kKnown[] = {compute, graphics, compute | graphics, mps | compute, mps};
  for (const auto kinds : kKnown)
    if (letters_of(kinds) == letters) return kinds;
  return {};
}

}  // namespace nvmlkit::sim::processes
