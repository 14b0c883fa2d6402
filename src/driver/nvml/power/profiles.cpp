// Workload power profiles, PowerMizer, RUSD: hints to the driver, which stay until they are withdrawn.
#include <algorithm>
#include <iterator>

#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

using Profiles = sim::model::WorkloadPowerProfiles;
using Profile = sim::model::WorkloadPowerProfile;

// Numbers are below 255; those of a damaged state file stay within the mask.
bool has(const nvmlMask255_t& mask, unsigned int id) {
  return (mask.mask[id / 32 % std::size(mask.mask)] >> (id % 32) & 1) != 0;
}
void add(nvmlMask255_t& mask, unsigned int id) { mask.mask[id / 32 % std::size(mask.mask)] |= 1U << (id % 32); }

nvmlMask255_t supported(const Profiles& profiles) {
  nvmlMask255_t out{};
  for (const auto& profile : profiles.profiles) add(out, profile.id.value_or(0));
  return out;
}

nvmlMask255_t requested(const Profiles& profiles) {
  nvmlMask255_t out{};
  for (const auto id : profiles.requested) add(out, id);
  return out;
}

bool conflict(const Profile& a, const Profile& b) {
  const auto names = [](const Profile& profile, const Profile& other) {
    const auto ids = profile.conflicts.span();
    return std::find(ids.begin(), ids.end(), other.id.value_or(0)) != ids.end();
  };
  return names(a, b) || names(b, a);
}

// Of requested profiles that conflict the one of the lowest priority number holds.
nvmlMask255_t enforced(const Profiles& profiles) {
  const auto asked = requested(profiles);
  const auto all = profiles.profiles.span();
  nvmlMask255_t out{};
  for (const auto& profile : all) {
    if (!has(asked, profile.id.value_or(0))) continue;
    const bool beaten = std::any_of(all.begin(), all.end(), [&](const Profile& other) {
      return &other != &profile && has(asked, other.id.value_or(0)) && conflict(profile, other) &&
             other.priority.value_or(0) < profile.priority.value_or(0);
    });
    if (!beaten) add(out, profile.id.value_or(0));
  }
  return out;
}

// Requests `wanted`, of which the GPU must offer all.
nvmlReturn_t request(Profiles& profiles, const nvmlMask255_t& named, const nvmlMask255_t& wanted) {
  if (profiles.profiles.empty()) return NVML_ERROR_NOT_SUPPORTED;
  const auto offered = supported(profiles);
  for (std::size_t i = 0; i < std::size(named.mask); ++i)
    if ((named.mask[i] & ~offered.mask[i]) != 0) return NVML_ERROR_INVALID_ARGUMENT;
  profiles.requested.clear();
  for (const auto& profile : profiles.profiles)
    if (has(wanted, profile.id.value_or(0))) profiles.requested.push_back(profile.id.value_or(0));
  return NVML_SUCCESS;
}

nvmlReturn_t update(Profiles& profiles, nvmlPowerProfileOperation_t operation, const nvmlMask255_t& named) {
  auto wanted = requested(profiles);
  for (std::size_t i = 0; i < std::size(named.mask); ++i) {
    auto& word = wanted.mask[i];
    switch (operation) {
      case NVML_POWER_PROFILE_OPERATION_CLEAR:
        word &= ~named.mask[i];
        break;
      case NVML_POWER_PROFILE_OPERATION_SET:
        word |= named.mask[i];
        break;
      case NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE:
        word = named.mask[i];
        break;
      default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
  }
  return request(profiles, named, wanted);
}

}  // namespace

nvmlReturn_t DeviceWorkloadPowerProfileGetProfilesInfo(const Machine&, const Gpu& gpu,
                                                       nvmlWorkloadPowerProfileProfilesInfo_t* profilesInfo) {
  const auto& offered = gpu.workload_power_profiles;
  if (offered.profiles.empty()) return NVML_ERROR_NOT_SUPPORTED;
  profilesInfo->perfProfilesMask = supported(offered);
  for (const auto& profile : offered.profiles) {
    const auto id = profile.id.value_or(0);
    if (id >= std::size(profilesInfo->perfProfile)) continue;
    auto& info = profilesInfo->perfProfile[id];
    info = {version_tag<nvmlWorkloadPowerProfileInfo_t>, id, profile.priority.value_or(0), {}};
    for (const auto other : profile.conflicts) add(info.conflictingMask, other);
  }
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceWorkloadPowerProfileGetCurrentProfiles(const Machine&, const Gpu& gpu,
                                                          nvmlWorkloadPowerProfileCurrentProfiles_t* currentProfiles) {
  const auto& profiles = gpu.workload_power_profiles;
  if (profiles.profiles.empty()) return NVML_ERROR_NOT_SUPPORTED;
  currentProfiles->perfProfilesMask = supported(profiles);
  currentProfiles->requestedProfilesMask = requested(profiles);
  currentProfiles->enforcedProfilesMask = enforced(profiles);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceWorkloadPowerProfileSetRequestedProfiles(
    const Machine&, Gpu& gpu, nvmlWorkloadPowerProfileRequestedProfiles_t* requestedProfiles) {
  return update(gpu.workload_power_profiles, NVML_POWER_PROFILE_OPERATION_SET,
                requestedProfiles->requestedProfilesMask);
}

nvmlReturn_t DeviceWorkloadPowerProfileClearRequestedProfiles(
    const Machine&, Gpu& gpu, nvmlWorkloadPowerProfileRequestedProfiles_t* requestedProfiles) {
  return update(gpu.workload_power_profiles, NVML_POWER_PROFILE_OPERATION_CLEAR,
                requestedProfiles->requestedProfilesMask);
}

nvmlReturn_t DeviceWorkloadPowerProfileUpdateProfiles_v1(const Machine&, Gpu& gpu,
                                                         nvmlWorkloadPowerProfileUpdateProfiles_v1_t* updateProfiles) {
  return update(gpu.workload_power_profiles, updateProfiles->operation, updateProfiles->updateProfilesMask);
}

nvmlReturn_t DeviceGetPowerMizerMode_v1(const Machine&, const Gpu& gpu,
                                        nvmlDevicePowerMizerModes_v1_t* powerMizerMode) {
  const auto& mizer = gpu.power_mizer;
  if (!mizer.mode) return NVML_ERROR_NOT_SUPPORTED;
  powerMizerMode->currentMode = *mizer.mode;
  powerMizerMode->supportedPowerMizerModes = mizer.supported_modes.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetPowerMizerMode_v1(const Machine&, Gpu& gpu, nvmlDevicePowerMizerModes_v1_t* powerMizerMode) {
  auto& mizer = gpu.power_mizer;
  if (!mizer.mode) return NVML_ERROR_NOT_SUPPORTED;
  const auto mode = powerMizerMode->mode;
  if (mode >= 32 || (mizer.supported_modes.value_or(0) >> mode & 1) == 0) return NVML_ERROR_INVALID_ARGUMENT;
  mizer.mode = mode;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetRusdSettings_v1(const Machine&, Gpu& gpu, nvmlRusdSettings_v1_t* settings) {
  gpu.rusd_poll_mask = settings->pollMask;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
