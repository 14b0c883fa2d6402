// Broken machines and functions with configured failures, as a program sees them.
#include <chrono>

#include "broken_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Faults, TheMachineItself) {
  start_shared("h100");
  const std::pair<const char*, nvmlReturn_t> faults[] = {{"driver-not-loaded", NVML_ERROR_DRIVER_NOT_LOADED},
                                                         {"version-mismatch", NVML_ERROR_LIB_RM_VERSION_MISMATCH},
                                                         {"no-permission", NVML_ERROR_NO_PERMISSION}};
  for (const auto& [name, result] : faults) {
    inject(std::string("machine ") + name);
    EXPECT_EQ(call("nvmlInit_v2"), result) << name;
    EXPECT_EQ(call("nvmlInitWithFlags", 0U), result) << name;
  }
  inject("machine no-devices");
  start_library();
  EXPECT_EQ(count(), 0U);
  heal("machine");
  EXPECT_EQ(count(), 2U);
}

TEST_F(Faults, AFunctionFailsAfterSomeCallsForSome) {
  start_shared("h100");
  start_library();
  inject("gpu=0 fail nvmlDeviceGetTemperature UNKNOWN --after 2 --times 3");
  std::vector<nvmlReturn_t> results;
  for (int i = 0; i < 7; ++i) results.push_back(temperature(device(0)));
  const auto good = NVML_SUCCESS, bad = NVML_ERROR_UNKNOWN;
  EXPECT_EQ(results, (std::vector<nvmlReturn_t>{good, good, bad, bad, bad, good, good}));
  EXPECT_EQ(temperature(device(1)), NVML_SUCCESS);
  inject("machine fail nvmlSystemGetDriverVersion NVML_ERROR_TIMEOUT");
  char text[80];
  EXPECT_EQ(call("nvmlSystemGetDriverVersion", text, 80U), NVML_ERROR_TIMEOUT);
  heal("machine");
  EXPECT_EQ(call("nvmlSystemGetDriverVersion", text, 80U), NVML_SUCCESS);
}

TEST_F(Faults, TheLogShowsFieldValues) {
  const auto log = testing::TempDir() + "/field_values_" + std::to_string(getpid()) + ".log";
  start_shared("h100", "1");
  setenv("NVMLKIT_DEBUG", log.c_str(), 1);
  start_library();
  nvmlFieldValue_t values[40]{};
  values[0].fieldId = FI_DEV_POWER_MAX_LIMIT;
  values[1].fieldId = FI_DEV_NVLINK_GET_STATE;
  values[1].scopeId = 99;
  const auto gpu = device();
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 2, +values), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 40, +values), NVML_SUCCESS);
  values[0].fieldId = FI_DEV_NVLINK_ERROR_DL_CRC;
  EXPECT_EQ(call("nvmlDeviceClearFieldValues", gpu, 1, +values), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 0, +values), NVML_ERROR_INVALID_ARGUMENT);
  inject("gpu=0 lost");
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 1, +values), NVML_ERROR_GPU_IS_LOST);
  unsetenv("NVMLKIT_DEBUG");
  std::ifstream in(log);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  unlink(log.c_str());
  for (const char* expected :
       {"valuesCount=2, values=[{id=188, scope=0, 700000}, {id=165, scope=99, INVALID_ARGUMENT}]) = SUCCESS",
        "{id=0, scope=0, INVALID_ARGUMENT}, ...]) = SUCCESS", "values=[{id=163, scope=0, SUCCESS}]) = SUCCESS",
        "valuesCount=1, values=[{id=163, scope=0}]) = GPU_IS_LOST", "valuesCount=0, values=0x"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << '\n' << text;
}

// A client looks at the results of the values. The driver knows what repairs the GPU without asking it.
TEST_F(Faults, FieldValuesOfAGpuThatNeedsAReset) {
  start_shared("h100", "1");
  start_library();
  const auto gpu = device();
  nvmlFieldValue_t values[3]{};
  values[0].fieldId = FI_DEV_POWER_MAX_LIMIT;
  values[1].fieldId = FI_DEV_GET_GPU_RECOVERY_ACTION;
  values[2].fieldId = FI_DEV_RESET_STATUS;
  inject("gpu=0 reset-required");
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 3, +values), NVML_SUCCESS);
  EXPECT_EQ(values[0].nvmlReturn, NVML_ERROR_RESET_REQUIRED);
  EXPECT_EQ(values[1].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(values[1].value.uiVal, 1U);
  EXPECT_EQ(values[2].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(values[2].value.uiVal, 1U);
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 0, +values), NVML_ERROR_RESET_REQUIRED);
  inject("gpu=0 lost");
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 3, +values), NVML_ERROR_GPU_IS_LOST);
  for (const auto& value : values) EXPECT_EQ(value.nvmlReturn, NVML_ERROR_GPU_IS_LOST);
}

TEST_F(Faults, AFunctionIsSlow) {
  start_shared("h100");
  start_library();
  inject("gpu=all slow nvmlDeviceGetTemperature 30ms --times 1");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(temperature(device(0)), NVML_SUCCESS);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(30));
}

TEST_F(Faults, FailureOfAMachineFileComesWithItsCall) {
  start(
      "version: \"1.0\"\nbase: h100\ndevices:\n  - index: 0\n    failure: {mode: fallen_off_bus, after_calls: 3, xid: "
      "{code: 79}}\n");
  nvmlEventSet_t set = set_for(kXid);
  const auto gpu = device(0);
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
  EXPECT_EQ(temperature(gpu), NVML_SUCCESS);
  EXPECT_EQ(temperature(gpu), NVML_ERROR_GPU_IS_LOST);
  char text[96];
  EXPECT_EQ(call("nvmlDeviceGetName", gpu, text, 96U), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(temperature(device(1)), NVML_SUCCESS);
  nvmlEventData_t data{};
  ASSERT_EQ(wait(set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 79U);
}

TEST_F(Faults, UncorrectableErrorsOfAMachineFileGrow) {
  start("version: \"1.0\"\nbase: h100\ndevice_defaults:\n  failure: {mode: ecc_uncorrectable, after_calls: 2}\n");
  const auto errors = [&] {
    unsigned long long out = 0;
    EXPECT_EQ(
        call("nvmlDeviceGetTotalEccErrors", device(), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, &out),
        NVML_SUCCESS);
    return out;
  };
  EXPECT_EQ(errors(), 0U);
  const auto first = errors(), second = errors();
  EXPECT_GT(first, 0U);
  EXPECT_GT(second, first);
}

TEST_F(Faults, ProbabilityIsThatOfItsSeed) {
  const std::string text =
      "version: \"1.0\"\nbase: h100\ndevice_defaults:\n  failure: {mode: lost, probability: 0.05, seed: 42}\n";
  std::vector<int> calls;
  for (int run = 0; run < 2; ++run) {
    start(text);
    const auto gpu = device(0);
    int made = 0;
    while (made < 1000 && temperature(gpu) == NVML_SUCCESS) ++made;
    calls.push_back(made);
    call("nvmlShutdown");
    started_ = false;
  }
  EXPECT_GT(calls[0], 0);
  EXPECT_LT(calls[0], 1000);
  EXPECT_EQ(calls[0], calls[1]);
}

TEST_F(Faults, AProcessOfItsOwn) {
  setenv("NVMLKIT_FAULT", "gpu=0 lost; gpu=1 fail nvmlDeviceGetTemperature UNKNOWN", 1);
  start("h100");
  nvmlDevice_t handle = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0U, &handle), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(temperature(device(1)), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(temperature(device(2)), NVML_SUCCESS);
  call("nvmlShutdown");
  started_ = false;
  setenv("NVMLKIT_FAULT", "gpu=0 explode", 1);
  EXPECT_EQ(call("nvmlInit_v2"), NVML_ERROR_UNKNOWN);
  unsetenv("NVMLKIT_FAULT");
}

}  // namespace
}  // namespace nvmlkit::driver_test
