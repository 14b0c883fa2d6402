// What an instruction says in PTX, for who translates it: a handler alone does not show it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/generated/instructions.hpp"
#include "ptx/types.hpp"

namespace nvmlkit::ptx {

// Words behind a name. Those that change nothing here, as hints for caches, have no number.
enum class Word : std::uint8_t {
  wide,
  hi,
  sat,
  ftz,
  cc,
  ordered,
  vector,
  to_integer,
  not_nearest,
  negates,
  left,
  wraps,
  up,
  down,
  butterfly,
  system,
  relu,
  keeps_nan,
  as_distance,
  other,
};

enum class Relation : std::uint8_t { none, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

// What atom and red do.
enum class Change : std::uint8_t {
  none,
  add,
  least,
  greatest,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange,
  increment,
  decrement,
};

struct Meaning {
  Op op{};
  Type types[2] = {Type::none, Type::none};
  Relation relation = Relation::none;
  Change change = Change::none;
  std::uint32_t words = 0;
  Rounding rounding = Rounding::nearest;

  bool has(Word word) const { return words >> static_cast<unsigned>(word) & 1; }
  void add(Word word) { words |= 1u << static_cast<unsigned>(word); }
  bool is_only(std::initializer_list<Word> allowed) const {
    auto rest = words;
    for (const auto word : allowed) rest &= ~(1u << static_cast<unsigned>(word));
    return rest == 0;
  }
};

Meaning meaning_of(Op op, std::span<const std::string_view> words);

// A place of a register that an instruction reads or writes. Predicates have the size 0.
struct Access {
  std::uint32_t at = 0;      // the instruction
  std::uint32_t offset = 0;  // in the registers of a frame
  std::uint8_t size = 0;     // bytes of a lane
  bool writes = false;
  bool replaces = false;  // writes it for all lanes that are there, and does not read it
};

}  // namespace nvmlkit::ptx
