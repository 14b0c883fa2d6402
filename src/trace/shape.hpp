// The functions that a recording may contain, and the memory behind their arguments: every symbol of the API, the known
// slots of the private tables, and one entry for all other slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nvmlkit/interpose/signature.hpp>
#include <span>
#include <string_view>

namespace nvmlkit::trace {

using nvml::interpose::Argument;
using nvml::interpose::ArgumentKind;
using Word = std::uintptr_t;

enum class PointerKind : std::uint8_t {
  array,     // elements that are written; their first bytes may be read
  text_in,   // a C string that is read
  text_out,  // a C string of the driver
};

// A pointer inside a struct.
struct Pointer {
  std::uint16_t symbol, argument;
  PointerKind kind;
  std::uint32_t offset, size, asks;  // of the pointer; bytes of an element behind it; of which are read
  std::int32_t count;                // offset of the number of elements
  std::uint32_t stride;              // between several such pointers
  std::int32_t each;                 // offset of their number; -1: there is one
};

// What a function reads of a struct ends at an offset. Behind it is the answer, or an array with a number of elements
// in use, of which it reads the first bytes of each.
struct Elements {
  std::uint16_t symbol, argument;
  std::uint32_t offset, stride, asks;
  std::int32_t number;  // offset of that number; -1: no array
};

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
std::span<const Pointer> pointers() noexcept;
std::span<const Elements> elements() noexcept;
std::span<const std::size_t> unfollowed() noexcept;  // symbols whose memory is too deep to follow
std::span<const PrivateTable> private_tables() noexcept;
std::span<const PrivateSlot> private_slots() noexcept;

struct Shape {
  const char* name = "";
  std::span<const Argument> arguments{};
  std::span<const Pointer> pointers{};
  const Elements* elements = nullptr;
  int versioned = -1;  // which argument is a struct whose version has its size
  bool returns_text = false;
  bool waits = false;      // for events
  bool followed = true;    // the memory of its arguments is recorded
  bool is_public = false;  // a symbol of the API
};

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
