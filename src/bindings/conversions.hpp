// Conversions from the structs that drivers fill to the results of methods, and from the arguments of setters.
#pragma once

#include <nvmlkit/abi/legacy.hpp>
#include <nvmlkit/detail/protocols.hpp>

#include "generated/value_conversions.hpp"
#include "generated/value_stores.hpp"

namespace nvmlkit::nvml::detail {

// The member of an argument that no field of the struct can hold: a number too large, a text too long.
inline Failure not_held(const char* function, const char* member) {
  return Failure(Errc::invalid_argument, function, std::string(member) + " is out of range");
}

template <class To, class From>
To value_of(const From& from) {
  To to{};
  fill(to, from);
  return to;
}

// The same where a method returns it.
template <class To, class From>
Result<To> answer_of(const From& from) {
  Result<To> to = To{};
  fill(*to, from);
  return to;
}

template <class To, class From>
std::vector<To> values_of(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) fill(to[i], from[i]);
  return to;
}

template <class To, class From>
Result<std::vector<To>> value_list(const Result<std::vector<From>>& from) {
  if (!from) return from.error();
  return values_of<To>(*from);
}

}  // namespace nvmlkit::nvml::detail
