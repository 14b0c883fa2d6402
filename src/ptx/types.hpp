// Types of PTX values, and their permitted state spaces.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::ptx {

inline constexpr unsigned kLanes = 32;
using Mask = std::uint32_t;  // a bit per lane
inline constexpr Mask kAllLanes = ~Mask{0};
// What a look at memory that others change counts for, in instructions of a warp's turn.
inline constexpr unsigned kWeightOfPoll = 64;
// The first lane of a mask with lanes.
constexpr unsigned first_of(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

enum class Type : std::uint8_t {
  none,
  pred,
  b1,
  s4,
  u4,
  b8,
  u8,
  s8,
  e4m3,
  e5m2,
  b16,
  u16,
  s16,
  f16,
  bf16,
  e4m3x2,
  e5m2x2,
  b32,
  u32,
  s32,
  f32,
  f16x2,
  bf16x2,
  u16x2,
  s16x2,
  tf32,
  b64,
  u64,
  s64,
  f64,
  f32x2,
  b128,
};

// Bytes of one lane; 0 for what is smaller.
constexpr unsigned size_of(Type type) {
  if (type == Type::none) return 0;
  if (type == Type::pred) return 4;
  if (type <= Type::u4) return 0;
  if (type <= Type::e5m2) return 1;
  if (type <= Type::e5m2x2) return 2;
  if (type <= Type::tf32) return 4;
  return type == Type::b128 ? 16 : 8;
}

// Of an element of a matrix, which may be less than a byte.
constexpr unsigned bits_of_element(Type type) {
  return type == Type::b1 ? 1 : type == Type::s4 || type == Type::u4 ? 4 : 8 * size_of(type);
}

constexpr bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}
constexpr bool is_whole(Type type) {
  return is_signed(type) || type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
}
constexpr bool is_eight_bit_pair(Type type) { return type == Type::e4m3x2 || type == Type::e5m2x2; }
constexpr bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

// A number of 16 to 64 bits, or as many bits; of floats those that the host computes with.
constexpr bool is_number(Type type) {
  switch (type) {
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

// By its name without the dot; nothing for what is no type.
std::optional<Type> type_named(std::string_view name);

enum class Space : std::uint8_t { generic, global, constant, shared, local, param, kernel_param };

// Windows of the generic address space. No address of the host or a device lies in one.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 56;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 56;
inline constexpr std::uint64_t kParamWindow = std::uint64_t{3} << 56;
inline constexpr std::uint64_t kCodeWindow = std::uint64_t{4} << 56;  // addresses of functions

enum class Rounding : std::uint8_t { nearest, zero, down, up };

}  // namespace nvmlkit::ptx
