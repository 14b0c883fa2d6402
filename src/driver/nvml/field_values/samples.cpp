// Samples: values that a driver records at regular times. They are computed from the GPU's past phases.
#include <algorithm>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::telemetry::Reading;

struct Buffer {
  std::int64_t period_ns;
  unsigned int size;
};

constexpr Buffer kPowerBuffer{20'000'000, 119};  // 2.4 s
constexpr unsigned int kUtilizationSamples = 99;

// Calls `use(field)` with the field that samples of the type show; false for a type that has none.
template <class Use>
bool with_field(const Gpu& gpu, nvmlSamplingType_t type, Use use) {
  const auto& u = gpu.utilization;
  switch (type) {
    case NVML_TOTAL_POWER_SAMPLES:
      gpu.power.instant_draw_mw ? use(gpu.power.instant_draw_mw) : use(gpu.power.current_draw_mw);
      return true;
    case NVML_MODULE_POWER_SAMPLES:
      return use(gpu.module_power.instant_draw_mw), true;
    case NVML_GPU_UTILIZATION_SAMPLES:
      return use(u.gpu), true;
    case NVML_MEMORY_UTILIZATION_SAMPLES:
      return use(u.memory), true;
    case NVML_ENC_UTILIZATION_SAMPLES:
      return use(u.encoder), true;
    case NVML_DEC_UTILIZATION_SAMPLES:
      return use(u.decoder), true;
    case NVML_JPG_UTILIZATION_SAMPLES:
      return use(u.jpeg), true;
    case NVML_OFA_UTILIZATION_SAMPLES:
      return use(u.ofa), true;
    case NVML_PROCESSOR_CLK_SAMPLES:
      return use(gpu.clocks.sm_current), true;
    case NVML_MEMORY_CLK_SAMPLES:
      return use(gpu.clocks.memory_current), true;
    default:
      return false;
  }
}

Buffer buffer_of(const Gpu& gpu, nvmlSamplingType_t type) {
  if (type == NVML_TOTAL_POWER_SAMPLES || type == NVML_MODULE_POWER_SAMPLES) return kPowerBuffer;
  const auto period_us =
      std::clamp<std::int64_t>(gpu.utilization.sampling_period_us.value_or(167'000), 1000, 10'000'000);
  return {period_us * 1000, kUtilizationSamples};
}

}  // namespace

// Of more samples than there is room for, the newest.
nvmlReturn_t DeviceGetSamples(const Machine& machine, const Gpu& gpu, nvmlSamplingType_t type,
                              unsigned long long lastSeenTimeStamp, nvmlValueType_t* sampleValType,
                              unsigned int* sampleCount, nvmlSample_t* samples) {
  if (samples && *sampleCount == 0) return NVML_ERROR_INVALID_ARGUMENT;
  bool present = false;
  if (!with_field(gpu, type, [&](const auto& field) { present = field.present; }) || !present)
    return type == NVML_MODULE_POWER_SAMPLES ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
  const bool of_clocks = type == NVML_PROCESSOR_CLK_SAMPLES || type == NVML_MEMORY_CLK_SAMPLES;
  if (of_clocks && sim::is_from(gpu, sim::model::Architecture::hopper)) {  // room for some, and none is recorded
    if (samples) return NVML_ERROR_NOT_FOUND;
    *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
    *sampleCount = 100;
    return NVML_SUCCESS;
  }
  const auto buffer = buffer_of(gpu, type);
  const auto newest = sim::now_ns(machine) / buffer.period_ns;  // samples lie at whole periods, for every process
  const auto timestamp = [&](unsigned int age) { return sim::unix_us(machine, (newest - age) * buffer.period_ns); };
  unsigned int available = 0;
  while (available < buffer.size && timestamp(available) > lastSeenTimeStamp) ++available;
  if (available == 0) return NVML_ERROR_NOT_FOUND;
  *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  if (!samples) {
    *sampleCount = available;
    return NVML_SUCCESS;
  }
  *sampleCount = std::min(available, *sampleCount);
  for (unsigned int i = 0; i < *sampleCount; ++i) {
    const auto age = *sampleCount - 1 - i;
    const Reading then(machine, gpu, (newest - age) * buffer.period_ns);
    samples[i] = {};
    samples[i].timeStamp = timestamp(age);
    with_field(gpu, type,
               [&](const auto& field) { samples[i].sampleValue.uiVal = static_cast<unsigned int>(*then(field)); });
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
