#include <cmath>

#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver {
namespace {

using namespace abi;
using Parameter = sim::model::Field<double>;
using Profile = sim::model::PowerSmoothingProfile;

// The parameter that NVML_POWER_SMOOTHING_PROFILE_PARAM_* numbers; null for another number.
Parameter* parameter(Profile& profile, unsigned int number) {
  switch (number) {
    case POWER_SMOOTHING_PROFILE_PARAM_PERCENT_TMP_FLOOR:
      return &profile.percent_tmp_floor;
    case POWER_SMOOTHING_PROFILE_PARAM_RAMP_UP_RATE:
      return &profile.ramp_up_rate_mw_per_s;
    case POWER_SMOOTHING_PROFILE_PARAM_RAMP_DOWN_RATE:
      return &profile.ramp_down_rate_mw_per_s;
    case POWER_SMOOTHING_PROFILE_PARAM_RAMP_DOWN_HYSTERESIS:
      return &profile.ramp_down_hysteresis_ms;
    case POWER_SMOOTHING_PROFILE_PARAM_SECONDARY_POWER_FLOOR:
      return &profile.secondary_power_floor_w;
    case POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_ACT_WIN_MULT:
      return &profile.primary_floor_activation_window_multiplier;
    case POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_TAR_WIN_MULT:
      return &profile.primary_floor_target_window_multiplier;
    case POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_ACT_OFFSET:
      return &profile.primary_floor_activation_offset_w;
    default:
      return nullptr;
  }
}

unsigned int parameter_of_field(unsigned int id) {
  switch (id) {
    case FI_PWR_SMOOTHING_PROFILE_PERCENT_TMP_FLOOR:
      return POWER_SMOOTHING_PROFILE_PARAM_PERCENT_TMP_FLOOR;
    case FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE:
      return POWER_SMOOTHING_PROFILE_PARAM_RAMP_UP_RATE;
    case FI_PWR_SMOOTHING_PROFILE_RAMP_DOWN_RATE:
      return POWER_SMOOTHING_PROFILE_PARAM_RAMP_DOWN_RATE;
    case FI_PWR_SMOOTHING_PROFILE_RAMP_DOWN_HYST_VAL:
      return POWER_SMOOTHING_PROFILE_PARAM_RAMP_DOWN_HYSTERESIS;
    case FI_PWR_SMOOTHING_PROFILE_SECONDARY_POWER_FLOOR:
      return POWER_SMOOTHING_PROFILE_PARAM_SECONDARY_POWER_FLOOR;
    case FI_PWR_SMOOTHING_PROFILE_PRIMARY_FLOOR_ACT_WIN_MULT:
      return POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_ACT_WIN_MULT;
    case FI_PWR_SMOOTHING_PROFILE_PRIMARY_FLOOR_TAR_WIN_MULT:
      return POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_TAR_WIN_MULT;
    default:
      return POWER_SMOOTHING_PROFILE_PARAM_PRIMARY_FLOOR_ACT_OFFSET;
  }
}

}  // namespace

bool is_of_power_smoothing(unsigned int id) {
  return (id >= FI_PWR_SMOOTHING_ENABLED && id <= FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_DOWN_HYST_VAL) ||
         (id >= FI_PWR_SMOOTHING_PRIMARY_POWER_FLOOR &&
          id <= FI_PWR_SMOOTHING_ADMIN_OVERRIDE_PRIMARY_FLOOR_ACT_OFFSET) ||
         id == FI_PWR_SMOOTHING_SOC_POWER_SMOOTHING_ENABLED;
}

bool smooths_power(const sim::model::Gpu& gpu) {
  return sim::has(gpu, sim::Trait::power_smoothing) || gpu.power_smoothing.state;
}

nvmlReturn_t power_smoothing_profiles(const sim::model::Gpu& gpu, unsigned int, unsigned int, nvmlFieldValue_t& out) {
  if (!gpu.power_smoothing.state) return NVML_ERROR_NOT_SUPPORTED;
  out.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  out.value.uiVal = static_cast<unsigned int>(gpu.power_smoothing.profiles.span().size());
  return NVML_SUCCESS;
}

nvmlReturn_t power_smoothing_parameter(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope,
                                       nvmlFieldValue_t& out) {
  const auto profiles = gpu.power_smoothing.profiles.span();
  if (!gpu.power_smoothing.state) return NVML_ERROR_NOT_SUPPORTED;
  if (scope >= profiles.size()) return NVML_ERROR_INVALID_ARGUMENT;
  auto profile = profiles[scope];
  const auto& value = *parameter(profile, parameter_of_field(id));
  if (!value) return NVML_ERROR_NOT_SUPPORTED;
  out.valueType = NVML_VALUE_TYPE_DOUBLE;
  out.value.dVal = *value;
  return NVML_SUCCESS;
}

namespace functions {

nvmlReturn_t DevicePowerSmoothingActivatePresetProfile(const Machine&, Gpu& gpu, nvmlPowerSmoothingProfile_t* profile) {
  auto& smoothing = gpu.power_smoothing;
  if (!smoothing.state) return NVML_ERROR_NOT_SUPPORTED;
  if (profile->profileId >= smoothing.profiles.span().size()) return NVML_ERROR_INVALID_ARGUMENT;
  smoothing.active_profile = profile->profileId;
  return NVML_SUCCESS;
}

nvmlReturn_t DevicePowerSmoothingUpdatePresetProfileParam(const Machine&, Gpu& gpu,
                                                          nvmlPowerSmoothingProfile_t* profile) {
  auto& smoothing = gpu.power_smoothing;
  if (!smoothing.state) return NVML_ERROR_NOT_SUPPORTED;
  const auto profiles = smoothing.profiles.span();
  if (profile->profileId >= profiles.size()) return NVML_ERROR_INVALID_ARGUMENT;
  auto* value = parameter(profiles[profile->profileId], profile->paramId);
  if (!value || !std::isfinite(profile->value) || profile->value < 0) return NVML_ERROR_INVALID_ARGUMENT;
  if (profile->paramId == POWER_SMOOTHING_PROFILE_PARAM_PERCENT_TMP_FLOOR &&
      (profile->value < smoothing.min_percent_tmp_floor.value_or(0) ||
       profile->value > smoothing.max_percent_tmp_floor.value_or(100)))
    return NVML_ERROR_INVALID_ARGUMENT;
  return set_present(*value, profile->value);
}

nvmlReturn_t DevicePowerSmoothingSetState(const Machine&, Gpu& gpu, nvmlPowerSmoothingState_t* state) {
  if (state->state != NVML_FEATURE_DISABLED && state->state != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  return set_present(gpu.power_smoothing.state, state->state);
}

}  // namespace functions
}  // namespace nvmlkit::driver
