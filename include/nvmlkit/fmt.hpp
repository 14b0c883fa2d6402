// Formatters for fmt, which a program that includes this header brings itself: quantities, flags, enums, values,
// failures. They take the format of a text: fmt::format("{:>12}", device.power_usage().value()).
#pragma once

#include <fmt/format.h>

#include <nvmlkit/text.hpp>

namespace nvmlkit::nvml::detail {

template <class T>
inline constexpr bool formatted = is_quantity<T> || is_flags<T> || NamedEnum<T> || Reflected<T>;

}  // namespace nvmlkit::nvml::detail

template <class T>
struct fmt::formatter<T, char, std::enable_if_t<nvmlkit::nvml::detail::formatted<T>>> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string>::format(nvmlkit::nvml::detail::member_text(value), context);
  }
};

template <>
struct fmt::formatter<nvmlkit::nvml::Errc> : fmt::formatter<std::string> {
  template <class Context>
  auto format(nvmlkit::nvml::Errc code, Context& context) const {
    return fmt::formatter<std::string>::format(nvmlkit::nvml::name_of(code), context);
  }
};

template <>
struct fmt::formatter<nvmlkit::nvml::Failure> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const nvmlkit::nvml::Failure& failure, Context& context) const {
    return fmt::formatter<std::string>::format(failure.message(), context);
  }
};
