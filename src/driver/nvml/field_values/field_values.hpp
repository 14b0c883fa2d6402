// Writes one field value into nvmlFieldValue_t.
#pragma once

#include "nvmlkit/generated/abi.hpp"
#include "sim/generated/model.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver {

// Generated from registry/semantics/values/field_values.yaml.
abi::nvmlReturn_t read_field_value(const sim::model::Gpu* gpu, const sim::telemetry::Reading& now, unsigned int id,
                                   unsigned int scope, abi::nvmlFieldValue_t& out);

// Does the field, in the numbering of the machine's driver, hold what repairs the GPU: a reset, a reboot, draining?
bool is_of_recovery(const sim::Machine& machine, unsigned int id);

// Stores the value that a function of this header wrote as the registry has it, with the type for every result.
abi::nvmlReturn_t typed(abi::nvmlValueType_t type, abi::nvmlReturn_t result, abi::nvmlFieldValue_t& out);

template <class T, auto Id>
abi::nvmlReturn_t put_uint(const sim::model::LiveField<T, Id>& field, abi::nvmlFieldValue_t& out) = delete;

abi::nvmlReturn_t retired_pages(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t bank_remapper(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t remapped_rows(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t ecc_counter(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                              abi::nvmlFieldValue_t& out);

// Those that need more than a field: parameters of the preset profile that the scope names, and what only some GPUs
// have.
// Is the field one of power smoothing, which other users than root may not read on a GPU that has it?
bool is_of_power_smoothing(unsigned int id);
bool smooths_power(const sim::model::Gpu& gpu);
abi::nvmlReturn_t power_smoothing_profiles(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                           abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t power_smoothing_parameter(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                            abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t nvlink_low_power(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                   abi::nvmlFieldValue_t& out);

// Can the values of the field be set to zero? All errors of the link that the id or the scope names go together.
bool counts_nvlink_errors(unsigned int id);
void clear_nvlink_errors(const sim::Machine& machine, sim::model::Gpu& gpu, unsigned int id, unsigned int scope);

// How long one reason held the clocks down, in nanoseconds.
abi::nvmlReturn_t event_reason_time(const sim::model::Gpu& gpu, const sim::telemetry::Reading& now, unsigned int id,
                                    unsigned int scope, abi::nvmlFieldValue_t& out);
// The time of thermal throttling, from the violation status.
abi::nvmlReturn_t thermal_violation(const sim::model::Gpu& gpu, const sim::telemetry::Reading& now, unsigned int id,
                                    unsigned int scope, abi::nvmlFieldValue_t& out);

// NVLink: of the link that the id or the scope names, or of all.
abi::nvmlReturn_t nvlink_field(const sim::model::Gpu& gpu, const sim::telemetry::Reading& now, unsigned int id,
                               unsigned int scope, abi::nvmlFieldValue_t& out);
abi::nvmlReturn_t c2c_field(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                            abi::nvmlFieldValue_t& out);

inline abi::nvmlReturn_t put_uint(unsigned int value, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
  out.value.uiVal = value;
  return abi::NVML_SUCCESS;
}

inline abi::nvmlReturn_t put_ullong(unsigned long long value, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  out.value.ullVal = value;
  return abi::NVML_SUCCESS;
}

template <class T>
abi::nvmlReturn_t put_uint(const sim::model::Field<T>& field, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  out.value.uiVal = static_cast<unsigned int>(*field);
  return abi::NVML_SUCCESS;
}

template <class T, auto Id>
abi::nvmlReturn_t put_int(const sim::model::LiveField<T, Id>& field, abi::nvmlFieldValue_t& out) = delete;

template <class T>
abi::nvmlReturn_t put_int(const sim::model::Field<T>& field, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_SIGNED_INT;
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  out.value.siVal = static_cast<int>(*field);
  return abi::NVML_SUCCESS;
}

template <class T, auto Id>
abi::nvmlReturn_t put_double(const sim::model::LiveField<T, Id>& field, abi::nvmlFieldValue_t& out) = delete;

template <class T>
abi::nvmlReturn_t put_double(const sim::model::Field<T>& field, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_DOUBLE;
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  out.value.dVal = static_cast<double>(*field);
  return abi::NVML_SUCCESS;
}

template <class T, auto Id>
abi::nvmlReturn_t put_ullong(const sim::model::LiveField<T, Id>& field, abi::nvmlFieldValue_t& out) = delete;

template <class T>
abi::nvmlReturn_t put_ullong(const sim::model::Field<T>& field, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  out.value.ullVal = static_cast<unsigned long long>(*field);
  return abi::NVML_SUCCESS;
}

template <class T, auto Id>
abi::nvmlReturn_t put_ushort(const sim::model::LiveField<T, Id>& field, abi::nvmlFieldValue_t& out) = delete;

template <class T>
abi::nvmlReturn_t put_ushort(const sim::model::Field<T>& field, abi::nvmlFieldValue_t& out) {
  out.valueType = abi::NVML_VALUE_TYPE_UNSIGNED_SHORT;
  if (!field) return abi::NVML_ERROR_NOT_SUPPORTED;
  out.value.usVal = static_cast<unsigned short>(*field);
  return abi::NVML_SUCCESS;
}

}  // namespace nvmlkit::driver
