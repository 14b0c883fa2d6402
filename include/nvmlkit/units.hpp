// Quantities that NVML reports, as types that do not mix: a limit in milliwatts does not convert to a clock in
// megahertz. Units of one dimension convert as std::chrono durations do: implicitly without loss, explicitly with loss.
//
//   device.set_power_management_limit(Watts(300));           // becomes 300000 mW
//   const Watts whole(device.power_usage().value());         // 67900 mW become 67 W: explicit, because of the 0.9
//   const double exact = device.power_usage().value().in<Watts>();  // 67.9
//
// Times are std::chrono durations.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <ratio>
#include <string>
#include <type_traits>

namespace nvmlkit::nvml {

// A unit: what is measured, how large the unit is among those that measure it, and its symbol.
namespace unit {
struct Power;
struct Energy;
struct Voltage;
struct Frequency;
struct Temperature;
struct Information;
struct Share;
struct Throughput;
struct FrameRate;
struct Rotation;

struct Milliwatt {
  using dimension = Power;
  using scale = std::milli;
  static constexpr const char* symbol = "mW";
};
struct Watt {
  using dimension = Power;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "W";
};
struct Kilowatt {
  using dimension = Power;
  using scale = std::kilo;
  static constexpr const char* symbol = "kW";
};
struct Millijoule {
  using dimension = Energy;
  using scale = std::milli;
  static constexpr const char* symbol = "mJ";
};
struct Joule {
  using dimension = Energy;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "J";
};
struct WattHour {
  using dimension = Energy;
  using scale = std::ratio<3600>;
  static constexpr const char* symbol = "Wh";
};
struct KilowattHour {
  using dimension = Energy;
  using scale = std::ratio<3'600'000>;
  static constexpr const char* symbol = "kWh";
};
struct Millivolt {
  using dimension = Voltage;
  using scale = std::milli;
  static constexpr const char* symbol = "mV";
};
struct Volt {
  using dimension = Voltage;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "V";
};
struct Megahertz {
  using dimension = Frequency;
  using scale = std::mega;
  static constexpr const char* symbol = "MHz";
};
struct Gigahertz {
  using dimension = Frequency;
  using scale = std::giga;
  static constexpr const char* symbol = "GHz";
};
struct DegreeCelsius {
  using dimension = Temperature;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "C";
};
struct Bit {
  using dimension = Information;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "bit";
};
struct Byte {
  using dimension = Information;
  using scale = std::ratio<8>;
  static constexpr const char* symbol = "B";
};
struct Kibibyte {
  using dimension = Information;
  using scale = std::ratio<8LL << 10>;
  static constexpr const char* symbol = "KiB";
};
struct Mebibyte {
  using dimension = Information;
  using scale = std::ratio<8LL << 20>;
  static constexpr const char* symbol = "MiB";
};
struct Gibibyte {
  using dimension = Information;
  using scale = std::ratio<8LL << 30>;
  static constexpr const char* symbol = "GiB";
};
struct Percent {
  using dimension = Share;
  using scale = std::centi;
  static constexpr const char* symbol = "%";
};
struct KilobytePerSecond {
  using dimension = Throughput;
  using scale = std::kilo;
  static constexpr const char* symbol = "KB/s";
};
struct MegabytePerSecond {
  using dimension = Throughput;
  using scale = std::mega;
  static constexpr const char* symbol = "MB/s";
};
struct GigabytePerSecond {
  using dimension = Throughput;
  using scale = std::giga;
  static constexpr const char* symbol = "GB/s";
};
struct FramePerSecond {
  using dimension = FrameRate;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "fps";
};
struct RevolutionPerMinute {
  using dimension = Rotation;
  using scale = std::ratio<1>;
  static constexpr const char* symbol = "rpm";
};

// How many of `To` one `From` is.
template <class From, class To>
using Factor = std::ratio_divide<typename From::scale, typename To::scale>;
// Units of what can be measured in one another.
template <class A, class B>
concept Alike = std::same_as<typename A::dimension, typename B::dimension>;
// Every whole number of `From` is a whole number of `To`.
template <class From, class To>
concept Exact = Alike<From, To> && Factor<From, To>::den == 1;
// One of them is made of whole ones of the other.
template <class A, class B>
concept Commensurable = Exact<A, B> || Exact<B, A>;
template <class A, class B>
concept Mixed = Commensurable<A, B> && !std::same_as<A, B>;
}  // namespace unit

// A whole number of a unit.
template <class Unit>
class Quantity {
 public:
  using rep = std::int64_t;
  using unit_type = Unit;

  constexpr Quantity() noexcept = default;
  template <std::integral Number>
  constexpr explicit Quantity(Number count) noexcept : count_(static_cast<rep>(count)) {}
  // From another unit: implicit to a finer one; explicit, and towards zero, to a coarser one.
  template <unit::Alike<Unit> Other>
  constexpr explicit(!unit::Exact<Other, Unit>) Quantity(Quantity<Other> other) noexcept
      : count_(other.count() / unit::Factor<Other, Unit>::den * unit::Factor<Other, Unit>::num +
               other.count() % unit::Factor<Other, Unit>::den * unit::Factor<Other, Unit>::num /
                   unit::Factor<Other, Unit>::den) {}

  constexpr rep count() const noexcept { return count_; }
  // In another unit, with its fraction: power.in<Watts>() is 67.9 of 67900 mW.
  template <class Other>
  requires unit::Alike<Unit, typename Other::unit_type>
  constexpr double in() const noexcept {
    using Factor = unit::Factor<Unit, typename Other::unit_type>;
    return static_cast<double>(count_) * static_cast<double>(Factor::num) / static_cast<double>(Factor::den);
  }
  constexpr auto operator<=>(const Quantity&) const noexcept = default;

  constexpr Quantity operator-() const noexcept { return Quantity(-count_); }
  constexpr Quantity& operator+=(Quantity other) noexcept { return *this = Quantity(count_ + other.count_); }
  constexpr Quantity& operator-=(Quantity other) noexcept { return *this = Quantity(count_ - other.count_); }
  template <std::integral Number>
  friend constexpr Quantity operator*(Quantity a, Number times) noexcept {
    return Quantity(a.count_ * static_cast<rep>(times));
  }
  template <std::integral Number>
  friend constexpr Quantity operator*(Number times, Quantity a) noexcept {
    return a * times;
  }
  template <std::integral Number>
  friend constexpr Quantity operator/(Quantity a, Number parts) noexcept {
    return Quantity(a.count_ / static_cast<rep>(parts));
  }

 private:
  rep count_ = 0;
};

// Of two units of one dimension the finer one, as Milliwatts of Watts and Milliwatts.
template <class A, unit::Commensurable<A> B>
using FinerQuantity = Quantity<std::conditional_t<unit::Exact<A, B>, B, A>>;

template <class A, unit::Commensurable<A> B>
constexpr FinerQuantity<A, B> operator+(Quantity<A> a, Quantity<B> b) noexcept {
  return FinerQuantity<A, B>(a) += b;
}
template <class A, unit::Commensurable<A> B>
constexpr FinerQuantity<A, B> operator-(Quantity<A> a, Quantity<B> b) noexcept {
  return FinerQuantity<A, B>(a) -= b;
}
template <class A, unit::Mixed<A> B>
constexpr bool operator==(Quantity<A> a, Quantity<B> b) noexcept {
  return FinerQuantity<A, B>(a) == FinerQuantity<A, B>(b);
}
template <class A, unit::Mixed<A> B>
constexpr auto operator<=>(Quantity<A> a, Quantity<B> b) noexcept {
  return FinerQuantity<A, B>(a) <=> FinerQuantity<A, B>(b);
}
// How many times one goes into the other, with its fraction: memory.used / memory.total.
template <class A, unit::Alike<A> B>
constexpr double operator/(Quantity<A> a, Quantity<B> b) noexcept {
  return a.template in<Quantity<B>>() / static_cast<double>(b.count());
}

using Milliwatts = Quantity<unit::Milliwatt>;
using Watts = Quantity<unit::Watt>;
using Kilowatts = Quantity<unit::Kilowatt>;
using Millijoules = Quantity<unit::Millijoule>;
using Joules = Quantity<unit::Joule>;
using WattHours = Quantity<unit::WattHour>;
using KilowattHours = Quantity<unit::KilowattHour>;
using Millivolts = Quantity<unit::Millivolt>;
using Volts = Quantity<unit::Volt>;
using Megahertz = Quantity<unit::Megahertz>;
using Gigahertz = Quantity<unit::Gigahertz>;
using Celsius = Quantity<unit::DegreeCelsius>;
using Bits = Quantity<unit::Bit>;
using Bytes = Quantity<unit::Byte>;
using Kibibytes = Quantity<unit::Kibibyte>;
using Mebibytes = Quantity<unit::Mebibyte>;
using Gibibytes = Quantity<unit::Gibibyte>;
using Percent = Quantity<unit::Percent>;
using KilobytesPerSecond = Quantity<unit::KilobytePerSecond>;
using MegabytesPerSecond = Quantity<unit::MegabytePerSecond>;
using GigabytesPerSecond = Quantity<unit::GigabytePerSecond>;
using FramesPerSecond = Quantity<unit::FramePerSecond>;
using RevolutionsPerMinute = Quantity<unit::RevolutionPerMinute>;

// "300000 mW".
template <class Unit>
std::string to_string(Quantity<Unit> quantity) {
  return std::to_string(quantity.count()) + ' ' + Unit::symbol;
}

template <class Unit>
std::ostream& operator<<(std::ostream& out, Quantity<Unit> quantity) {
  return out << to_string(quantity);
}

}  // namespace nvmlkit::nvml
