// Checks that setters share.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/model.hpp"

namespace nvmlkit::driver {

// A GPU without a range cannot be set; a value outside it is refused.
template <class Value, class Limit>
abi::nvmlReturn_t check_range(Value value, const sim::model::Field<Limit>& min, const sim::model::Field<Limit>& max) {
  if (!min || !max) return abi::NVML_ERROR_NOT_SUPPORTED;
  return value >= static_cast<Value>(*min) && value <= static_cast<Value>(*max) ? abi::NVML_SUCCESS
                                                                                : abi::NVML_ERROR_INVALID_ARGUMENT;
}

// A field that the GPU lacks cannot be set.
template <class T, class Value>
abi::nvmlReturn_t set_present(sim::model::Field<T>& field, Value value) {
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  field = static_cast<T>(value);
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
