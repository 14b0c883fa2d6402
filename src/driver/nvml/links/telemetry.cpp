// Recorded traffic of NVLinks. It is computed from the GPU's past phases, like the samples of a GPU.
#include <algorithm>

#include "driver/nvml/generated/functions.hpp"
#include "sim/links/links.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::functions {
namespace {

// No document has the period, the number or the unit of the samples: all three are chosen.
constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr unsigned int kMost = 20;
constexpr double kBytesPerUnit = 1024;

// What went over the link in each period, oldest first.
void record(const Machine& machine, const Gpu& gpu, nvmlNvlinkTelemetrySample_v1_t& slot) {
  const auto newest = sim::now_ns(machine) / kPeriodNs;
  const auto bytes_at = [&](std::int64_t period) {
    return sim::links::counts(gpu, {machine, gpu, period * kPeriodNs}, slot.linkId).bytes;
  };
  double before = bytes_at(newest - slot.sampleCount);
  for (unsigned int i = 0; i < slot.sampleCount; ++i) {
    const double after = bytes_at(newest - slot.sampleCount + i + 1);
    slot.samples[i] = static_cast<unsigned long long>(std::max(after - before, 0.0) / kBytesPerUnit);
    before = after;
  }
}

// A link sends as much as it receives.
nvmlReturn_t answer(const Machine& machine, const Gpu& gpu, nvmlNvlinkTelemetrySample_v1_t& slot) {
  if (slot.linkId >= sim::links::count(gpu) || slot.sampleType >= NVML_NVLINK_TELEMETRY_SAMPLE_TYPE_COUNT)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!sim::links::is_active(gpu, slot.linkId)) return NVML_ERROR_NOT_SUPPORTED;
  if (slot.sampleCount == 0) {
    slot.sampleCount = kMost;
    return NVML_SUCCESS;
  }
  if (!slot.samples) return NVML_ERROR_INVALID_ARGUMENT;
  slot.sampleCount = std::min(slot.sampleCount, kMost);
  record(machine, gpu, slot);
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetNvLinkTelemetrySamples_v1(const Machine& machine, const Gpu& gpu,
                                                nvmlNvlinkTelemetrySamples_v1_t* samples) {
  if (sim::links::count(gpu) == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (samples->telemetryCount == 0 || !samples->telemetrySamples) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned int i = 0; i < samples->telemetryCount; ++i) {
    auto& slot = samples->telemetrySamples[i];
    slot.nvmlReturn = answer(machine, gpu, slot);
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
