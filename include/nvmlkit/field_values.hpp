// Field values: many readings of one GPU in one call, each with its own status.
#pragma once

#include <chrono>
#include <cstdint>
#include <nvmlkit/generated/field_id.hpp>
#include <nvmlkit/result.hpp>
#include <string>
#include <variant>

namespace nvmlkit::nvml {

// "NVML_FI_DEV_MEMORY_TEMP".
std::string to_string(FieldId id);

// A field that this version does not know yet: the id goes to the driver as it is, untranslated.
FieldId raw_field_id(unsigned int wire) noexcept;

// What is asked for. `scope` is the link, the power scope or whatever else the field counts by; 0 where it has none.
struct FieldQuery {
  FieldId id;
  unsigned int scope = 0;
};

// Whatever the driver answers with; all its widths of one kind are one.
using FieldNumber = std::variant<std::uint64_t, std::int64_t, double>;

// Any FieldNumber as a floating-point number.
inline double as_double(const FieldNumber& number) noexcept {
  double value = 0;
  if (const auto* u = std::get_if<std::uint64_t>(&number)) value = static_cast<double>(*u);
  if (const auto* i = std::get_if<std::int64_t>(&number)) value = static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&number)) value = *d;
  return value;
}

struct FieldValue {
  FieldQuery query;
  Result<FieldNumber> value;            // fails by itself: not_supported, and what else the field may answer
  std::chrono::microseconds timestamp;  // when it was read, since the epoch; 0 when the driver does not say
  std::chrono::microseconds latency;    // how long reading it took
};

}  // namespace nvmlkit::nvml
