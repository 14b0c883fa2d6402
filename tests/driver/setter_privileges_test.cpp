// Setters that need root, always or under a restriction.
#include <sys/wait.h>
#include <unistd.h>

#include "setters_support.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr const char* kRestricted =
    "version: \"1.0\"\nbase: h100\ndevice_defaults:\n  clocks: {auto_boost: disabled}\n"
    "  api_restriction: {set_application_clocks: disabled, set_auto_boosted_clocks: enabled}\n";

// Runs `body` as somebody who is not root; its value is the child's exit status.
template <class Body>
int as_nobody(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    const bool ready = Loaded::init_in_child() && (geteuid() != 0 || setuid(65534) == 0);
    _exit(ready ? static_cast<int>(body()) : 99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(Setters, NeedRootWhereTheHeaderSaysSo) {
  Loaded::start("h100");
  EXPECT_EQ(as_nobody([] { return set_limit(300'000U); }), NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(as_nobody([] { return call("nvmlDeviceSetPersistenceMode", device(), NVML_FEATURE_DISABLED); }),
            NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(as_nobody([] { return call("nvmlDeviceSetPowerManagementLimit", nvmlDevice_t{}, 1U); }),
            NVML_ERROR_INVALID_ARGUMENT);
  nvmlEccSramErrorStatus_t status{};
  status.version = version_tag<nvmlEccSramErrorStatus_t>;
  EXPECT_EQ(as_nobody([&] { return call("nvmlDeviceGetSramEccErrorStatus", device(), &status); }), NVML_SUCCESS);
}

// Captures b200-580, b200-595, gb200-580 and gb300-580 of nvidia-smi without root: "Insufficient Permissions" for power
// smoothing. Those of all other GPUs: N/A.
TEST_F(Setters, ReadersOfPowerSmoothingNeedRoot) {
  const auto result_of = [](unsigned int id) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    return call("nvmlDeviceGetFieldValues", device(), 1, &value) == NVML_SUCCESS ? value.nvmlReturn
                                                                                 : NVML_ERROR_UNKNOWN;
  };
  struct Case {
    std::string machine;
    bool smooths;
  };
  for (const auto& [machine, smooths] : {Case{"b200", true},
                                         {"gb200", true},
                                         {"gb300", true},
                                         {"vr200", true},
                                         {"h100", false},
                                         {"rtxpro6000", false}}) {
    Loaded::start("version: \"1.0\"\nbase: " + machine + "\nsystem: {driver_version: 595.71.05}\n");
    const auto expected = smooths ? NVML_ERROR_NO_PERMISSION : NVML_ERROR_NOT_SUPPORTED;
    for (const auto id :
         {FI_PWR_SMOOTHING_ENABLED, FI_PWR_SMOOTHING_ACTIVE_PRESET_PROFILE, FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE})
      EXPECT_EQ(as_nobody([&] { return result_of(static_cast<unsigned int>(id)); }), expected) << machine << ' ' << id;
    EXPECT_EQ(as_nobody([&] { return result_of(FI_DEV_POWER_MAX_LIMIT); }), NVML_SUCCESS) << machine;
    if (geteuid() == 0) {
      EXPECT_EQ(result_of(FI_PWR_SMOOTHING_ENABLED), NVML_ERROR_NOT_SUPPORTED) << machine;
    }
    call("nvmlShutdown");
    started_ = false;
  }
}

TEST_F(Setters, AMachineCanBeOpenToAll) {
  start("version: \"1.0\"\nbase: h100\nsystem: {enforce_privilege: false}\n");
  EXPECT_EQ(as_nobody([] { return set_limit(300'000U); }), NVML_SUCCESS);
}

TEST_F(Setters, RestrictionsSayWhoMaySetClocks) {
  Loaded::start(kRestricted);
  const auto set_app = [] { return call("nvmlDeviceSetApplicationsClocks", device(), 1593U, 1980U); };
  const auto set_boost = [] { return call("nvmlDeviceSetAutoBoostedClocksEnabled", device(), NVML_FEATURE_ENABLED); };
  EXPECT_EQ(as_nobody(set_app), NVML_SUCCESS);
  EXPECT_EQ(as_nobody(set_boost), NVML_ERROR_NO_PERMISSION);
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  for (const auto api : {NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS}) {
    const auto wanted =
        api == NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", device(), api, wanted), NVML_SUCCESS);
  }
  EXPECT_EQ(as_nobody(set_app), NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(as_nobody(set_boost), NVML_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::driver_test
