// The members of a value and their kinds, for texts and JSON.
#pragma once

#include <array>
#include <chrono>
#include <nvmlkit/flags.hpp>
#include <nvmlkit/generated/values.hpp>
#include <nvmlkit/strings.hpp>
#include <nvmlkit/units.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace nvmlkit::nvml {

// A value type of NVML, which for_each_field(value, visit) walks.
template <class Value>
concept Reflected = std::is_class_v<Value> && requires(const Value& value) {
  for_each_field(value, [](const char*, const auto&) {});
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t Size>
inline constexpr bool is_list<std::array<T, Size>> = true;

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_quantity = false;
template <class Unit>
inline constexpr bool is_quantity<Quantity<Unit>> = true;

template <class T>
inline constexpr bool is_flags = false;
template <class Enum>
inline constexpr bool is_flags<Flags<Enum>> = true;

// The only union that values keep: its members have different types, and another value says which one counts.
inline unsigned long long bits_of(const abi::nvmlValue_t& value) noexcept { return value.ullVal; }

}  // namespace detail
}  // namespace nvmlkit::nvml
