// Instructions with which the lanes of a whole warp look at each other, and moves between a register and its parts.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "ptx/llvm/needs.hpp"

namespace nvmlkit::ptx::jit {

// Of all 32 lanes; the lanes that act, of some, too. Lanes that name different sets are left to the interpreter.
struct Exchange {
  enum class What : std::uint8_t { meet, shuffle, vote, active, elect, match, reduce } what = What::meet;
  std::optional<Key> d, d2;  // d2: of a shuffle, whether the lane it reads is in its segment
  Operand from;              // the numbers, or the predicate
  std::uint8_t size = 4;     // of the numbers
  char mode = 0;          // the first letter of the vote, the match or the shuffle; `o` for any; +<>&|^ of a reduction
  bool has_sign = false;  // of a reduction
  Operand by, limits;     // of a shuffle: the distance or the lane; where segments end
  bool negated = false;
  Operand set;  // the lanes that take part; a shuffle and a barrier of the warp do not need it
};
std::optional<Exchange> exchange_form(const Function& function, std::uint32_t at);

// A mov with several registers on one side.
struct Parts {
  bool packs = false;
  Operand whole;
  std::span<const Operand> parts;  // the lowest first; those of an unpacking may be absent
  std::uint8_t part_size = 0;

  std::uint8_t size() const { return static_cast<std::uint8_t>(part_size * parts.size()); }
};
std::optional<Parts> parts_form(const Function& function, std::uint32_t at);

}  // namespace nvmlkit::ptx::jit
