// The functions that a recording may contain, and the memory behind their arguments: every symbol of the API, the known
// slots of the private tables, and one entry for all other slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bindings/call_memory/shape.hpp"

namespace nvmlkit::trace {

using nvml::interpose::Argument;
using nvml::interpose::ArgumentKind;
using nvml::interpose::Shape;
using Word = std::uintptr_t;

struct PrivateTable {
  const char* name;
  std::array<unsigned char, 16> id;
};

struct PrivateSlot {
  std::uint32_t table, number;
  const char* name;  // "smi slot 209"
  std::span<const Argument> arguments;
};

// Generated.
std::span<const PrivateTable> private_tables() noexcept;
std::span<const PrivateSlot> private_slots() noexcept;

// Functions by number: symbols() first, then private_slots(), then the unknown slot.
std::size_t function_count() noexcept;
std::size_t unknown_slot() noexcept;
std::size_t export_table_function() noexcept;  // nvmlInternalGetExportTable
const Shape& shape(std::size_t function) noexcept;
// Nothing below function_count(): SIZE_MAX.
std::size_t find_function(std::string_view name) noexcept;

// A letter for each argument, which files contain.
char letter_of(ArgumentKind kind) noexcept;
bool is_pointer(char letter) noexcept;
bool is_read(char letter) noexcept;
bool is_written(char letter) noexcept;

}  // namespace nvmlkit::trace
