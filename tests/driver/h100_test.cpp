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

}  // namespace
}  // namespace nvmlkit::driver_test
