// Texts of enums. Needs no driver.
#pragma once

#include <iosfwd>
#include <nvmlkit/generated/enum_names.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace nvmlkit::nvml {

struct NamedNumber {
  const char* name;
  long long number;
};

struct EnumTable {
  const char* prefix;  // "Brand", or "NVML_BRAND": what stands before a number without a name
  std::span<const NamedNumber> names;
};

std::string enum_text(const EnumTable& table, long long number);
std::optional<long long> enum_number(const EnumTable& table, std::string_view text) noexcept;
std::string flags_text(const EnumTable& table, unsigned long long bits);

// An enum that has a table of names: a scoped one, or one of the C API.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  { enum_table(value) } -> std::same_as<const EnumTable&>;
};

// "tesla", or "NVML_BRAND_TESLA" of the enum of C; "Brand(77)", "NVML_BRAND(77)" for a number that a newer driver
// brings. Of several names the first in nvml.h.
template <NamedEnum Enum>
std::string to_string(Enum value) {
  return enum_text(enum_table(value), static_cast<long long>(value));
}

// The reverse of to_string(). Empty when the text names no value of the enum.
template <NamedEnum Enum>
std::optional<Enum> from_string(std::string_view text) {
  const auto number = enum_number(enum_table(Enum{}), text);
  if (!number) return std::nullopt;
  return static_cast<Enum>(*number);
}

template <NamedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << to_string(value);
}

}  // namespace nvmlkit::nvml

namespace nvmlkit::abi {
using nvml::to_string;  // found by argument-dependent lookup
}
