// Converts one field of a C struct to one member of a value.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/flags.hpp>
#include <nvmlkit/units.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace nvmlkit::nvml::detail {

template <class To>
struct IsQuantity : std::false_type {};
template <class Unit>
struct IsQuantity<Quantity<Unit>> : std::true_type {};
template <class Rep, class Period>
struct IsQuantity<std::chrono::duration<Rep, Period>> : std::true_type {};

template <class To>
struct IsFlags : std::false_type {};
template <class Enum>
struct IsFlags<Flags<Enum>> : std::true_type {};

template <class To, class From>
void take(To& to, const From& from) {
  if constexpr (std::is_same_v<To, From>)
    to = from;
  else if constexpr (std::is_same_v<To, bool>)
    to = from != From{};
  else if constexpr (std::is_arithmetic_v<To> || std::is_enum_v<To>)
    to = static_cast<To>(from);
  else if constexpr (IsFlags<To>::value)
    to = To(static_cast<typename To::rep>(from));
  else if constexpr (IsQuantity<To>::value)
    to = To(from);
  else
    fill(to, from);
}

template <std::size_t Size>
void take(std::string& to, const char (&from)[Size]) {
  to = text_of(from, Size);
}

template <class To, class From, std::size_t Size>
void take(std::array<To, Size>& to, const From (&from)[Size]) {
  for (std::size_t i = 0; i < Size; ++i) take(to[i], from[i]);
}

template <class To, class From>
void take(std::optional<To>& to, const From& from) {
  take(to.emplace(), from);
}

// A driver that counts more entries than the array has is not followed.
template <class To, class From, std::size_t Size, class Count>
void take_counted(std::vector<To>& to, const From (&from)[Size], Count count) {
  to.resize(std::min(static_cast<std::size_t>(count), Size));
  for (std::size_t i = 0; i < to.size(); ++i) take(to[i], from[i]);
}

template <class To, class From>
void take_unless(std::optional<To>& to, const From& from, long long absent) {
  if (from != static_cast<From>(absent)) take(to, from);
}

// Only what is optional may be missing in a layout: anything else does not compile.
template <class From, class To>
void lacks(std::optional<To>&) {}

}  // namespace nvmlkit::nvml::detail
