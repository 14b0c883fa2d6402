// Texts of values, for logs: {total: 85899345920 B, reserved: none, ...}
#pragma once

#include <charconv>
#include <cstdint>
#include <nvmlkit/reflect.hpp>

namespace nvmlkit::nvml {

template <Reflected Value>
std::string to_string(const Value& value);

namespace detail {

inline std::string duration_text(std::int64_t count, std::intmax_t num, std::intmax_t den) {
  const char* unit = den == 1'000'000'000 ? " ns" : den == 1'000'000 ? " us" : den == 1000 ? " ms" : " s";
  return std::to_string(count * (den == 1 ? num : 1)) + unit;
}

inline std::string hexadecimal(std::uintptr_t number) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr);
}

template <class T>
std::string member_text(const T& member) {
  if constexpr (is_optional<T>) {
    return member ? member_text(*member) : "none";
  } else if constexpr (is_list<T>) {
    std::string text;
    for (const auto& each : member) text += (text.empty() ? "" : ", ") + member_text(each);
    return '[' + text + ']';
  } else if constexpr (std::is_same_v<T, std::string>) {
    return member;
  } else if constexpr (std::is_same_v<T, bool>) {
    return member ? "true" : "false";
  } else if constexpr (std::is_same_v<T, Errc>) {
    return name_of(member);
  } else if constexpr (is_duration<T>) {
    return duration_text(member.count(), T::period::num, T::period::den);
  } else if constexpr (std::is_pointer_v<T>) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(member));
  } else if constexpr (std::is_same_v<T, abi::nvmlValue_t>) {
    return std::to_string(bits_of(member));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(member);
  } else {
    return to_string(member);
  }
}

}  // namespace detail

template <Reflected Value>
std::string to_string(const Value& value) {
  std::string text;
  for_each_field(value, [&](const char* name, const auto& member) {
    text += (text.empty() ? "" : ", ") + std::string(name) + ": " + detail::member_text(member);
  });
  return '{' + text + '}';
}

}  // namespace nvmlkit::nvml
