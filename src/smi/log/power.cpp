// Power draws, limits, smoothing and profiles.
#include "smi/log/row.hpp"
#include "smi/log/samples.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Device;
using nvml::FieldId;
using nvml::PowerScope;

constexpr auto kGpuScope = PowerScope::gpu, kModule = PowerScope::module, kMemoryScope = PowerScope::memory,
               kBase = PowerScope::gpu_base;

template <FieldId id, PowerScope scope>
std::string power_field(const Gpu& gpu) {
  const auto milliwatts = number_of(gpu.field(id, static_cast<unsigned>(scope)));
  return milliwatts ? watts(static_cast<long long>(*milliwatts)) : gpu.failure(milliwatts.error());
}

using Limits = Device::PowerManagementLimitConstraints;
constexpr Read kMinLimit = show<&Device::power_management_limit_constraints, &Limits::min_limit>;
constexpr Read kMaxLimit = show<&Device::power_management_limit_constraints, &Limits::max_limit>;

// Who may not see the settings gets one line.
std::string smoothing(const Gpu& gpu) {
  const auto enabled = number_of(gpu.field(FieldId::pwr_smoothing_enabled));
  return enabled ? text_of(gpu, *enabled != 0) : gpu.failure(enabled.error());
}

// Names as `-q` writes them; a profile without a name has its number.
std::string profile_names(const nvml::WorkloadPowerProfileMask& profiles) {
  constexpr const char* kNames[] = {"Max-P", "Max-Q", "Compute", "Memory Bound", "Network", "Balanced"};
  std::string text;
  for (unsigned i = 0; i < 32 * profiles.mask.size(); ++i)
    if ((profiles.mask[i / 32] >> i % 32 & 1) != 0)
      text += (text.empty() ? "" : ", ") + (i < std::size(kNames) ? std::string(kNames[i]) : std::to_string(i));
  return text.empty() ? "None" : text;
}

template <auto member>
std::string profiles(const Gpu& gpu) {
  return shown_as<&Gpu::power_profiles, member>(gpu, profile_names);
}

std::string edpp(const Gpu& gpu) {
  const auto percent = number_of(gpu.field(FieldId::dev_edpp_multiplier));
  return percent ? fmt::format("{}.00%", *percent) : gpu.failure(percent.error());
}

std::string adaptive_base(const Gpu& gpu) {
  const auto mode = gpu->adaptive_tgp_mode();
  if (!mode) return gpu.failure(mode.error());
  return mode->enabled ? text_of(gpu, mode->adjusted_limit) : "N/A";
}

// 550 got the two draws with a later release, 570 with its second.
constexpr Versions kTwoDraws{.first = {{550, 163}, {551, 0}}, .second = {.since = {570, 100}}};
constexpr Versions kOneDraw{.first = {.before = {550, 163}}, .second = {{551, 0}, {570, 100}}};
constexpr Sections kPower = Section::kLog | Section::kPower;

// clang-format off
constexpr Row kPowerRows[] = {
    {1, "GPU Power Readings", "gpu_power_readings", nullptr, kAlways, nullptr, kPower},
    {2, "", "power_state", show<&Device::power_state>, before(590)},
    {2, "", "power_state", deprecated, from(590)},
    {2, "Power Draw", "power_draw", show<&Device::power_usage>, kOneDraw},
    {2, "Average Power Draw", "average_power_draw", power_field<FieldId::dev_power_average, kGpuScope>, kTwoDraws},
    {2, "Instantaneous Power Draw", "instant_power_draw", power_field<FieldId::dev_power_instant, kGpuScope>, kTwoDraws},
    {2, "GPU Ceiling Power Limit", "gpu_ceiling_power_limit", nullptr, from(615)},
    {3, "Current Power Limit", "current_power_limit", show<&Device::enforced_power_limit>},
    {3, "Requested Power Limit", "requested_power_limit", show<&Device::power_management_limit>},
    {3, "Default Power Limit", "default_power_limit", show<&Device::power_management_default_limit>},
    {2, "GPU Base Power", "gpu_base_power", nullptr, from(615)},
    {3, "Current Base Power", "current_base_power", power_field<FieldId::dev_power_current_limit, kBase>},
    {3, "Requested Base Power", "requested_base_power", power_field<FieldId::dev_power_requested_limit, kBase>},
    {3, "Default Base Power", "default_base_power", power_field<FieldId::dev_power_default_limit, kBase>},
    {3, "Adaptive TGP Adjusted Base Power", "adaptive_tgp_adjusted_base_power", adaptive_base},
    {2, "Current Power Limit", "current_power_limit", show<&Device::enforced_power_limit>},
    {2, "Requested Power Limit", "requested_power_limit", show<&Device::power_management_limit>},
    {2, "Default Power Limit", "default_power_limit", show<&Device::power_management_default_limit>},
    {2, "Min Power Limit", "min_power_limit", kMinLimit},
    {2, "Max Power Limit", "max_power_limit", kMaxLimit},
    {.depth = 1, .label = "Power Samples", .element = "", .sections = Section::kPower, .lines = sample_lines<nvml::SamplingType::total_power>},
    {1, "GPU Memory Power Readings ", "gpu_memory_power_readings", nullptr, from(550), nullptr, kPower},
    {2, "Power Draw", "power_draw", power_field<FieldId::dev_power_average, kMemoryScope>, kOneDraw},
    {2, "Average Power Draw", "average_power_draw", power_field<FieldId::dev_power_average, kMemoryScope>, kTwoDraws},
    {2, "Instantaneous Power Draw", "instant_power_draw", power_field<FieldId::dev_power_instant, kMemoryScope>, kTwoDraws},
    {1, "Module Power Readings", "module_power_readings", nullptr, kAlways, nullptr, kPower},
    {2, "", "power_state", show<&Device::power_state>, before(590)},
    {2, "", "power_state", deprecated, from(590)},
    {2, "Power Draw", "power_draw", power_field<FieldId::dev_power_average, kModule>, kOneDraw},
    {2, "Average Power Draw", "average_power_draw", power_field<FieldId::dev_power_average, kModule>, kTwoDraws},
    {2, "Instantaneous Power Draw", "instant_power_draw", power_field<FieldId::dev_power_instant, kModule>, kTwoDraws},
    {2, "Current Power Limit", "current_power_limit", power_field<FieldId::dev_power_current_limit, kModule>},
    {2, "Requested Power Limit", "requested_power_limit", power_field<FieldId::dev_power_requested_limit, kModule>},
    {2, "Default Power Limit", "default_power_limit", power_field<FieldId::dev_power_default_limit, kModule>},
    {2, "Min Power Limit", "min_power_limit", power_field<FieldId::dev_power_min_limit, kModule>},
    {2, "Max Power Limit", "max_power_limit", power_field<FieldId::dev_power_max_limit, kModule>},
    {1, "Power Smoothing", "power_smoothing", smoothing, from(570), nullptr, Section::kLog | Section::kPowerSmoothing},
    {1, "Workload Power Profiles", "power_profiles", nullptr, from(570), nullptr, Section::kLog | Section::kPowerProfiles},
    {2, "Requested Profiles", "power_profile_requested_profiles", profiles<&nvml::CurrentWorkloadPowerProfiles::requested_profiles_mask>},
    {2, "Enforced Profiles", "power_profile_enforced_profiles", profiles<&nvml::CurrentWorkloadPowerProfiles::enforced_profiles_mask>},
    {1, "EDPp Multiplier", "edpp_multiplier", edpp, from(590)},
};
// clang-format on

}  // namespace

std::span<const Row> power_rows() { return kPowerRows; }

}  // namespace nvmlkit::smi
