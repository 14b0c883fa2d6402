// Temperatures and their thresholds: degrees, or margins on chips that have a T.Limit.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::FieldId;
using nvml::TemperatureSensor;
using nvml::TemperatureThreshold;

bool has_margin(const Gpu& gpu) { return gpu.margin().has_value(); }
bool has_no_margin(const Gpu& gpu) { return !has_margin(gpu); }

template <TemperatureSensor sensor>
std::string temperature(const Gpu& gpu) {
  const auto degrees = gpu->temperature(sensor);
  return degrees ? text_of(gpu, *degrees) : gpu.failure(degrees.error());
}

template <TemperatureThreshold threshold>
std::string threshold_of(const Gpu& gpu) {
  const auto degrees = gpu->temperature_threshold(threshold);
  return degrees ? text_of(gpu, *degrees) : gpu.failure(degrees.error());
}

template <FieldId id>
std::string degrees_of(const Gpu& gpu) {
  const auto value = gpu.field(id);
  if (!value) return gpu.failure(value.error());
  return fmt::format("{} C", static_cast<int>(nvml::as_double(*value)));
}

constexpr Versions kOld = before(610), kNew = from(610);
constexpr Sections kTemperature = Section::kLog | Section::kTemperature;

// clang-format off
constexpr Row kThermalRows[] = {
    {1, "Temperature", "temperature", nullptr, kAlways, nullptr, kTemperature},
    {2, "GPU Current Temp", "gpu_temp", temperature<TemperatureSensor::gpu>},
    {2, "GPU Max Temp", "gpu_temp_max", temperature<TemperatureSensor::gpu_max>, from(615)},
    {2, "GPU T.Limit Temp", "gpu_temp_tlimit", show<&Gpu::margin>, kOld},
    {2, "GPU Current T.Limit Temp", "gpu_temp_tlimit", show<&Gpu::margin>, kNew},
    {2, "GPU Shutdown Temp", "gpu_temp_max_threshold", threshold_of<TemperatureThreshold::shutdown>, kAlways, has_no_margin},
    {2, "GPU Slowdown Temp", "gpu_temp_slow_threshold", threshold_of<TemperatureThreshold::slowdown>, kAlways, has_no_margin},
    {2, "GPU Max Operating Temp", "gpu_temp_max_gpu_threshold", threshold_of<TemperatureThreshold::gpu_max>, kAlways, has_no_margin},
    {2, "GPU Shutdown T.Limit Temp", "gpu_temp_max_tlimit_threshold", degrees_of<FieldId::dev_temperature_shutdown_tlimit>, kAlways, has_margin},
    {2, "GPU Slowdown T.Limit Temp", "gpu_temp_slow_tlimit_threshold", degrees_of<FieldId::dev_temperature_slowdown_tlimit>, kAlways, has_margin},
    {2, "GPU Max Operating T.Limit Temp", "gpu_temp_max_gpu_tlimit_threshold", degrees_of<FieldId::dev_temperature_gpu_max_tlimit>, kAlways, has_margin},
    {2, "GPU Target Temperature", "gpu_target_temperature", threshold_of<TemperatureThreshold::acoustic_curr>, kOld},
    {2, "GPU Target Temperature Specification", "gpu_target_temperature", threshold_of<TemperatureThreshold::acoustic_curr>, kNew},
    {2, "Memory Current Temp", "memory_temp", degrees_of<FieldId::dev_memory_temp>},
    {2, "Memory Max Operating Temp", "gpu_temp_max_mem_threshold", threshold_of<TemperatureThreshold::mem_max>, kAlways, has_no_margin},
    {2, "Memory Max Operating T.Limit Temp", "gpu_temp_max_mem_tlimit_threshold", degrees_of<FieldId::dev_temperature_mem_max_tlimit>, kAlways, has_margin},
    {1, "Supported GPU_TARGET_TEMP", "", nullptr, kAlways, nullptr, Section::kTargetTemperature},
    {2, "Min", "", threshold_of<TemperatureThreshold::acoustic_min>},
    {2, "Max", "", threshold_of<TemperatureThreshold::acoustic_max>},
    {1, "", "supported_gpu_target_temp"},
    {2, "", "gpu_target_temp_min", threshold_of<TemperatureThreshold::acoustic_min>},
    {2, "", "gpu_target_temp_max", threshold_of<TemperatureThreshold::acoustic_max>},
};
// clang-format on

}  // namespace

std::span<const Row> thermal_rows() { return kThermalRows; }

}  // namespace nvmlkit::smi
