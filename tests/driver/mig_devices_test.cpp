// MIG devices: their handles, what they answer, and what keeps instances from going.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "mig_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Mig, Devices) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  unsigned int number = 0;
  EXPECT_EQ(call("nvmlDeviceGetMaxMigDeviceCount", device(), &number), NVML_SUCCESS);
  EXPECT_EQ(number, 7U);
  nvmlDevice_t handle = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(), 0U, &handle), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(), 7U, &handle), NVML_ERROR_INVALID_ARGUMENT);
  const auto gi = create(9);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(), 0U, &handle), NVML_ERROR_NOT_FOUND);
  create_compute(gi, 0);
  create_compute(gi, 1);

  const auto mig = mig_device(1);
  const auto tells = [&](const char* name) {
    unsigned int value = 99;
    EXPECT_EQ(call(name, mig, &value), NVML_SUCCESS) << name;
    return value;
  };
  EXPECT_EQ(tells("nvmlDeviceIsMigDeviceHandle"), 1U);
  EXPECT_EQ(tells("nvmlDeviceGetGpuInstanceId"), 2U);
  EXPECT_EQ(tells("nvmlDeviceGetComputeInstanceId"), 1U);
  EXPECT_EQ(tells("nvmlDeviceGetIndex"), 1U);
  EXPECT_EQ(call("nvmlDeviceIsMigDeviceHandle", device(), &number), NVML_SUCCESS);
  EXPECT_EQ(number, 0U);
  EXPECT_EQ(call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", mig, &handle), NVML_SUCCESS);
  EXPECT_EQ(handle, device());
  EXPECT_EQ(call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device(), &handle), NVML_ERROR_INVALID_ARGUMENT);
  char name[96] = {};
  EXPECT_EQ(call("nvmlDeviceGetName", mig, +name, 96U), NVML_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA H100 80GB HBM3 MIG 2c.3g.40gb");

  const auto id = uuid(mig);
  EXPECT_NE(id, uuid(mig_device(0)));
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", id.c_str(), &handle), NVML_SUCCESS);
  EXPECT_EQ(handle, mig);

  nvmlDeviceAttributes_t attributes{};
  EXPECT_EQ(call("nvmlDeviceGetAttributes_v2", mig, &attributes), NVML_SUCCESS);
  EXPECT_EQ(attributes.multiprocessorCount, 32U);
  EXPECT_EQ(attributes.sharedDecoderCount, 3U);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 3U);
  EXPECT_EQ(attributes.computeInstanceSliceCount, 2U);
  EXPECT_EQ(attributes.memorySizeMB, 40448U);
  std::memset(&attributes, 0xA5, sizeof attributes);
  EXPECT_EQ(call("nvmlDeviceGetAttributes", mig, &attributes), NVML_SUCCESS);
  EXPECT_EQ(attributes.multiprocessorCount, 32U);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 0xA5A5A5A5U);
  EXPECT_EQ(call("nvmlDeviceGetAttributes_v2", device(), &attributes), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceId", device(), &number), NVML_ERROR_INVALID_ARGUMENT);

  nvmlMemory_t memory{};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", mig, &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, 40448ULL << 20);
  EXPECT_EQ(memory.used + memory.free, memory.total);
  nvmlBAR1Memory_t bar1{};
  EXPECT_EQ(call("nvmlDeviceGetBAR1MemoryInfo", mig, &bar1), NVML_SUCCESS);
  EXPECT_EQ(bar1.bar1Total, 24739ULL << 20);
}

// What is measured per GPU is no answer of a MIG device; what MIG mode takes from the GPU is not supported.
TEST_F(Mig, WhatTakesNoMigDevice) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  create_compute(create(9), 2);
  unsigned int number = 0;
  nvmlUtilization_t utilization{};
  const auto mig = mig_device(0);
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", mig, &number), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", mig, &utilization), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", device(), &utilization), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", device(1), &utilization), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", mig, 0U, &number), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Mig, MemoryOfTheGpuIsThatOfItsInstances) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  for (const unsigned int profile : {9U, 14U, 19U})
    create_compute(create(profile), profile == 9 ? 2 : profile == 14 ? 1 : 0);
  unsigned long long used = 0;
  nvmlMemory_t memory{};
  for (unsigned int i = 0; i < 3; ++i) {
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", mig_device(i), &memory), NVML_SUCCESS);
    used += memory.used;
  }
  nvmlMemory_v2_t gpu{};
  gpu.version = version_tag<nvmlMemory_v2_t>;
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &gpu), NVML_SUCCESS);
  EXPECT_EQ(gpu.used, used);
}

TEST_F(Mig, ErrorsOfAnInstance) {
  start("h100",
        "device_defaults: {mig: {mode_current: enabled, instances: [{profile: 3g.40gb, sram_uncorrectable: 4}]}}\n");
  unsigned long long count = 0;
  const auto mig = mig_device(0);
  EXPECT_EQ(call("nvmlDeviceGetMemoryErrorCounter", mig, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC,
                 NVML_MEMORY_LOCATION_SRAM, &count),
            NVML_SUCCESS);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(call("nvmlDeviceGetMemoryErrorCounter", mig, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC,
                 NVML_MEMORY_LOCATION_DRAM, &count),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetTotalEccErrors", mig, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC, &count),
            NVML_ERROR_NOT_SUPPORTED);
}

// The handle of what is gone is refused; a new instance of the same ids has it again.
TEST_F(Mig, StaleHandles) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  const auto gi = create(9);
  const auto ci = create_compute(gi, 2);
  const auto mig = mig_device(0);
  const auto id = uuid(mig);
  EXPECT_EQ(call("nvmlComputeInstanceDestroy", ci), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", gi), NVML_SUCCESS);

  unsigned int number = 0;
  char name[96] = {};
  nvmlDevice_t handle = nullptr;
  nvmlGpuInstanceInfo_t gi_info{};
  nvmlComputeInstanceInfo_t ci_info{};
  nvmlComputeInstance_t other = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetName", mig, +name, 96U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceId", mig, &number), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceIsMigDeviceHandle", mig, &number), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", id.c_str(), &handle), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlGpuInstanceGetInfo", gi, &gi_info), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", gi), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpuInstanceCreateComputeInstance", gi, 0U, &other), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlComputeInstanceGetInfo_v2", ci, &ci_info), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlComputeInstanceDestroy", ci), NVML_ERROR_INVALID_ARGUMENT);

  EXPECT_EQ(create(9), gi);
  EXPECT_EQ(create_compute(gi, 2), ci);
  EXPECT_EQ(uuid(mig), id);
}

// The checks of the contract tests, with handles that are good.
TEST_F(Mig, BadArgumentsWithGoodHandles) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  const auto gi = create(9);
  const auto ci = create_compute(gi, 0);
  void* const null = nullptr;
  unsigned int number = 0;
  for (const char* name : {"nvmlGpuInstanceGetInfo"}) EXPECT_EQ(call(name, gi, null), NVML_ERROR_INVALID_ARGUMENT);
  for (const char* name : {"nvmlComputeInstanceGetInfo", "nvmlComputeInstanceGetInfo_v2"})
    EXPECT_EQ(call(name, ci, null), NVML_ERROR_INVALID_ARGUMENT) << name;
  for (const char* name : {"nvmlGpuInstanceGetComputeInstanceRemainingCapacity", "nvmlGpuInstanceCreateComputeInstance",
                           "nvmlGpuInstanceGetComputeInstanceById"})
    EXPECT_EQ(call(name, gi, 0U, null), NVML_ERROR_INVALID_ARGUMENT) << name;
  for (const char* name :
       {"nvmlGpuInstanceGetComputeInstances", "nvmlGpuInstanceGetComputeInstancePossiblePlacements"}) {
    EXPECT_EQ(call(name, gi, 0U, null, null), NVML_ERROR_INVALID_ARGUMENT) << name;
    EXPECT_EQ(call(name, gi, 0U, null, &number), NVML_SUCCESS) << name;
    EXPECT_EQ(call(name, gi, 77U, null, &number), NVML_ERROR_NOT_SUPPORTED) << name;
  }
  nvmlComputeInstanceProfileInfo_v2_t profile{};
  const auto profile_of = [&](unsigned int version, unsigned int id, unsigned int engine) {
    profile.version = version;
    return call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", gi, id, engine, &profile);
  };
  EXPECT_EQ(profile_of(version_tag<nvmlComputeInstanceProfileInfo_v2_t>, 1, 0), NVML_SUCCESS);
  EXPECT_STREQ(profile.name, "MIG 2c.3g.40gb");
  EXPECT_EQ(profile_of(1, 1, 0), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  EXPECT_EQ(profile_of(version_tag<nvmlComputeInstanceProfileInfo_v2_t>, 9, 0), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(profile_of(version_tag<nvmlComputeInstanceProfileInfo_v2_t>, 1, 1), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(profile_of(version_tag<nvmlComputeInstanceProfileInfo_v2_t>, 4, 0), NVML_ERROR_NOT_SUPPORTED);
  nvmlComputeInstanceProfileInfo_v3_t v3{};
  v3.version = version_tag<nvmlComputeInstanceProfileInfo_v3_t>;
  v3.capabilities = 77;
  EXPECT_EQ(call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", gi, 1U, 0U, &v3), NVML_SUCCESS);
  EXPECT_EQ(v3.capabilities, 0U);
  EXPECT_EQ(v3.multiprocessorCount, 32U);
}

// Handles of one kind are none of another, and any value may be handed in.
TEST_F(Mig, HandlesOfTheWrongKind) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  const auto gi = create(9);
  const auto ci = create_compute(gi, 2);
  const auto mig = mig_device(0);
  char name[96] = {};
  nvmlGpuInstanceInfo_t gi_info{};
  nvmlComputeInstanceInfo_t ci_info{};
  const void* const all[] = {device(),
                             gi,
                             ci,
                             mig,
                             nullptr,
                             reinterpret_cast<void*>(~0ULL),
                             name,
                             reinterpret_cast<const char*>(mig) + 1,
                             reinterpret_cast<const char*>(gi) - 1};
  for (const void* handle : all) {
    EXPECT_EQ(call("nvmlGpuInstanceGetInfo", handle, &gi_info) == NVML_SUCCESS, handle == gi) << handle;
    EXPECT_EQ(call("nvmlComputeInstanceGetInfo_v2", handle, &ci_info) == NVML_SUCCESS, handle == ci) << handle;
    EXPECT_EQ(call("nvmlDeviceGetName", handle, +name, 96U) == NVML_SUCCESS, handle == mig || handle == device());
  }
}

// Processes hold their instance, and others than those of instances hold the GPU.
TEST_F(Mig, ProcessesKeepInstances) {
  start("h100",
        "device_defaults:\n  mig:\n    mode_current: enabled\n    instances: [{profile: 3g.40gb, start: 4}]\n"
        "  processes: [{pid: 7, gpu_instance: 2, used_memory_mib: 100}]\n");
  nvmlGpuInstance_t gi = nullptr;
  nvmlComputeInstance_t ci = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), 2U, &gi), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlGpuInstanceGetComputeInstanceById", gi, 0U, &ci), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlComputeInstanceDestroy", ci), NVML_ERROR_IN_USE);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", gi), NVML_ERROR_IN_USE);
  nvmlMemory_t memory{};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", mig_device(0), &memory), NVML_SUCCESS);
  EXPECT_GT(memory.used, 100ULL << 20);
  nvmlGpuInstance_t other = nullptr;
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", device(), 19U, &other), NVML_SUCCESS);
}

TEST_F(Mig, AProcessOnTheWholeGpuKeepsInstancesOut) {
  start("h100", "device_defaults: {mig: {mode_current: enabled}, processes: [{pid: 7}]}\n");
  nvmlGpuInstance_t gi = nullptr;
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", device(), 19U, &gi), NVML_ERROR_IN_USE);
}

TEST_F(Mig, WithoutRootNothingChanges) {
  Loaded::start(
      "base: h100\nsystem: {num_devices: 1}\ndevice_defaults: {mig: {mode_current: enabled, instances: "
      "[{profile: 3g.40gb, start: 4}]}}\n");
  nvmlGpuInstance_t gi = nullptr;
  nvmlComputeInstance_t ci = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), 2U, &gi), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlGpuInstanceGetComputeInstanceById", gi, 0U, &ci), NVML_SUCCESS);
  const nvmlGpuInstancePlacement_t at{0, 1};
  const nvmlComputeInstancePlacement_t compute_at{0, 1};
  const auto child = fork();
  if (child == 0) {
    nvmlGpuInstance_t out = nullptr;
    nvmlComputeInstance_t compute_out = nullptr;
    const bool dropped = init_in_child() && (geteuid() != 0 || setuid(65534) == 0);
    const bool refused =
        set_mode(0) == NVML_ERROR_NO_PERMISSION &&
        call("nvmlDeviceCreateGpuInstance", device(), 19U, &out) == NVML_ERROR_NO_PERMISSION &&
        call("nvmlDeviceCreateGpuInstanceWithPlacement", device(), 19U, &at, &out) == NVML_ERROR_NO_PERMISSION &&
        call("nvmlGpuInstanceCreateComputeInstance", gi, 0U, &compute_out) == NVML_ERROR_NO_PERMISSION &&
        call("nvmlGpuInstanceCreateComputeInstanceWithPlacement", gi, 0U, &compute_at, &compute_out) ==
            NVML_ERROR_NO_PERMISSION &&
        call("nvmlComputeInstanceDestroy", ci) == NVML_ERROR_NO_PERMISSION &&
        call("nvmlGpuInstanceDestroy", gi) == NVML_ERROR_NO_PERMISSION;
    _exit(dropped && refused ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nvmlkit::driver_test
