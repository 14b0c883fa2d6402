// A set of flags: bits of one enum that go together. Keeps the bits that have no name.
#pragma once

#include <nvmlkit/strings.hpp>
#include <string>
#include <type_traits>

namespace nvmlkit::nvml {

// True for an enum whose enumerators are bits of a set.
template <class Enum>
inline constexpr bool is_flag = false;

template <class Enum>
concept Flag = is_flag<Enum>;

// EventType::clock | EventType::p_state is an EventTypes, and so is one flag where a set is wanted. Bits that a newer
// driver brings stay in the set; a number becomes one only where somebody says so: EventTypes(0x10000).
template <Flag Enum>
class Flags {
 public:
  using flag = Enum;
  using rep = std::underlying_type_t<Enum>;

  constexpr Flags() noexcept = default;
  constexpr Flags(Enum one) noexcept : bits_(static_cast<rep>(one)) {}
  constexpr explicit Flags(rep bits) noexcept : bits_(bits) {}

  constexpr rep bits() const noexcept { return bits_; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  // All of them.
  constexpr bool contains(Flags flags) const noexcept { return (bits_ & flags.bits_) == flags.bits_; }
  // At least one of them.
  constexpr bool contains_any(Flags flags) const noexcept { return (bits_ & flags.bits_) != 0; }

  friend constexpr Flags operator|(Flags a, Flags b) noexcept { return Flags(static_cast<rep>(a.bits_ | b.bits_)); }
  friend constexpr Flags operator&(Flags a, Flags b) noexcept { return Flags(static_cast<rep>(a.bits_ & b.bits_)); }
  friend constexpr Flags operator-(Flags a, Flags b) noexcept { return Flags(static_cast<rep>(a.bits_ & ~b.bits_)); }
  constexpr Flags& operator|=(Flags other) noexcept { return *this = *this | other; }
  constexpr Flags& operator&=(Flags other) noexcept { return *this = *this & other; }
  constexpr Flags& operator-=(Flags other) noexcept { return *this = *this - other; }
  friend constexpr bool operator==(Flags a, Flags b) noexcept = default;

 private:
  rep bits_ = 0;
};

template <Flag Enum>
constexpr Flags<Enum> operator|(Enum a, Enum b) noexcept {
  return Flags<Enum>(a) | b;
}

// "gpu_idle|sw_power_cap|0x10000": names, then the rest as one number. "none" when no bit is set.
template <Flag Enum>
std::string to_string(Flags<Enum> flags) {
  return flags_text(enum_table(Enum{}), static_cast<unsigned long long>(flags.bits()));
}

template <Flag Enum>
std::ostream& operator<<(std::ostream& out, Flags<Enum> flags) {
  return out << to_string(flags);
}

}  // namespace nvmlkit::nvml
