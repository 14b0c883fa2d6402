// Quantities that NVML reports, as types that do not mix: a limit in milliwatts does not convert to a clock in
// megahertz. Times are std::chrono durations.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <string>

namespace nvmlkit::nvml {

template <class Unit>
class Quantity {
 public:
  using rep = std::int64_t;

  constexpr Quantity() noexcept = default;
  template <std::integral Number>
  constexpr explicit Quantity(Number count) noexcept : count_(static_cast<rep>(count)) {}

  constexpr rep count() const noexcept { return count_; }
  constexpr auto operator<=>(const Quantity&) const noexcept = default;

  constexpr Quantity operator-() const noexcept { return Quantity(-count_); }
  friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) noexcept { return Quantity(a.count_ - b.count_); }
  constexpr Quantity& operator+=(Quantity other) noexcept { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) noexcept { return *this = *this - other; }

 private:
  rep count_ = 0;
};

namespace unit {
struct Milliwatt {
  static constexpr const char* symbol = "mW";
};
struct Millijoule {
  static constexpr const char* symbol = "mJ";
};
struct Millivolt {
  static constexpr const char* symbol = "mV";
};
struct Megahertz {
  static constexpr const char* symbol = "MHz";
};
struct DegreeCelsius {
  static constexpr const char* symbol = "C";
};
struct Byte {
  static constexpr const char* symbol = "B";
};
struct Kibibyte {
  static constexpr const char* symbol = "KiB";
};
struct Mebibyte {
  static constexpr const char* symbol = "MiB";
};
struct Bit {
  static constexpr const char* symbol = "bit";
};
struct Percent {
  static constexpr const char* symbol = "%";
};
struct KilobytePerSecond {
  static constexpr const char* symbol = "KB/s";
};
struct MegabytePerSecond {
  static constexpr const char* symbol = "MB/s";
};
struct FramePerSecond {
  static constexpr const char* symbol = "fps";
};
struct RevolutionPerMinute {
  static constexpr const char* symbol = "rpm";
};
}  // namespace unit

using Milliwatts = Quantity<unit::Milliwatt>;
using Millijoules = Quantity<unit::Millijoule>;
using Millivolts = Quantity<unit::Millivolt>;
using Megahertz = Quantity<unit::Megahertz>;
using Celsius = Quantity<unit::DegreeCelsius>;
using Bytes = Quantity<unit::Byte>;
using Kibibytes = Quantity<unit::Kibibyte>;
using Mebibytes = Quantity<unit::Mebibyte>;
using Bits = Quantity<unit::Bit>;
using Percent = Quantity<unit::Percent>;
using KilobytesPerSecond = Quantity<unit::KilobytePerSecond>;
using MegabytesPerSecond = Quantity<unit::MegabytePerSecond>;
using FramesPerSecond = Quantity<unit::FramePerSecond>;
using RevolutionsPerMinute = Quantity<unit::RevolutionPerMinute>;

// "300000 mW".
template <class Unit>
std::string to_string(Quantity<Unit> quantity) {
  return std::to_string(quantity.count()) + ' ' + Unit::symbol;
}

}  // namespace nvmlkit::nvml
