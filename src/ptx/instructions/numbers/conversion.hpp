// What cvt of one number knows, in an instruction's immediate.
#pragma once

#include <cstdint>
#include <cstring>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

struct Conversion {
  Type to, from;
  std::uint8_t to_register, from_register;  // bytes
  bool to_integer, relu, rounds_up_ties;
  std::uint8_t unused;
};
static_assert(sizeof(Conversion) == 8);

inline Conversion conversion_of(const Instruction& i) {
  Conversion out;
  std::memcpy(&out, &i.immediate, sizeof out);
  return out;
}

// Between whole numbers without saturation, in registers of any size; null for others.
Handler whole_conversion(const Conversion& conversion);

}  // namespace nvmlkit::ptx
