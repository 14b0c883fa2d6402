#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class Lifecycle : public Loaded {
 protected:
  static unsigned int power_limit() {
    unsigned int limit = 0;
    EXPECT_EQ(call("nvmlDeviceGetPowerManagementLimit", device(), &limit), NVML_SUCCESS);
    return limit;
  }
};

TEST_F(Lifecycle, DefaultIsEightA100) {
  unsetenv("NVMLKIT_MACHINE");
  ASSERT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 8U);
  char name[96];
  EXPECT_EQ(call("nvmlDeviceGetName", device(), name, 96U), NVML_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(call("nvmlShutdown"), NVML_SUCCESS);
}

TEST_F(Lifecycle, BadMachineFailsInitWithOneLine) {
  setenv("NVMLKIT_MACHINE", "h1000", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(call("nvmlInit_v2"), NVML_ERROR_UNKNOWN);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("h1000"), std::string::npos) << text;
  EXPECT_NE(text.find("h100"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

TEST_F(Lifecycle, InitAfterShutdownSeesTheNewMachine) {
  unsigned int count = 0;
  start("t4");
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 4U);
  call("nvmlShutdown");
  setenv("NVMLKIT_MACHINE", "h100", 1);
  ASSERT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 8U);
}

TEST_F(Lifecycle, WhatWasSetOutlivesShutdown) {
  const std::string machine = "version: \"1.0\"\nbase: h100\nsystem: {enforce_privilege: false}\n";
  start(machine);
  ASSERT_EQ(call("nvmlDeviceSetPowerManagementLimit", device(), 300000U), NVML_SUCCESS);
  call("nvmlShutdown");
  ASSERT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
  EXPECT_EQ(power_limit(), 300000U);
}

TEST_F(Lifecycle, InitAfterTheMachineFileChangedSeesTheNewOne) {
  start("version: \"1.0\"\nbase: h100\n");
  call("nvmlShutdown");
  start("version: \"1.0\"\nbase: h100\ndevice_defaults: {power: {limit_mw: 400000}}\n");
  EXPECT_EQ(power_limit(), 400000U);
}

TEST_F(Lifecycle, InitAfterARefusedMachineTriesAgain) {
  start("h100");
  call("nvmlShutdown");
  setenv("NVMLKIT_MACHINE", "h1000", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(call("nvmlInit_v2"), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(call("nvmlInit_v2"), NVML_ERROR_UNKNOWN);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  setenv("NVMLKIT_MACHINE", "h100", 1);
  EXPECT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
}

TEST_F(Lifecycle, ManyGpus) {
  setenv("NVMLKIT_GPU_COUNT", "1024", 1);
  start("h100");
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 1024U);
  char first[96];
  char last[96];
  EXPECT_EQ(call("nvmlDeviceGetUUID", device(0), first, 96U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetUUID", device(1023), last, 96U), NVML_SUCCESS);
  EXPECT_STRNE(first, last);
}

// Seen on an H100 with driver 580: a child of a process that has called nvmlInit is answered Uninitialized.
TEST_F(Lifecycle, ForkedChildStartsAnew) {
  start("h100");
  const auto gpu = device();
  const auto child = fork();
  if (child == 0) {
    unsigned int count = 0, temperature = 0;
    char version[80];
    const auto read = [&] { return call("nvmlDeviceGetTemperature", gpu, NVML_TEMPERATURE_GPU, &temperature); };
    const bool good =
        call("nvmlDeviceGetCount_v2", &count) == NVML_ERROR_UNINITIALIZED && read() == NVML_ERROR_UNINITIALIZED &&
        call("nvmlSystemGetNVMLVersion", +version, 80U) == NVML_SUCCESS && call("nvmlInit_v2") == NVML_SUCCESS &&
        read() == NVML_SUCCESS && call("nvmlShutdown") == NVML_SUCCESS && read() == NVML_ERROR_UNINITIALIZED;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Lifecycle, ThreadsInitReadAndShutDown) {
  start("h100");
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        failures += call("nvmlInit_v2") != NVML_SUCCESS;
        unsigned int temperature = 0;
        failures += call("nvmlDeviceGetTemperature", device(), NVML_TEMPERATURE_GPU, &temperature) != NVML_SUCCESS;
        failures += call("nvmlShutdown") != NVML_SUCCESS;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(Lifecycle, ErrorStringsHaveTexts) {
  const auto text = symbol<const char*(nvmlReturn_t)>("nvmlErrorString");
  EXPECT_STREQ(text(NVML_SUCCESS), "Success");
  EXPECT_STREQ(text(NVML_ERROR_NO_PERMISSION), "Insufficient Permissions");
  EXPECT_STREQ(text(NVML_ERROR_UNKNOWN), "Unknown Error");
  EXPECT_STREQ(text(static_cast<nvmlReturn_t>(~0U)), "Unknown Error");
  EXPECT_STREQ(text(static_cast<nvmlReturn_t>(500)), "Unknown Error");
}

TEST_F(Lifecycle, EventWaitEndsWithItsTime) {
  start("h100");
  nvmlEventSet_t set = nullptr;
  ASSERT_EQ(call("nvmlEventSetCreate", &set), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(), 8ULL, set), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(), 1ULL << 62, set), NVML_ERROR_NOT_SUPPORTED);
  nvmlEventData_t data{};
  EXPECT_EQ(call("nvmlEventSetWait_v2", set, &data, 10U), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(call("nvmlEventSetFree", set), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlEventSetFree", set), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlEventSetWait_v2", set, &data, 10U), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nvmlkit::driver_test
