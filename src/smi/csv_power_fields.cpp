// The fields of --query-gpu about power.
#include <fmt/format.h>

#include "smi/csv_fields.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::FieldId;

std::string power_management(const Gpu& gpu) {
  const auto mode = gpu->power_management_mode();
  return mode ? text_of(gpu, *mode) : gpu.failure(mode.error());
}

template <nvml::FieldId id>
std::string power_of(const Gpu& gpu) {
  const auto milliwatts = number_of(gpu.field(id));
  return milliwatts ? watts(static_cast<long long>(*milliwatts)) : gpu.failure(milliwatts.error());
}

// The readings of power smoothing: settings of the GPU, of the profile in force, and of the administrator. A driver
// that lacks the number of a field refuses it.
std::string smoothing_failure(const Gpu& gpu, const nvml::Failure& failure) {
  return failure == nvml::Errc::invalid_argument ? "N/A" : gpu.failure(failure);
}

std::string smoothing_value(const Gpu& gpu, FieldId id, unsigned scope, const char* unit) {
  const auto value = gpu.field(id, scope);
  if (!value) return smoothing_failure(gpu, value.error());
  return fmt::format("{:.2f}{}", nvml::as_double(*value), unit);
}

template <FieldId id>
std::string smoothing_watts(const Gpu& gpu) {
  return smoothing_value(gpu, id, 0, " W");
}
template <FieldId id>
std::string smoothing_milliseconds(const Gpu& gpu) {
  return smoothing_value(gpu, id, 0, " ms");
}
template <FieldId id>
std::string smoothing_number(const Gpu& gpu) {
  return smoothing_value(gpu, id, 0, "");
}
template <FieldId id>
std::string smoothing_flag(const Gpu& gpu) {
  const auto flag = number_of(gpu.field(id));
  return flag ? (*flag != 0 ? "Yes" : "No") : smoothing_failure(gpu, flag.error());
}

template <FieldId id>
std::string profile_value(const Gpu& gpu, const char* unit) {
  const auto active = number_of(gpu.field(FieldId::pwr_smoothing_active_preset_profile));
  return active ? smoothing_value(gpu, id, static_cast<unsigned>(*active), unit)
                : smoothing_failure(gpu, active.error());
}
template <FieldId id>
std::string profile_watts(const Gpu& gpu) {
  return profile_value<id>(gpu, " W");
}
template <FieldId id>
std::string profile_number(const Gpu& gpu) {
  return profile_value<id>(gpu, "");
}

// nvidia-smi 595 has the fields of power smoothing no more. Of 580, the list of 580.159.04 is known.
constexpr Versions kSince590 = from(590), kSmoothing = between(580, 595), kSince580 = from(580);

// clang-format off
constexpr CsvField kPowerFields[] = {
    {.name = "power.management", .value = power_management, .versions = before(590)},
    {.name = "power.management", .value = deprecated, .versions = kSince590},
    {.name = "power.draw", .unit = "W", .value = show<&nvml::Device::power_usage>},
    {.name = "power.draw.average", .other_name = "gpu.power.draw.average", .unit = "W", .value = power_of<nvml::FieldId::dev_power_average>},
    {.name = "power.draw.instant", .other_name = "gpu.power.draw.instant", .unit = "W", .value = power_of<nvml::FieldId::dev_power_instant>},
    {.name = "power.limit", .other_name = "gpu.power.requested_limit", .unit = "W", .element = "gpu_power_readings/requested_power_limit"},
    {.name = "enforced.power.limit", .other_name = "gpu.power.current_limit", .unit = "W", .element = "gpu_power_readings/current_power_limit"},
    {.name = "power.default_limit", .other_name = "gpu.power.default_limit", .unit = "W", .element = "gpu_power_readings/default_power_limit"},
    {.name = "power.min_limit", .other_name = "gpu.power.min_limit", .unit = "W", .element = "gpu_power_readings/min_power_limit"},
    {.name = "power.max_limit", .other_name = "gpu.power.max_limit", .unit = "W", .element = "gpu_power_readings/max_power_limit"},
    {.name = "module.power.draw.average", .unit = "W", .element = "module_power_readings/average_power_draw", .versions = kSince580},
    {.name = "module.power.draw.instant", .unit = "W", .element = "module_power_readings/instant_power_draw", .versions = kSince580},
    {.name = "module.power.limit", .other_name = "module.power.requested_limit", .unit = "W", .element = "module_power_readings/requested_power_limit", .versions = kSince580},
    {.name = "module.enforced.power.limit", .other_name = "module.power.current_limit", .unit = "W", .element = "module_power_readings/current_power_limit", .versions = kSince580},
    {.name = "module.power.default_limit", .unit = "W", .element = "module_power_readings/default_power_limit", .versions = kSince580},
    {.name = "module.power.min_limit", .unit = "W", .element = "module_power_readings/min_power_limit", .versions = kSince580},
    {.name = "module.power.max_limit", .unit = "W", .element = "module_power_readings/max_power_limit", .versions = kSince580},
    {.name = "edpp_multiplier", .unit = "%", .element = "edpp_multiplier", .versions = kSince590},
    {.name = "power_smoothing.delayed_power_smoothing_supported", .value = smoothing_flag<FieldId::pwr_smoothing_delayed_pwr_smoothing_supported>, .versions = kSmoothing},
    {.name = "power_smoothing.primary_power_floor", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_primary_power_floor>, .versions = kSmoothing},
    {.name = "power_smoothing.secondary_power_floor", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_secondary_power_floor>, .versions = kSmoothing},
    {.name = "power_smoothing.min_primary_floor_activation_offset", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_min_primary_floor_act_offset>, .versions = kSmoothing},
    {.name = "power_smoothing.min_primary_floor_activation_point", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_min_primary_floor_act_point>, .versions = kSmoothing},
    {.name = "power_smoothing.window_multiplier", .unit = "ms", .value = smoothing_milliseconds<FieldId::pwr_smoothing_window_multiplier>, .versions = kSmoothing},
    {.name = "power_smoothing.curr_profile.secondary_power_floor", .unit = "W", .value = profile_watts<FieldId::pwr_smoothing_profile_secondary_power_floor>, .versions = kSmoothing},
    {.name = "power_smoothing.curr_profile.primary_floor_act_window_multiplier", .value = profile_number<FieldId::pwr_smoothing_profile_primary_floor_act_win_mult>, .versions = kSmoothing},
    {.name = "power_smoothing.curr_profile.primary_floor_tar_window_multiplier", .value = profile_number<FieldId::pwr_smoothing_profile_primary_floor_tar_win_mult>, .versions = kSmoothing},
    {.name = "power_smoothing.curr_profile.primary_floor_act_offset", .unit = "W", .value = profile_watts<FieldId::pwr_smoothing_profile_primary_floor_act_offset>, .versions = kSmoothing},
    {.name = "power_smoothing.admin_override.secondary_power_floor", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_admin_override_secondary_power_floor>, .versions = kSmoothing},
    {.name = "power_smoothing.admin_override.primary_floor_act_window_multiplier", .value = smoothing_number<FieldId::pwr_smoothing_admin_override_primary_floor_act_win_mult>, .versions = kSmoothing},
    {.name = "power_smoothing.admin_override.primary_floor_tar_window_multiplier", .value = smoothing_number<FieldId::pwr_smoothing_admin_override_primary_floor_tar_win_mult>, .versions = kSmoothing},
    {.name = "power_smoothing.admin_override.primary_floor_act_offset", .unit = "W", .value = smoothing_watts<FieldId::pwr_smoothing_admin_override_primary_floor_act_offset>, .versions = kSmoothing},
};
// clang-format on

}  // namespace

std::span<const CsvField> csv_power_fields() { return kPowerFields; }

}  // namespace nvmlkit::smi
