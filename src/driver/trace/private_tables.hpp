// Tables of private functions whose calls pass through here.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "trace/shape.hpp"

namespace nvmlkit::trace {

inline constexpr std::size_t kMostTables = 4;   // in a process
inline constexpr std::size_t kMostSlots = 256;  // of a table; those behind are the library's own
inline constexpr std::size_t kSlotWords = 10;   // arguments that are passed on

using TableId = std::array<unsigned char, 16>;

// A call of a slot.
struct SlotCall {
  std::size_t function;  // its number; unknown_slot() where nobody knows its arguments
  std::uint32_t table;   // the first four bytes of the table's id
  std::uint32_t slot;
  const Word* words;  // kSlotWords
  const void* inner;  // the library's function; null in a replay
};
Word on_slot(const SlotCall& call) noexcept;
// The arguments of a slot: of a register the low half where an argument is an int.
void cut_values(const Shape& function, const Word* words, Word* out) noexcept;

// A table in front of a library's. Null where it cannot be: no table, or too many of them.
const void* wrap_table(const TableId& id, const void* inner);
// Which words of a library's table are functions, as bytes for a recording.
std::string describe_table(const void* inner);
// A table of that description. Null for what is no description.
const void* make_table(const TableId& id, const std::string& description);

}  // namespace nvmlkit::trace
