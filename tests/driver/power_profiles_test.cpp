// Power profiles, power smoothing, PowerMizer, NVLink modes, host names, CPU affinity: what they change and refuse.
#include <sched.h>

#include <cstring>
#include <string>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class PowerProfiles : public Loaded {
 protected:
  // A driver that numbers field ids as the header does.
  void start(const std::string& base, const std::string& defaults, const std::string& rest = "") {
    Loaded::start("version: \"1.0\"\nbase: " + base +
                  "\nsystem: {enforce_privilege: false, driver_version: 595.71.05}\ndevice_defaults:\n" +
                  (defaults.empty() ? "  minor_number: 0\n" : defaults) + rest);
  }

  static constexpr const char* kWorkload =
      "  workload_power_profiles:\n    profiles:\n"
      "      - {id: 0, priority: 2, conflicts: [1]}\n      - {id: 1, priority: 1, conflicts: [0]}\n"
      "      - {id: 40, priority: 5}\n";
  static constexpr const char* kSmoothing =
      "  power_smoothing:\n    state: disabled\n    min_percent_tmp_floor: 20\n    max_percent_tmp_floor: 90\n"
      "    active_profile: 0\n    profiles:\n      - {percent_tmp_floor: 50, ramp_up_rate_mw_per_s: 1000}\n"
      "      - {percent_tmp_floor: 60}\n";

  struct Masks {
    unsigned int requested0, requested1, enforced0;
  };
  static Masks masks() {
    nvmlWorkloadPowerProfileCurrentProfiles_v1_t current{};
    current.version = version_tag<nvmlWorkloadPowerProfileCurrentProfiles_v1_t>;
    EXPECT_EQ(call("nvmlDeviceWorkloadPowerProfileGetCurrentProfiles", device(), &current), NVML_SUCCESS);
    EXPECT_EQ(current.perfProfilesMask.mask[0], 3U);
    EXPECT_EQ(current.perfProfilesMask.mask[1], 1U << 8);
    return {current.requestedProfilesMask.mask[0], current.requestedProfilesMask.mask[1],
            current.enforcedProfilesMask.mask[0]};
  }
  static nvmlReturn_t request(const char* function, unsigned int mask0, unsigned int mask1 = 0) {
    nvmlWorkloadPowerProfileRequestedProfiles_v1_t wanted{};
    wanted.version = version_tag<nvmlWorkloadPowerProfileRequestedProfiles_v1_t>;
    wanted.requestedProfilesMask.mask[0] = mask0;
    wanted.requestedProfilesMask.mask[1] = mask1;
    return call(function, device(), &wanted);
  }
  static nvmlFieldValue_t field(unsigned int id, unsigned int scope = 0) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    return value;
  }
};

TEST_F(PowerProfiles, OfConflictingRequestsTheOneOfHigherPriorityHolds) {
  start("b200", kWorkload);
  constexpr auto kSet = "nvmlDeviceWorkloadPowerProfileSetRequestedProfiles";
  constexpr auto kClear = "nvmlDeviceWorkloadPowerProfileClearRequestedProfiles";
  EXPECT_EQ(request(kSet, 1), NVML_SUCCESS);
  EXPECT_EQ(masks().enforced0, 1U);
  EXPECT_EQ(request(kSet, 2, 1U << 8), NVML_SUCCESS);
  EXPECT_EQ(masks().requested0, 3U);
  EXPECT_EQ(masks().requested1, 1U << 8);
  EXPECT_EQ(masks().enforced0, 2U);
  EXPECT_EQ(request(kSet, 4), NVML_ERROR_INVALID_ARGUMENT);  // the GPU offers none of that number
  EXPECT_EQ(request(kClear, 2), NVML_SUCCESS);
  EXPECT_EQ(masks().enforced0, 1U);
  nvmlWorkloadPowerProfileUpdateProfiles_v1_t update{NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE, {}};
  update.updateProfilesMask.mask[0] = 2;
  EXPECT_EQ(call("nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", device(), &update), NVML_SUCCESS);
  EXPECT_EQ(masks().requested0, 2U);
  EXPECT_EQ(masks().requested1, 0U);
  update.operation = NVML_POWER_PROFILE_OPERATION_MAX;
  EXPECT_EQ(call("nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", device(), &update), NVML_ERROR_INVALID_ARGUMENT);
  nvmlWorkloadPowerProfileProfilesInfo_v1_t info{};
  info.version = version_tag<nvmlWorkloadPowerProfileProfilesInfo_v1_t>;
  EXPECT_EQ(call("nvmlDeviceWorkloadPowerProfileGetProfilesInfo", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.perfProfile[40].profileId, 40U);
  EXPECT_EQ(info.perfProfile[40].priority, 5U);
  EXPECT_EQ(info.perfProfile[0].conflictingMask.mask[0], 2U);
}

TEST_F(PowerProfiles, AGpuWithoutThemRefuses) {
  start("h100", "");
  EXPECT_EQ(request("nvmlDeviceWorkloadPowerProfileSetRequestedProfiles", 1), NVML_ERROR_NOT_SUPPORTED);
  nvmlPowerSmoothingState_v1_t state{version_tag<nvmlPowerSmoothingState_v1_t>, NVML_FEATURE_ENABLED};
  EXPECT_EQ(call("nvmlDevicePowerSmoothingSetState", device(), &state), NVML_ERROR_NOT_SUPPORTED);
  nvmlDevicePowerMizerModes_v1_t mizer{};
  EXPECT_EQ(call("nvmlDeviceGetPowerMizerMode_v1", device(), &mizer), NVML_ERROR_NOT_SUPPORTED);
  nvmlHostname_v1_t name{};
  EXPECT_EQ(call("nvmlDeviceGetHostname_v1", device(), &name), NVML_ERROR_NOT_SUPPORTED);
  nvmlNvlinkSetBwMode_v1_t mode{version_tag<nvmlNvlinkSetBwMode_v1_t>, 1, 0};
  EXPECT_EQ(call("nvmlDeviceSetNvlinkBwMode", device(), &mode), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(PowerProfiles, PowerSmoothing) {
  start("b200", kSmoothing);
  nvmlPowerSmoothingState_v1_t state{version_tag<nvmlPowerSmoothingState_v1_t>, NVML_FEATURE_ENABLED};
  EXPECT_EQ(call("nvmlDevicePowerSmoothingSetState", device(), &state), NVML_SUCCESS);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_ENABLED).value.uiVal, 1U);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_MAX_NUM_PRESET_PROFILES).value.uiVal, 2U);
  nvmlPowerSmoothingProfile_v1_t profile{version_tag<nvmlPowerSmoothingProfile_v1_t>, 1, 0, 75.5};
  EXPECT_EQ(call("nvmlDevicePowerSmoothingActivatePresetProfile", device(), &profile), NVML_SUCCESS);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_ACTIVE_PRESET_PROFILE).value.uiVal, 1U);
  EXPECT_EQ(call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", device(), &profile), NVML_SUCCESS);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_PROFILE_PERCENT_TMP_FLOOR, 1).value.dVal, 75.5);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_PROFILE_PERCENT_TMP_FLOOR, 0).value.dVal, 50);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE, 0).value.dVal, 1000);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE, 1).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE, 2).nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  for (const double bad : {19.0, 91.0, -1.0}) {
    profile.value = bad;
    EXPECT_EQ(call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", device(), &profile),
              NVML_ERROR_INVALID_ARGUMENT);
  }
  profile = {version_tag<nvmlPowerSmoothingProfile_v1_t>, 2, 0, 50};
  EXPECT_EQ(call("nvmlDevicePowerSmoothingActivatePresetProfile", device(), &profile), NVML_ERROR_INVALID_ARGUMENT);
  profile = {version_tag<nvmlPowerSmoothingProfile_v1_t>, 0, 8, 50};
  EXPECT_EQ(call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", device(), &profile), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(PowerProfiles, PowerMizer) {
  start("t4", "  power_mizer: {mode: auto, supported_modes: 0x7}\n");
  nvmlDevicePowerMizerModes_v1_t mizer{};
  EXPECT_EQ(call("nvmlDeviceGetPowerMizerMode_v1", device(), &mizer), NVML_SUCCESS);
  EXPECT_EQ(mizer.currentMode, static_cast<unsigned int>(POWER_MIZER_MODE_AUTO));
  EXPECT_EQ(mizer.supportedPowerMizerModes, 7U);
  mizer.mode = POWER_MIZER_MODE_PREFER_MAXIMUM_PERFORMANCE;
  EXPECT_EQ(call("nvmlDeviceSetPowerMizerMode_v1", device(), &mizer), NVML_SUCCESS);
  mizer = {};
  EXPECT_EQ(call("nvmlDeviceGetPowerMizerMode_v1", device(), &mizer), NVML_SUCCESS);
  EXPECT_EQ(mizer.currentMode, static_cast<unsigned int>(POWER_MIZER_MODE_PREFER_MAXIMUM_PERFORMANCE));
  mizer.mode = POWER_MIZER_MODE_PREFER_CONSISTENT_PERFORMANCE;
  EXPECT_EQ(call("nvmlDeviceSetPowerMizerMode_v1", device(), &mizer), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(PowerProfiles, NvlinkLowPowerThreshold) {
  start("h100", "");
  const auto before = field(FI_DEV_NVLINK_GET_POWER_THRESHOLD).value.uiVal;
  nvmlNvLinkPowerThres_t wanted{500};
  EXPECT_EQ(call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", device(), &wanted), NVML_SUCCESS);
  EXPECT_EQ(field(FI_DEV_NVLINK_GET_POWER_THRESHOLD).value.uiVal, 500U);
  for (const unsigned int bad : {0U, 8192U}) {
    wanted.lowPwrThreshold = bad;
    EXPECT_EQ(call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", device(), &wanted), NVML_ERROR_INVALID_ARGUMENT);
  }
  wanted.lowPwrThreshold = NVLINK_LOW_POWER_THRESHOLD_RESET;
  EXPECT_EQ(call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", device(), &wanted), NVML_SUCCESS);
  EXPECT_EQ(field(FI_DEV_NVLINK_GET_POWER_THRESHOLD).value.uiVal, before);
}

TEST_F(PowerProfiles, NvlinkIsBeforeHopperNotToldWhat) {
  start("a100", "");
  nvmlNvLinkPowerThres_t wanted{500};
  EXPECT_EQ(call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", device(), &wanted), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlSystemSetNvlinkBwMode", 1U), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(PowerProfiles, NvlinkBandwidthModes) {
  start("b200", "  nvlink_bandwidth: {modes: [0, 3, 7], mode: 3, best_mode: 7}\n");
  nvmlNvlinkSupportedBwModes_v1_t supported{};
  supported.version = version_tag<nvmlNvlinkSupportedBwModes_v1_t>;
  EXPECT_EQ(call("nvmlDeviceGetNvlinkSupportedBwModes", device(), &supported), NVML_SUCCESS);
  EXPECT_EQ(supported.totalBwModes, 3);
  EXPECT_EQ(supported.bwModes[2], 7);
  nvmlNvlinkSetBwMode_v1_t mode{version_tag<nvmlNvlinkSetBwMode_v1_t>, 1, 0};
  EXPECT_EQ(call("nvmlDeviceSetNvlinkBwMode", device(), &mode), NVML_SUCCESS);
  nvmlNvlinkGetBwMode_v1_t now{version_tag<nvmlNvlinkGetBwMode_v1_t>, 0, 0};
  EXPECT_EQ(call("nvmlDeviceGetNvlinkBwMode", device(), &now), NVML_SUCCESS);
  EXPECT_EQ(now.bIsBest, 1U);
  EXPECT_EQ(now.bwMode, 7);
  mode = {version_tag<nvmlNvlinkSetBwMode_v1_t>, 0, 4};
  EXPECT_EQ(call("nvmlDeviceSetNvlinkBwMode", device(), &mode), NVML_ERROR_INVALID_ARGUMENT);

  EXPECT_EQ(call("nvmlSystemSetNvlinkBwMode", 4U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlSystemSetNvlinkBwMode", 5U), NVML_ERROR_INVALID_ARGUMENT);
  unsigned int all = 0;
  EXPECT_EQ(call("nvmlSystemGetNvlinkBwMode", &all), NVML_SUCCESS);
  EXPECT_EQ(all, 4U);
}

TEST_F(PowerProfiles, AGpuInUseKeepsTheBandwidthOfTheMachine) {
  start("h100", "  processes: [{pid: 7, type: C, name: x}]\n");
  EXPECT_EQ(call("nvmlSystemSetNvlinkBwMode", 3U), NVML_ERROR_IN_USE);
}

TEST_F(PowerProfiles, HostNames) {
  start("b200", "");
  nvmlHostname_v1_t name{};
  EXPECT_EQ(call("nvmlDeviceGetHostname_v1", device(), &name), NVML_SUCCESS);
  EXPECT_STREQ(name.value, "");
  std::strcpy(name.value, "node7");
  EXPECT_EQ(call("nvmlDeviceSetHostname_v1", device(), &name), NVML_SUCCESS);
  name = {};
  EXPECT_EQ(call("nvmlDeviceGetHostname_v1", device(), &name), NVML_SUCCESS);
  EXPECT_STREQ(name.value, "node7");
  std::memset(name.value, 'x', sizeof name.value);
  EXPECT_EQ(call("nvmlDeviceSetHostname_v1", device(), &name), NVML_ERROR_INVALID_ARGUMENT);
}

// The machine says CPUs of a host of its own: what this one lacks is never named to the system.
TEST_F(PowerProfiles, CpuAffinityIsOfCpusThatThereAre) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  const auto near = std::to_string(first) + ",900-1100";
  start("h100", "  minor_number: 0\n",
        "devices:\n  - {index: 0, pci: {bus_id: \"0000:01:00.0\"}}\n  - {index: 1, pci: {bus_id: \"0000:02:00.0\"}}\n"
        "pcie_topology:\n  root_complexes:\n"
        "    - {id: a, devices: [\"0000:01:00.0\"], cpu_affinity: \"" +
            near +
            "\"}\n"
            "    - {id: b, devices: [\"0000:02:00.0\"], cpu_affinity: \"900-950\"}\n");
  cpu_set_t now;
  EXPECT_EQ(call("nvmlDeviceSetCpuAffinity", device(0)), NVML_SUCCESS);
  ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_EQ(CPU_COUNT(&now), 1);
  EXPECT_TRUE(CPU_ISSET(first, &now));
  EXPECT_EQ(call("nvmlDeviceSetCpuAffinity", device(1)), NVML_SUCCESS);
  ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_EQ(CPU_COUNT(&now), 1);
  EXPECT_EQ(call("nvmlDeviceClearCpuAffinity", device(0)), NVML_SUCCESS);
  ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_GE(CPU_COUNT(&now), CPU_COUNT(&before));
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace nvmlkit::driver_test
