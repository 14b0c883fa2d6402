// A set of bits that keeps unknown bits.
#pragma once

#include <nvmlkit/strings.hpp>
#include <span>
#include <string>

namespace nvmlkit::nvml {

// `Bits` names the bits: ClocksEventReasons(ClocksEventReasonsBits::GpuIdle). Becomes a number where one is needed, as
// the constants of nvmlkit::abi are; a number becomes a mask only where somebody says so.
template <class Bits>
class Mask {
 public:
  using rep = unsigned long long;

  constexpr Mask() noexcept = default;
  constexpr explicit Mask(rep bits) noexcept : bits_(bits) {}

  constexpr rep bits() const noexcept { return bits_; }
  constexpr operator rep() const noexcept { return bits_; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr bool has(rep bits) const noexcept { return (bits_ & bits) == bits; }

  friend constexpr Mask operator|(Mask a, Mask b) noexcept { return Mask(a.bits_ | b.bits_); }
  friend constexpr Mask operator&(Mask a, Mask b) noexcept { return Mask(a.bits_ & b.bits_); }
  friend constexpr bool operator==(Mask a, Mask b) noexcept = default;

 private:
  rep bits_ = 0;
};

// "GpuIdle|SwPowerCap|0x10000": names, then the rest as one number. "None" when no bit is set.
template <class Bits>
std::string to_string(Mask<Bits> mask) {
  return mask_text(Bits::names(), mask.bits());
}

}  // namespace nvmlkit::nvml
