#include "driver/nvml/field_values.hpp"

#include "driver/nvml/field_numbering.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {

// The call succeeds; every entry has its own result.
nvmlReturn_t DeviceGetFieldValues(const Machine& machine, const Gpu& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::telemetry::Reading now(machine, gpu);
  const auto timestamp = static_cast<long long>(sim::unix_us(machine, now.at_ns()));
  const auto& version = machine.system().driver_version;
  const auto& numbering = numbering_of(version ? version->view() : std::string_view());
  for (int i = 0; i < valuesCount; ++i) {
    auto& value = values[i];
    value.timestamp = timestamp;
    value.latencyUsec = 0;
    value.nvmlReturn = read_field_value(&gpu, now, numbering.todays(value.fieldId), value.scopeId, value);
  }
  return NVML_SUCCESS;
}

// Only counters of NVLink errors can be cleared; each entry says whether it is one.
nvmlReturn_t DeviceClearFieldValues(const Machine& machine, const Gpu& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::telemetry::Reading now(machine, gpu);
  const auto& version = machine.system().driver_version;
  const auto& numbering = numbering_of(version ? version->view() : std::string_view());
  for (int i = 0; i < valuesCount; ++i) {
    auto& value = values[i];
    nvmlFieldValue_t known{};
    const auto result = read_field_value(&gpu, now, numbering.todays(value.fieldId), value.scopeId, known);
    value.nvmlReturn = result == NVML_ERROR_INVALID_ARGUMENT ? result : NVML_ERROR_NOT_SUPPORTED;
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
