// What a process starts with: its machine and what the environment says. Each test needs a process of its own.
#include <unistd.h>

#include <fstream>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

std::string machine_file(const std::string& text) {
  const auto path = testing::TempDir() + "/cuda_machine_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(CudaStart, NoVisibleGpuIsNoDevice) {
  if (!has_own_process()) return;
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(driver().cuInit(0u), CUDA_ERROR_NO_DEVICE);
  int count = 0;
  EXPECT_EQ(driver().cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(CudaStart, VisibleGpusAreCountedFromZero) {
  if (!has_own_process()) return;
  setenv("CUDA_VISIBLE_DEVICES", "5,2", 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  int count = 0;
  char first[32] = {}, second[32] = {};
  EXPECT_EQ(driver().cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(driver().cuDeviceGetPCIBusId(&first[0], 32, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDeviceGetPCIBusId(&second[0], 32, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_GT(std::string(first), second);
}

TEST(CudaStart, AProhibitedGpuHasNoContexts) {
  if (!has_own_process()) return;
  const auto file = machine_file("version: \"1.0\"\nbase: h100\ndevice_defaults: {compute_mode: prohibited}\n");
  setenv("NVMLKIT_MACHINE", file.c_str(), 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  CUcontext context = nullptr;
  EXPECT_EQ(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}), CUDA_ERROR_DEVICE_UNAVAILABLE);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRetain(&context, CUdevice{0}), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

TEST(CudaStart, ADriverOfCuda13KnowsMoreAttributes) {
  if (!has_own_process()) return;
  const auto file = machine_file(
      "version: \"1.0\"\nbase: h100\nsystem: {driver_version: 580.159.04, cuda_version_major: 13, cuda_version_minor: "
      "0}\n");
  setenv("NVMLKIT_MACHINE", file.c_str(), 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  int value = 0;
  for (int which = 135; which <= 147; ++which)
    EXPECT_EQ(driver().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(value, 0x233010DE);
  EXPECT_EQ(driver().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(148), CUdevice{0}),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(CudaStart, WhatOthersUseIsNotFree) {
  if (!has_own_process()) return;
  const auto file = machine_file("version: \"1.0\"\nbase: t4\ndevice_defaults: {memory: {used_bytes: 1073741824}}\n");
  setenv("NVMLKIT_MACHINE", file.c_str(), 1);
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&context, 0u, CUdevice{0}), CUDA_SUCCESS);
  std::size_t free = 0, total = 0;
  EXPECT_EQ(driver().cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  constexpr std::size_t kContext = std::size_t{40} * 1024 * 2048;  // of all threads that run at once
  EXPECT_EQ(total - free, 1073741824u + kContext);
}

TEST(CudaStart, AMachineFileThatIsWrongIsOneLine) {
  if (!has_own_process()) return;
  setenv("NVMLKIT_MACHINE", "no-such-machine", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver().cuInit(0u), CUDA_ERROR_UNKNOWN);
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("nvmlkit: "), 0u) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
}

}  // namespace
}  // namespace nvmlkit::cuda_test
