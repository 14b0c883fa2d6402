// Copies model fields into the caller's memory. An absent field is Not Supported.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "nvmlkit/generated/abi.hpp"
#include "sim/model/field.hpp"

namespace nvmlkit::driver {

// Has the GPU the field, or does its list have an element?
template <class T>
bool is_present(const T& field) {
  if constexpr (requires { field.span(); })
    return !field.span().empty();
  else
    return field.present;
}

template <class T, class Out>
abi::nvmlReturn_t read(const sim::model::Field<T>& field, Out* out) {
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  *out = static_cast<Out>(*field);
  return abi::NVML_SUCCESS;
}

// What time moves is read with a telemetry::Reading.
template <class T, auto Id, class Out>
abi::nvmlReturn_t read(const sim::model::LiveField<T, Id>& field, Out* out) = delete;

// Copies a text and its NUL, or nothing when it does not fit.
inline abi::nvmlReturn_t write_text(std::string_view text, char* buffer, unsigned int length) {
  if (length < text.size() + 1) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  return abi::NVML_SUCCESS;
}

template <std::size_t N>
abi::nvmlReturn_t read(const sim::model::Field<sim::model::Text<N>>& field, char* buffer, unsigned int length) {
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  return write_text(field->view(), buffer, length);
}

// The count-then-fill protocol: a caller whose count is too small learns the right one.
template <class Item, class Out, class Convert>
abi::nvmlReturn_t fill(std::span<const Item> items, unsigned int* count, Out* out, Convert convert) {
  const auto needed = static_cast<unsigned int>(items.size());
  const auto room = *count;
  if (needed == 0) {
    *count = 0;
    return abi::NVML_SUCCESS;
  }
  if (room < needed) {
    *count = needed;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  }
  if (!out) return abi::NVML_ERROR_INVALID_ARGUMENT;
  *count = needed;
  for (const auto& item : items) *out++ = convert(item);
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
