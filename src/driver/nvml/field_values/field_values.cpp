#include "driver/nvml/field_values/field_values.hpp"

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/field_values/numbering.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver {

using namespace abi;

namespace {

const FieldNumbering& numbering_in(const sim::Machine& machine) {
  const auto& version = machine.system().driver_version;
  return numbering_of(version ? version->view() : std::string_view());
}

void store(double value, nvmlFieldValue_t& out) { out.value.dVal = value; }
void store(unsigned long long value, nvmlFieldValue_t& out) {
  if (out.valueType == NVML_VALUE_TYPE_UNSIGNED_SHORT)
    out.value.usVal = static_cast<unsigned short>(value);
  else if (out.valueType == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG)
    out.value.ullVal = value;
  else
    out.value.uiVal = static_cast<unsigned int>(value);
}

unsigned long long whole(const nvmlFieldValue_t& value) {
  if (value.valueType == NVML_VALUE_TYPE_DOUBLE) return static_cast<unsigned long long>(value.value.dVal);
  return value.valueType == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG ? value.value.ullVal : value.value.uiVal;
}

}  // namespace

nvmlReturn_t typed(nvmlValueType_t type, nvmlReturn_t result, nvmlFieldValue_t& out) {
  if (result == NVML_SUCCESS && out.valueType != type) {
    const auto found = out;
    out.valueType = type;
    type == NVML_VALUE_TYPE_DOUBLE ? store(static_cast<double>(whole(found)), out) : store(whole(found), out);
  }
  out.valueType = type;
  return result;
}

bool is_of_recovery(const sim::Machine& machine, unsigned int id) {
  const auto known = static_cast<int>(numbering_in(machine).todays(id));
  return known == abi::FI_DEV_RESET_STATUS || known == abi::FI_DEV_DRAIN_AND_RESET_STATUS ||
         known == abi::FI_DEV_GET_GPU_RECOVERY_ACTION;
}

namespace functions {

// The call succeeds; every entry has its own result.
nvmlReturn_t DeviceGetFieldValues(const Machine& machine, const Gpu& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0 || !values) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::telemetry::Reading now(machine, gpu);
  const auto timestamp = static_cast<long long>(sim::unix_us(machine, now.at_ns()));
  const auto& numbering = numbering_in(machine);
  for (int i = 0; i < valuesCount; ++i) {
    auto& value = values[i];
    const auto id = numbering.todays(value.fieldId);
    const bool hidden = is_of_power_smoothing(id) && smooths_power(gpu) && !is_privileged(machine);
    value.nvmlReturn = hidden ? NVML_ERROR_NO_PERMISSION : read_field_value(&gpu, now, id, value.scopeId, value);
    if (value.nvmlReturn == NVML_ERROR_INVALID_ARGUMENT) continue;  // a driver leaves the rest of such a value alone
    value.timestamp = timestamp;
    value.latencyUsec = 0;
  }
  return NVML_SUCCESS;
}

namespace {

// Only counters of NVLink errors can be cleared, where the GPU has them.
nvmlReturn_t clear(const Machine& machine, const Gpu& gpu, unsigned int id, unsigned int scope) {
  nvmlFieldValue_t value{};
  const auto known = read_field_value(&gpu, sim::telemetry::Reading(machine, gpu), id, scope, value);
  if (known != NVML_SUCCESS) return known;
  if (!counts_nvlink_errors(id)) return NVML_ERROR_NOT_SUPPORTED;
  return edit_gpu(machine, gpu, [&](Gpu& changed) {
    clear_nvlink_errors(machine, changed, id, scope);
    return NVML_SUCCESS;
  });
}

}  // namespace

// The call succeeds; every entry has its own result.
nvmlReturn_t DeviceClearFieldValues(const Machine& machine, const Gpu& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& numbering = numbering_in(machine);
  for (int i = 0; i < valuesCount; ++i)
    values[i].nvmlReturn = clear(machine, gpu, numbering.todays(values[i].fieldId), values[i].scopeId);
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
