// The arguments of each function as data, for the call log and for faults that need the GPU.
#pragma once

#include <cstdint>
#include <span>

#include "sim/generated/symbols.hpp"

namespace nvmlkit::driver {

enum class ArgumentKind : std::uint8_t { natural, integer, real, text, structure, device, pointer };
enum class ArgumentRole : std::uint8_t { self, in, out, inout, array };

struct MemberInfo {
  std::uint32_t name;  // text_at()
  ArgumentKind kind;
  std::uint32_t offset, size, count;
};

struct ArgumentInfo {
  std::uint32_t name;  // text_at()
  ArgumentKind kind;
  ArgumentRole role;
  std::uint8_t pointers;
  std::uint8_t size;           // of the number, or of what a pointer to one points to
  std::uint16_t first_member;  // of a struct
  std::uint16_t member_count;
  std::uint32_t limit;  // bytes of a struct that the entry point touches, where its layout is older; else 0
  bool versioned;       // the struct's version field contains its size
};

struct CallInfo {
  std::uint16_t first, count;
};

std::span<const ArgumentInfo> arguments_of(sim::Symbol symbol);
std::span<const MemberInfo> members_of(const ArgumentInfo& argument);
const char* text_at(std::uint32_t offset);

}  // namespace nvmlkit::driver
