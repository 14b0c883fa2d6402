// Numbers in text: alone, or in front of a unit.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace nvmlkit::sim::text {

// The number at the beginning of a text. `rest` becomes the text after it, such as a unit.
template <class T>
std::optional<T> number_before(std::string_view text, std::string_view& rest, [[maybe_unused]] int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::floating_point<T>)
    read = std::from_chars(text.data(), end, value);
  else
    read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc()) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

// The number that is the whole text.
template <class T>
std::optional<T> number_of(std::string_view text, int base = 10) {
  std::string_view rest;
  const auto value = number_before<T>(text, rest, base);
  return rest.empty() ? value : std::nullopt;
}

// MAJOR.MINOR at the beginning of a text. `rest` becomes the text after it.
struct Version {
  std::uint32_t major = 0, minor = 0;
};
inline std::optional<Version> version_before(std::string_view text, std::string_view& rest) {
  const auto major = number_before<std::uint32_t>(text, rest);
  if (!major || !rest.starts_with('.')) return std::nullopt;
  const auto minor = number_before<std::uint32_t>(rest.substr(1), rest);
  return minor ? std::optional(Version{*major, *minor}) : std::nullopt;
}

// As 0x1f.
inline std::string hex(std::uint64_t number) {
  std::array<char, 18> out{'0', 'x'};
  return {out.data(), std::to_chars(out.data() + 2, out.data() + out.size(), number, 16).ptr};
}

}  // namespace nvmlkit::sim::text
