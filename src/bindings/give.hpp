// Converts one member of a value to one field of a C struct: the reverse of take.hpp. Returns false if it does not fit.
#pragma once

#include <array>
#include <cstring>
#include <nvmlkit/session.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "take.hpp"

namespace nvmlkit::nvml::detail {

template <class To, class From>
bool give(To& to, const From& from) {
  if constexpr (IsQuantity<From>::value) {
    if (!holds<To>(from)) return false;
    to = static_cast<To>(from.count());
  } else if constexpr (IsFlags<From>::value) {
    to = static_cast<To>(from.bits());
  } else if constexpr (std::is_arithmetic_v<From> || std::is_enum_v<From>) {
    to = static_cast<To>(from);
  } else {
    return store(to, from) == nullptr;
  }
  return true;
}

// With its terminator.
template <std::size_t Size>
bool give(char (&to)[Size], const std::string& from) {
  if (from.size() >= Size || from.find('\0') != std::string::npos) return false;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return true;
}

template <class To, class From, std::size_t Size>
bool give(To (&to)[Size], const std::array<From, Size>& from) {
  for (std::size_t i = 0; i < Size; ++i)
    if (!give(to[i], from[i])) return false;
  return true;
}

// What the caller leaves out stays 0.
template <class To, class From>
bool give(To& to, const std::optional<From>& from) {
  return !from || give(to, *from);
}

}  // namespace nvmlkit::nvml::detail
