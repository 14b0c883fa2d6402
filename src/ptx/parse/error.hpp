// What is wrong with a text of PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/prose.hpp"

namespace nvmlkit::ptx {

enum class ErrorKind : std::uint8_t {
  other,                // only the words say more
  syntax,               // the subject stands where something else is expected; it is empty at the end of the text
  unknown_instruction,  // the subject is its name
  unknown_symbol,       // the subject is a label, a register or a variable that nothing declares
  unknown_function,     // the subject is called, and nothing declares it
  undefined_function,   // the subject is declared, and no module that is linked defines it
  operands,             // their number, kinds or sizes
  vector_size,          // the number of elements of an operand
  missing_feature,      // the subject is what the instruction needs: ".target sm_90 or higher"
};

struct Error {
  int line = 0;
  Prose words{};
  ErrorKind kind = ErrorKind::other;
  std::string subject{};
  std::string instruction{};  // the one at fault with its modifiers: mul.wide.u32
  std::size_t part = 0;       // which of several linked modules has the line, from 1; 0 where there is one
};

// PTX has it, and the simulation does not: an error of the kernel that reaches it, not of its module.
struct NotSimulated : Error {};

}  // namespace nvmlkit::ptx
