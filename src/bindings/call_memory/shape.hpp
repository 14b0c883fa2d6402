// The memory behind the arguments of a function, as data: what its signature says, and pointers inside structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nvmlkit/interpose/signature.hpp>
#include <span>

namespace nvmlkit::nvml::interpose {

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

// Generated.
std::span<const Pointer> pointers() noexcept;
std::span<const Elements> elements() noexcept;
std::span<const std::size_t> unfollowed() noexcept;  // symbols whose memory is too deep to follow

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

// By the place in symbols().
const Shape& shape_of(std::size_t symbol) noexcept;

}  // namespace nvmlkit::nvml::interpose
