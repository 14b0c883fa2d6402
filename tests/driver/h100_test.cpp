// Answers of an H100 with driver 580.159 (one GPU of a board, in a virtual machine), in what every H100 has.
#include <string>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class RealH100 : public Loaded {
 protected:
  void SetUp() override {
    Loaded::SetUp();
    setenv("NVMLKIT_DRIVER", "580.159.04", 1);
    start("base: h100\nversion: \"1.0\"\nsystem: {num_devices: 1}\n");
  }
  void TearDown() override {
    Loaded::TearDown();
    unsetenv("NVMLKIT_DRIVER");
  }
  static nvmlReturn_t field(unsigned int id) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    return value.nvmlReturn;
  }
};

TEST_F(RealH100, HasOnePStateForEachMemoryClock) {
  nvmlPstates_t states[16];
  ASSERT_EQ(call("nvmlDeviceGetSupportedPerformanceStates", device(), +states, unsigned{sizeof states}), NVML_SUCCESS);
  EXPECT_EQ(states[0], NVML_PSTATE_2);
  EXPECT_EQ(states[1], NVML_PSTATE_0);
  EXPECT_EQ(states[2], NVML_PSTATE_UNKNOWN);
  struct {
    nvmlClockType_t type;
    nvmlPstates_t state;
    unsigned int low, high;
  } const all[] = {{NVML_CLOCK_MEM, NVML_PSTATE_0, 2619, 2619},     {NVML_CLOCK_MEM, NVML_PSTATE_2, 1593, 1593},
                   {NVML_CLOCK_GRAPHICS, NVML_PSTATE_0, 345, 1980}, {NVML_CLOCK_SM, NVML_PSTATE_2, 345, 1980},
                   {NVML_CLOCK_VIDEO, NVML_PSTATE_0, 765, 1545},    {NVML_CLOCK_VIDEO, NVML_PSTATE_2, 765, 1545}};
  unsigned int low = 0, high = 0;
  for (const auto& a : all) {
    EXPECT_EQ(call("nvmlDeviceGetMinMaxClockOfPState", device(), a.type, a.state, &low, &high), NVML_SUCCESS);
    EXPECT_EQ(low, a.low) << a.type << a.state;
    EXPECT_EQ(high, a.high) << a.type << a.state;
  }
  EXPECT_EQ(call("nvmlDeviceGetMinMaxClockOfPState", device(), NVML_CLOCK_MEM, NVML_PSTATE_8, &low, &high),
            NVML_ERROR_UNKNOWN);
}

TEST_F(RealH100, KnowsSomeFieldsOfLaterHeaders) {
  EXPECT_EQ(field(FI_DEV_REMAPPED_ROWS_COR_INACTIVE), NVML_SUCCESS);
  EXPECT_NE(field(FI_DEV_NVLINK_PLR_XMIT_BLOCKS), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(field(FI_DEV_EDPP_MULTIPLIER), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(field(FI_DEV_NVLINK_COUNT_RAW_BER_V2), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(field(FI_DEV_ECC_DBE_VOL_DEV), NVML_ERROR_NOT_SUPPORTED);  // functions tell it
  EXPECT_EQ(field(FI_DEV_ECC_DBE_VOL_TOTAL), NVML_SUCCESS);
  EXPECT_EQ(field(FI_DEV_C2C_LINK_COUNT), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(RealH100, HasOneThermalSensorAndNoPeerInItself) {
  nvmlGpuThermalSettings_t settings{};
  ASSERT_EQ(call("nvmlDeviceGetThermalSettings", device(), 0U, &settings), NVML_SUCCESS);
  EXPECT_EQ(settings.sensor[0].defaultMinTemp, 0);
  EXPECT_EQ(settings.sensor[0].defaultMaxTemp, 127);
  ASSERT_EQ(call("nvmlDeviceGetThermalSettings", device(), 2U, &settings), NVML_SUCCESS);
  EXPECT_EQ(settings.count, 1U);
  EXPECT_EQ(settings.sensor[2].target, NVML_THERMAL_TARGET_GPU);
  EXPECT_EQ(settings.sensor[2].currentTemp, 0);
  EXPECT_EQ(call("nvmlDeviceGetThermalSettings", device(), 3U, &settings), NVML_SUCCESS);
  nvmlGpuP2PStatus_t status{};
  ASSERT_EQ(call("nvmlDeviceGetP2PStatus", device(), device(), NVML_P2P_CAPS_INDEX_READ, &status), NVML_SUCCESS);
  EXPECT_EQ(status, NVML_P2P_STATUS_NOT_SUPPORTED);
}

TEST_F(RealH100, NamesProfilesInTheSecondVersionOnly) {
  nvmlGpuInstanceProfileInfo_v2_t info{};
  info.version = version_tag<nvmlGpuInstanceProfileInfo_v2_t>;
  ASSERT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), 0U, &info), NVML_SUCCESS);
  EXPECT_STREQ(info.name, "MIG 1g.10gb");
  nvmlGpuInstanceProfileInfo_v3_t newer{};
  newer.version = version_tag<nvmlGpuInstanceProfileInfo_v3_t>;
  ASSERT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), 0U, &newer), NVML_SUCCESS);
  EXPECT_STREQ(newer.name, "");
  EXPECT_EQ(newer.memorySizeMB, 9984U);
  unsigned int count = 0;
  nvmlGpuInstancePlacement_t places[8];
  EXPECT_EQ(call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", device(), 20U, +places, &count), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstancePossiblePlacements", device(), 20U, +places, &count),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), unsigned{GPU_INSTANCE_PROFILE_3_SLICE_GFX}, &info),
            NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(RealH100, RecordsNoClocksAndHasNoFans) {
  nvmlValueType_t type{};
  unsigned int count = 0;
  nvmlSample_t samples[100];
  EXPECT_EQ(call("nvmlDeviceGetSamples", device(), NVML_PROCESSOR_CLK_SAMPLES, 0ULL, &type, &count,
                 static_cast<nvmlSample_t*>(nullptr)),
            NVML_SUCCESS);
  EXPECT_EQ(count, 100U);
  EXPECT_EQ(call("nvmlDeviceGetSamples", device(), NVML_PROCESSOR_CLK_SAMPLES, 0ULL, &type, &count, +samples),
            NVML_ERROR_NOT_FOUND);
  for (const char* of_a_fan : {"nvmlDeviceGetFanSpeed_v2", "nvmlDeviceGetTargetFanSpeed"})
    EXPECT_EQ(call(of_a_fan, device(), 0U, &count), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed", device(), &count), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(RealH100, TellsConfidentialComputingWhileItIsOff) {
  unsigned int accepts = 1;
  EXPECT_EQ(call("nvmlSystemGetConfComputeGpusReadyState", &accepts), NVML_SUCCESS);
  EXPECT_EQ(accepts, 0U);
  nvmlConfComputeMemSizeInfo_t sizes{};
  ASSERT_EQ(call("nvmlDeviceGetConfComputeMemSizeInfo", device(), &sizes), NVML_SUCCESS);
  EXPECT_EQ(sizes.unprotectedMemSizeKib, 83024896U);
}

// A driver writes the type of a value that the GPU does not have, and nothing of a value that it does not know.
TEST_F(RealH100, StoresFieldValuesAsADriverDoes) {
  const auto asked = [](unsigned int id, unsigned int scope) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    value.timestamp = 7;
    value.valueType = static_cast<nvmlValueType_t>(77);
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    return value;
  };
  struct {
    unsigned int id, scope;
    nvmlReturn_t result;
    nvmlValueType_t type;
  } const all[] = {
      {FI_DEV_ECC_CURRENT, 0, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
      {FI_DEV_REMAPPED_COR, 0, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
      {FI_DEV_REMAPPED_ROWS_UNC_INACTIVE, 0, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
      {FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER, 0, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_DEV_PCIE_COUNT_TX_BYTES, 0, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_DEV_PCIE_COUNT_LANE_ERROR, 15, NVML_SUCCESS, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_DEV_PCIE_COUNT_LANE_ERROR, 16, NVML_ERROR_INVALID_ARGUMENT, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_DEV_ECC_DBE_VOL_DEV, 0, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
      {FI_DEV_C2C_LINK_COUNT, 0, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_PWR_SMOOTHING_APPLIED_TMP_CEIL, 0, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_DOUBLE},
      {FI_PWR_SMOOTHING_WINDOW_MULTIPLIER, 0, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_UNSIGNED_SHORT},
      {FI_DEV_POWER_MIN_LIMIT, 1, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_UNSIGNED_INT},
      {FI_DEV_POWER_MIN_LIMIT, 2, NVML_ERROR_INVALID_ARGUMENT, static_cast<nvmlValueType_t>(77)},
      {FI_DEV_ENERGY, 5, NVML_ERROR_NOT_SUPPORTED, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
      {1000, 0, NVML_ERROR_INVALID_ARGUMENT, static_cast<nvmlValueType_t>(77)},
  };
  for (const auto& a : all) {
    const auto value = asked(a.id, a.scope);
    EXPECT_EQ(value.nvmlReturn, a.result) << a.id << "/" << a.scope;
    EXPECT_EQ(value.valueType, a.type) << a.id << "/" << a.scope;
    EXPECT_EQ(value.timestamp == 7, a.result == NVML_ERROR_INVALID_ARGUMENT) << a.id;
  }
}

// What the GPU lacks is Not Supported before other arguments are looked at.
TEST_F(RealH100, LooksAtItsAbilitiesBeforeArguments) {
  unsigned int number = 64, other = 0;
  unsigned int* const nothing = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetActiveVgpus", device(), nothing, nothing), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetVgpuCapabilities", device(), 12, &number), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetVgpuCapabilities", device(), 12, nothing), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetAutoBoostedClocksEnabled", device(), &number, nothing), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetAutoBoostedClocksEnabled", device(), nothing, &number), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetGpuOperationMode", device(), nothing, nothing), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetClockInfo", device(), 4, &number), NVML_ERROR_NOT_SUPPORTED);
  nvmlNvlinkGetBwMode_t mode{};
  EXPECT_EQ(call("nvmlDeviceGetNvlinkBwMode", device(), &mode), NVML_ERROR_NOT_SUPPORTED);
  nvmlMemory_v2_t memory{};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &memory), NVML_ERROR_FUNCTION_NOT_FOUND);
  nvmlGpuInstanceProfileInfo_v2_t info{};
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), 0U, &info), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetEncoderSessions", device(), &number, static_cast<nvmlEncoderSessionInfo_t*>(nullptr)),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetAccountingPids", device(), &number, nothing), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(call("nvmlDeviceGetSupportedGraphicsClocks", device(), 0U, &number, &other), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetTopologyNearestGpus", device(), 7, &other, static_cast<nvmlDevice_t*>(nullptr)),
            NVML_SUCCESS);
}

TEST_F(RealH100, FindsNoAccountOfAProcessWhileAccountingIsOff) {
  nvmlAccountingStats_t stats{};
  EXPECT_EQ(call("nvmlDeviceGetAccountingStats", device(), 1U, &stats), NVML_ERROR_NOT_FOUND);
}

TEST_F(RealH100, HasItsThresholdsInDegreesToo) {
  unsigned int degrees = 0;
  const unsigned int expected[] = {95, 89, 95, 87};
  for (unsigned int i = 0; i < 4; ++i) {
    EXPECT_EQ(
        call("nvmlDeviceGetTemperatureThreshold", device(), static_cast<nvmlTemperatureThresholds_t>(i), &degrees),
        NVML_SUCCESS);
    EXPECT_EQ(degrees, expected[i]);
  }
  EXPECT_EQ(call("nvmlDeviceGetTemperature", device(), NVML_TEMPERATURE_GPU_MAX, &degrees),
            NVML_ERROR_INVALID_ARGUMENT);
}

// The first init says whether the process attaches to GPUs; shutdowns do not change that, a forced init does.
TEST_F(RealH100, IsNotThereAfterAnInitThatDoesNotAttach) {
  const auto count = [] {
    unsigned int out = 77;
    EXPECT_EQ(call("nvmlDeviceGetCount_v2", &out), NVML_SUCCESS);
    return out;
  };
  EXPECT_EQ(call("nvmlInitWithFlags", 3U), NVML_SUCCESS);
  EXPECT_EQ(count(), 1U);  // the process was attached before
  EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlInitWithFlags", 6U), NVML_SUCCESS);
  EXPECT_EQ(count(), 0U);
  nvmlDevice_t none{};
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0U, &none), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(call("nvmlInitWithFlags", 4U), NVML_SUCCESS);
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(count(), 1U);
}

TEST_F(RealH100, HasATextForTypesOfResets) {
  const auto text = symbol<const char*(nvmlReturn_t)>("nvmlErrorString");
  EXPECT_STREQ(text(static_cast<nvmlReturn_t>(30)), "Reset type is not supported for given device");
  EXPECT_STREQ(text(static_cast<nvmlReturn_t>(31)), "Unknown Error");
}

class Heat : public Loaded {};

// Both reasons hold at the hard limit: their times are not added.
TEST_F(Heat, IsCountedOnceWhereSoftwareAndHardwareSlowDown) {
  for (const auto& [software, hardware] : {std::pair(3000, 5000), std::pair(5000, 3000)}) {
    start(
        "base: h100\nversion: \"1.0\"\ndevice_defaults: {clocks_throttle_reasons: {counters: "
        "{sw_thermal_slowdown_us: " +
        std::to_string(software) + ", hw_thermal_slowdown_us: " + std::to_string(hardware) + "}}}\n");
    nvmlFieldValue_t value{};
    value.fieldId = FI_DEV_PERF_POLICY_THERMAL;
    ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.value.ullVal, 5'000'000U);
    nvmlViolationTime_t time{};
    EXPECT_EQ(call("nvmlDeviceGetViolationStatus", device(), NVML_PERF_POLICY_THERMAL, &time), NVML_SUCCESS);
    EXPECT_EQ(time.violationTime, 5'000'000U);
  }
}

}  // namespace
}  // namespace nvmlkit::driver_test
