// NVML's tagged union as a variant.
#pragma once

#include <nvmlkit/field_values.hpp>
#include <nvmlkit/generated/abi.hpp>

namespace nvmlkit::nvml::detail {

// A type that this version does not know is malformed_answer: its valid member is unknown.
Result<FieldNumber> decode(abi::nvmlValueType_t type, const abi::nvmlValue_t& value, const char* function);

}  // namespace nvmlkit::nvml::detail
