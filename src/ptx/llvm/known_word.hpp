// Operands whose value is in the text of the program.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "ptx/module.hpp"

namespace nvmlkit::ptx::jit {

inline std::optional<std::uint32_t> known_word(const Function& function, Operand operand) {
  if (operand.area() != Operand::constants) return std::nullopt;
  std::uint32_t out = 0;
  std::memcpy(&out, function.constants.data() + operand.offset(), sizeof out);
  return out;
}

}  // namespace nvmlkit::ptx::jit
