// Setters: what they change, what they refuse, and that a refusal changes nothing.
#include <atomic>
#include <thread>
#include <vector>

#include "setters_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Setters, PowerLimit) {
  start("h100");
  EXPECT_EQ(set_limit(300'000U), NVML_SUCCESS);
  EXPECT_EQ(limit(), 300'000U);
  EXPECT_EQ(enforced(), 300'000U);
  for (const auto bad : {199'999U, 700'001U, 0U}) EXPECT_EQ(set_limit(bad), NVML_ERROR_INVALID_ARGUMENT) << bad;
  EXPECT_EQ(limit(), 300'000U);
  for (const auto good : {200'000U, 700'000U}) EXPECT_EQ(set_limit(good), NVML_SUCCESS) << good;
  unsigned int other = 0;
  EXPECT_EQ(call("nvmlDeviceGetPowerManagementLimit", device(1), &other), NVML_SUCCESS);
  EXPECT_EQ(other, 700'000U);
}

TEST_F(Setters, PowerLimitByScope) {
  start(
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n"
      "  module_power: {limit_mw: 900000, min_limit_mw: 400000, max_limit_mw: 1000000}\n");
  nvmlPowerValue_v2_t value{version_tag<nvmlPowerValue_v2_t>, POWER_SCOPE_GPU, 250'000};
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit_v2", device(), &value), NVML_SUCCESS);
  EXPECT_EQ(limit(), 250'000U);
  value = {version_tag<nvmlPowerValue_v2_t>, POWER_SCOPE_MODULE, 500'000};
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit_v2", device(), &value), NVML_SUCCESS);
  EXPECT_EQ(limit(), 250'000U);
  nvmlFieldValue_t field{};
  field.fieldId = FI_DEV_POWER_REQUESTED_LIMIT;
  field.scopeId = POWER_SCOPE_MODULE;
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &field), NVML_SUCCESS);
  EXPECT_EQ(field.value.uiVal, 500'000U);
  value.powerValueMw = 1'000'001;
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit_v2", device(), &value), NVML_ERROR_INVALID_ARGUMENT);
  value.powerScope = POWER_SCOPE_MEMORY;
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit_v2", device(), &value), NVML_ERROR_NOT_SUPPORTED);
  value.powerScope = 9;
  EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit_v2", device(), &value), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Setters, AnotherLimitKeepsItsForce) {
  start("version: \"1.0\"\nbase: h100\ndevice_defaults:\n  power: {enforced_limit_mw: 450000}\n");
  EXPECT_EQ(set_limit(300'000U), NVML_SUCCESS);
  EXPECT_EQ(enforced(), 300'000U);
  EXPECT_EQ(set_limit(600'000U), NVML_SUCCESS);
  EXPECT_EQ(limit(), 600'000U);
  EXPECT_EQ(enforced(), 450'000U);
}

TEST_F(Setters, WithoutPowerManagementThereIsNothingToSet) {
  start("version: \"1.0\"\nbase: h100\ndevice_defaults:\n  power: {management_supported: false}\n");
  EXPECT_EQ(set_limit(300'000U), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Setters, LockedClocksHoldTheClock) {
  start("h100");
  const auto free = clock(NVML_CLOCK_GRAPHICS);
  EXPECT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 1200U, 1500U), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_GRAPHICS), 1200U);
  EXPECT_EQ(clock(NVML_CLOCK_SM), 1200U);
  EXPECT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 210U, 300U), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_GRAPHICS), 300U);
  EXPECT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 9000U, 9000U), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_GRAPHICS), 1980U);
  EXPECT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 1500U, 1200U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceResetGpuLockedClocks", device()), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_GRAPHICS), free);
  EXPECT_EQ(call("nvmlDeviceSetMemoryLockedClocks", device(), 1593U, 1593U), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_MEM), 1593U);
  EXPECT_EQ(call("nvmlDeviceResetMemoryLockedClocks", device()), NVML_SUCCESS);
  EXPECT_EQ(clock(NVML_CLOCK_MEM), 2619U);
}

TEST_F(Setters, MemoryClocksAreLockedFromAmpereOn) {
  start("t4");
  EXPECT_EQ(call("nvmlDeviceSetMemoryLockedClocks", device(), 405U, 405U), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetGpuLockedClocks", device(), 600U, 600U), NVML_SUCCESS);
}

TEST_F(Setters, ApplicationsClocksAreOnesThatTheGpuLists) {
  start("h100");
  EXPECT_EQ(call("nvmlDeviceSetApplicationsClocks", device(), 1593U, 1980U), NVML_SUCCESS);
  EXPECT_EQ(app_clock(NVML_CLOCK_MEM), 1593U);
  EXPECT_EQ(call("nvmlDeviceSetApplicationsClocks", device(), 1594U, 1980U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceSetApplicationsClocks", device(), 2619U, 1981U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(app_clock(NVML_CLOCK_MEM), 1593U);
  EXPECT_EQ(call("nvmlDeviceResetApplicationsClocks", device()), NVML_SUCCESS);
  EXPECT_EQ(app_clock(NVML_CLOCK_MEM), 2619U);
}

TEST_F(Setters, ClockOffsets) {
  start(
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n"
      "  clocks: {graphics_offset: 0, graphics_offset_min: -200, graphics_offset_max: 150, memory_offset: N/A}\n");
  EXPECT_EQ(call("nvmlDeviceSetGpcClkVfOffset", device(), -200), NVML_SUCCESS);
  EXPECT_EQ(get<int>("nvmlDeviceGetGpcClkVfOffset", device()), -200);
  EXPECT_EQ(call("nvmlDeviceSetGpcClkVfOffset", device(), 151), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceSetMemClkVfOffset", device(), 0), NVML_ERROR_NOT_SUPPORTED);
  nvmlClockOffset_v1_t info{version_tag<nvmlClockOffset_v1_t>, NVML_CLOCK_GRAPHICS, NVML_PSTATE_0, 100, 0, 0};
  EXPECT_EQ(call("nvmlDeviceSetClockOffsets", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(get<int>("nvmlDeviceGetGpcClkVfOffset", device()), 100);
  info.type = NVML_CLOCK_VIDEO;
  EXPECT_EQ(call("nvmlDeviceSetClockOffsets", device(), &info), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Setters, ModesAtOnce) {
  start("h100");
  EXPECT_EQ(call("nvmlDeviceSetPersistenceMode", device(), NVML_FEATURE_DISABLED), NVML_SUCCESS);
  EXPECT_EQ(get<nvmlEnableState_t>("nvmlDeviceGetPersistenceMode", device()), NVML_FEATURE_DISABLED);
  EXPECT_EQ(call("nvmlDeviceSetComputeMode", device(), NVML_COMPUTEMODE_EXCLUSIVE_PROCESS), NVML_SUCCESS);
  EXPECT_EQ(get<nvmlComputeMode_t>("nvmlDeviceGetComputeMode", device()), NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
  EXPECT_EQ(call("nvmlDeviceSetComputeMode", device(), NVML_COMPUTEMODE_EXCLUSIVE_THREAD), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(get<nvmlComputeMode_t>("nvmlDeviceGetComputeMode", device()), NVML_COMPUTEMODE_EXCLUSIVE_PROCESS);
  EXPECT_EQ(call("nvmlDeviceSetAccountingMode", device(), NVML_FEATURE_ENABLED), NVML_SUCCESS);
  EXPECT_EQ(get<nvmlEnableState_t>("nvmlDeviceGetAccountingMode", device()), NVML_FEATURE_ENABLED);
}

TEST_F(Setters, WhatAGpuLacksIsNotSet) {
  start("h100");
  EXPECT_EQ(call("nvmlDeviceSetGpuOperationMode", device(), NVML_GOM_COMPUTE), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", device(), 0U, 50U), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetDefaultFanSpeed_v2", device(), 0U), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetAutoBoostedClocksEnabled", device(), NVML_FEATURE_ENABLED), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(
      call("nvmlDeviceSetAPIRestriction", device(), NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, NVML_FEATURE_ENABLED),
      NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetDriverModel", device(), NVML_DRIVER_WDDM, 0U), NVML_ERROR_NOT_SUPPORTED);
  int celsius = 80;
  EXPECT_EQ(call("nvmlDeviceSetTemperatureThreshold", device(), NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &celsius),
            NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Setters, PendingModesAndVolatileErrorsWaitForAReset) {
  start(
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n  gpu_operation_mode: {current: all_on}\n"
      "  ecc: {errors: {volatile: {double_bit: {device_memory: 5}}, aggregate: {double_bit: {device_memory: 7}}}}\n");
  EXPECT_EQ(call("nvmlDeviceSetEccMode", device(), NVML_FEATURE_DISABLED), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceSetGpuOperationMode", device(), NVML_GOM_COMPUTE), NVML_SUCCESS);
  nvmlEnableState_t now{};
  nvmlEnableState_t pending{};
  EXPECT_EQ(call("nvmlDeviceGetEccMode", device(), &now, &pending), NVML_SUCCESS);
  EXPECT_EQ(now, NVML_FEATURE_ENABLED);
  EXPECT_EQ(pending, NVML_FEATURE_DISABLED);
  const auto errors = [](nvmlEccCounterType_t period) {
    return get<unsigned long long>("nvmlDeviceGetTotalEccErrors", device(), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, period);
  };
  EXPECT_EQ(errors(NVML_AGGREGATE_ECC), 7U);
  EXPECT_EQ(call("nvmlDeviceClearEccErrorCounts", device(), NVML_AGGREGATE_ECC), NVML_SUCCESS);
  EXPECT_EQ(errors(NVML_AGGREGATE_ECC), 0U);
  EXPECT_EQ(errors(NVML_VOLATILE_ECC), 5U);

  const unsigned char id[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
  const void* table = nullptr;
  ASSERT_EQ(call("nvmlInternalGetExportTable", &table, static_cast<const void*>(id)), NVML_SUCCESS);
  using Reset = nvmlReturn_t(unsigned int, const nvmlDevice_t*, nvmlReturn_t*, unsigned int*);
  const auto reset = reinterpret_cast<Reset*>(static_cast<void* const*>(table)[168]);
  const nvmlDevice_t gpu = device();
  nvmlReturn_t result{};
  unsigned int all = 7;
  EXPECT_EQ(reset(1, &gpu, &result, &all), NVML_SUCCESS);
  EXPECT_EQ(all, 0U);
  EXPECT_EQ(call("nvmlDeviceGetEccMode", device(), &now, &pending), NVML_SUCCESS);
  EXPECT_EQ(now, NVML_FEATURE_DISABLED);
  nvmlGpuOperationMode_t mode{};
  nvmlGpuOperationMode_t next{};
  EXPECT_EQ(call("nvmlDeviceGetGpuOperationMode", device(), &mode, &next), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_GOM_COMPUTE);
}

TEST_F(Setters, Fans) {
  start(
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n"
      "  fan: {count: 2, speed_percent: 40, min_percent: 30, max_percent: 90, speed_rpm: 1000}\n");
  const auto speed = [] { return get<unsigned int>("nvmlDeviceGetFanSpeed_v2", device(), 1U); };
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", device(), 1U, 80U), NVML_SUCCESS);
  EXPECT_EQ(speed(), 80U);
  EXPECT_EQ(get<unsigned int>("nvmlDeviceGetFanSpeed", device()), 80U);
  EXPECT_EQ(get<nvmlFanControlPolicy_t>("nvmlDeviceGetFanControlPolicy_v2", device(), 1U), FAN_POLICY_MANUAL);
  nvmlFanSpeedInfo_v1_t rpm{version_tag<nvmlFanSpeedInfo_v1_t>, 0, 0};
  EXPECT_EQ(call("nvmlDeviceGetFanSpeedRPM", device(), &rpm), NVML_SUCCESS);
  EXPECT_EQ(rpm.speed, 2000U);
  for (const auto bad : {29U, 91U})
    EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", device(), 0U, bad), NVML_ERROR_INVALID_ARGUMENT) << bad;
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", device(), 2U, 50U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceSetFanControlPolicy", device(), 0U, nvmlFanControlPolicy_t{7}),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceSetDefaultFanSpeed_v2", device(), 0U), NVML_SUCCESS);
  EXPECT_EQ(speed(), 40U);
  EXPECT_EQ(call("nvmlDeviceSetFanControlPolicy", device(), 0U, nvmlFanControlPolicy_t{FAN_POLICY_MANUAL}),
            NVML_SUCCESS);
  EXPECT_EQ(speed(), 40U);
}

TEST_F(Setters, TargetTemperature) {
  start(
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n"
      "  thermal: {target_temperature_c: 85, target_min_c: 65, target_max_c: 90}\n");
  int celsius = 70;
  EXPECT_EQ(call("nvmlDeviceSetTemperatureThreshold", device(), NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR, &celsius),
            NVML_SUCCESS);
  celsius = 91;
  EXPECT_EQ(call("nvmlDeviceSetTemperatureThreshold", device(), NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR, &celsius),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(get<unsigned int>("nvmlDeviceGetTemperatureThreshold", device(), NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR),
            70U);
}

// An answer of two values is of one moment, whatever other threads do.
TEST_F(Setters, ThreadsReadWholeAnswers) {
  start("h100");
  const auto gpu = device();
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!done) {
        nvmlEnableState_t now{};
        nvmlEnableState_t pending{};
        unsigned int mw = 0;
        failures += call("nvmlDeviceGetEccMode", gpu, &now, &pending) != NVML_SUCCESS;
        failures += call("nvmlDeviceGetEnforcedPowerLimit", gpu, &mw) != NVML_SUCCESS || mw % 100'000 != 0;
      }
    });
  std::vector<std::thread> writers;
  for (unsigned int t = 0; t < 2; ++t)
    writers.emplace_back([&, t] {
      for (unsigned int i = 0; i < 500; ++i) {
        failures += call("nvmlDeviceSetPowerManagementLimit", gpu, 200'000U + 100'000U * ((i + t) % 6)) != NVML_SUCCESS;
        failures += call("nvmlDeviceSetEccMode", gpu, i % 2 == 0 ? NVML_FEATURE_DISABLED : NVML_FEATURE_ENABLED) !=
                    NVML_SUCCESS;
      }
    });
  for (auto& thread : writers) thread.join();
  done = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace nvmlkit::driver_test
