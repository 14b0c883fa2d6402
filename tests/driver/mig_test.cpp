// MIG through the C functions: modes, profiles, and instances that are made, listed and destroyed.
#include <cstring>
#include <string>
#include <vector>

#include "mig_support.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr const char* kBusy = "device_defaults: {processes: [{pid: 7}]}\n";

TEST_F(Mig, ModeChangesAtOnceOnAnIdleGpu) {
  for (const char* base : {"a100", "h100", "b200"}) {
    start(base);
    EXPECT_EQ(set_mode(1), NVML_SUCCESS) << base;
    EXPECT_EQ(modes(), (Modes{1, 1})) << base;
    EXPECT_EQ(set_mode(0), NVML_SUCCESS) << base;
    EXPECT_EQ(modes(), (Modes{0, 0})) << base;
    EXPECT_EQ(set_mode(2), NVML_ERROR_INVALID_ARGUMENT) << base;
    TearDown();
  }
}

TEST_F(Mig, ModeOfABusyGpuIsPending) {
  start("a100", kBusy);
  EXPECT_EQ(set_mode(1), NVML_ERROR_IN_USE);
  EXPECT_EQ(modes(), (Modes{0, 1}));
}

// Before Hopper the change is a reset, and takes what a reset takes.
TEST_F(Mig, ModeChangeResetsAmpere) {
  for (const auto& [base, after] :
       std::initializer_list<std::pair<const char*, unsigned long long>>{{"a100", 0}, {"h100", 5}}) {
    start(base, "device_defaults: {ecc: {errors: {volatile: {single_bit: {device_memory: 5}}}}}\n");
    EXPECT_EQ(set_mode(1), NVML_SUCCESS);
    unsigned long long count = 99;
    EXPECT_EQ(call("nvmlDeviceGetMemoryErrorCounter", device(), NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC,
                   NVML_MEMORY_LOCATION_DRAM, &count),
              NVML_SUCCESS);
    EXPECT_EQ(count, after) << base;
    TearDown();
  }
}

TEST_F(Mig, GpusWithoutMigSaySo) {
  start("t4");
  unsigned int number = 5;
  nvmlDevice_t handle = nullptr;
  nvmlGpuInstance_t instance = nullptr;
  nvmlGpuInstanceProfileInfo_t profile{};
  EXPECT_EQ(set_mode(1), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetMaxMigDeviceCount", device(), &number), NVML_SUCCESS);
  EXPECT_EQ(number, 0U);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(), 0U, &handle), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfo", device(), 0U, &profile), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", device(), 0U, &instance), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Mig, WithTheModeOffProfilesAreToldAndNothingIsMade) {
  start("h100");
  nvmlGpuInstanceProfileInfo_t profile{};
  nvmlGpuInstance_t instance = nullptr;
  nvmlGpuInstancePlacement_t placements[8]{};
  unsigned int count = 8;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfo", device(), 0U, &profile), NVML_SUCCESS);
  EXPECT_EQ(profile.id, 19U);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", device(), 19U, +placements, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstancePossiblePlacements", device(), 19U, +placements, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceRemainingCapacity", device(), 19U, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceRemainingCapacity", device(), 15U, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", device(), 19U, &instance), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), 0U, &instance), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", device(), 19U, &instance, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 0U);
}

// One entry point, two layouts of one size, and the first version beside them.
TEST_F(Mig, ProfilesOfEveryVersion) {
  start("h100");
  nvmlGpuInstanceProfileInfo_t v1{};
  nvmlGpuInstanceProfileInfo_v2_t v2{};
  nvmlGpuInstanceProfileInfo_v3_t v3{};
  v2.version = version_tag<nvmlGpuInstanceProfileInfo_v2_t>;
  v3.version = version_tag<nvmlGpuInstanceProfileInfo_v3_t>;
  auto* as_v2 = reinterpret_cast<nvmlGpuInstanceProfileInfo_v2_t*>(&v3);
  for (unsigned int number = 0; number < GPU_INSTANCE_PROFILE_COUNT; ++number) {
    const auto result = call("nvmlDeviceGetGpuInstanceProfileInfo", device(), number, &v1);
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), number, &v2), result);
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoV", device(), number, as_v2), result);
    if (result != NVML_SUCCESS) {
      const bool newer = number == GPU_INSTANCE_PROFILE_3_SLICE_GFX;  // than the driver
      EXPECT_EQ(result, newer ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED) << number;
      continue;
    }
    for (const auto& other : {v2}) {
      EXPECT_EQ(other.id, v1.id);
      EXPECT_EQ(other.memorySizeMB, v1.memorySizeMB);
      EXPECT_EQ(other.ofaCount, v1.ofaCount);
    }
    EXPECT_EQ(v3.id, v1.id);
    EXPECT_EQ(v3.sliceCount, v1.sliceCount);
    EXPECT_EQ(v3.memorySizeMB, v1.memorySizeMB);
    EXPECT_STREQ(v3.name, v2.name);
    EXPECT_EQ(v3.capabilities, 0U);
    EXPECT_EQ(std::string(v2.name).substr(0, 4), "MIG ");
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device(), v1.id, &v2), NVML_SUCCESS);
    EXPECT_STREQ(v3.name, v2.name);
  }
  for (const unsigned int wrong : {18U, 99U, ~0U})
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfo", device(), wrong, &v1), NVML_ERROR_INVALID_ARGUMENT) << wrong;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device(), 77U, &v2), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Mig, FieldsTellWhatTheGpuCan) {
  for (const auto& [base, resetless] :
       std::initializer_list<std::pair<const char*, unsigned int>>{{"a100", 0}, {"h100", 1}}) {
    start(base);
    nvmlFieldValue_t values[2]{};
    values[0].fieldId = FI_DEV_IS_RESETLESS_MIG_SUPPORTED;
    values[1].fieldId = FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 2, +values), NVML_SUCCESS);
    for (const auto& value : values) EXPECT_EQ(value.nvmlReturn, NVML_SUCCESS) << base;
    EXPECT_EQ(values[0].value.uiVal, resetless) << base;
    EXPECT_EQ(values[1].value.uiVal, 1U) << base;
    TearDown();
  }
}

TEST_F(Mig, AGpuMayTellProfilesOnlyInMigMode) {
  start("a100", "device_defaults: {mig: {query_without_mode: false}}\n");
  nvmlGpuInstanceProfileInfo_t profile{};
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfo", device(), 0U, &profile), NVML_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceProfileInfo", device(), 0U, &profile), NVML_SUCCESS);
}

TEST_F(Mig, ALifeOfInstances) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  const auto gi = create(9);
  const auto of = info(gi);
  EXPECT_EQ(of.device, device());
  EXPECT_EQ(of.id, 2U);
  EXPECT_EQ(of.profileId, 9U);
  EXPECT_EQ(of.placement.start, 4U);
  EXPECT_EQ(of.placement.size, 4U);

  const auto ci = create_compute(gi, 0);
  const auto second = create_compute(gi, 1);
  nvmlComputeInstanceInfo_t compute{};
  EXPECT_EQ(call("nvmlComputeInstanceGetInfo_v2", second, &compute), NVML_SUCCESS);
  EXPECT_EQ(compute.device, device());
  EXPECT_EQ(compute.gpuInstance, gi);
  EXPECT_EQ(compute.id, 1U);
  EXPECT_EQ(compute.profileId, 1U);
  EXPECT_EQ(compute.placement.start, 1U);
  EXPECT_EQ(compute.placement.size, 2U);
  std::memset(&compute, 0xA5, sizeof compute);
  EXPECT_EQ(call("nvmlComputeInstanceGetInfo", ci, &compute), NVML_SUCCESS);
  EXPECT_EQ(compute.placement.start, 0xA5A5A5A5U);  // the first version does not have it

  nvmlComputeInstance_t none = nullptr;
  EXPECT_EQ(call("nvmlGpuInstanceCreateComputeInstance", gi, 0U, &none), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(call("nvmlGpuInstanceCreateComputeInstance", gi, 4U, &none), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", gi), NVML_ERROR_IN_USE);
  EXPECT_EQ(set_mode(0), NVML_ERROR_IN_USE);
  EXPECT_EQ(modes(), (Modes{1, 0}));

  EXPECT_EQ(call("nvmlComputeInstanceDestroy", ci), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlComputeInstanceDestroy", second), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlGpuInstanceDestroy", gi), NVML_SUCCESS);
  EXPECT_EQ(set_mode(0), NVML_SUCCESS);
  EXPECT_EQ(modes(), (Modes{0, 0}));
}

TEST_F(Mig, PlacementsThatAreSaid) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  nvmlGpuInstance_t gi = nullptr;
  const auto place = [&](unsigned int profile, nvmlGpuInstancePlacement_t at) {
    return call("nvmlDeviceCreateGpuInstanceWithPlacement", device(), profile,
                static_cast<const nvmlGpuInstancePlacement_t*>(&at), &gi);
  };
  EXPECT_EQ(place(9, {1, 4}), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(place(9, {0, 3}), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(place(99, {0, 4}), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(place(9, {0, 4}), NVML_SUCCESS);
  EXPECT_EQ(info(gi).id, 1U);
  EXPECT_EQ(place(19, {3, 1}), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(place(19, {6, 1}), NVML_SUCCESS);
  EXPECT_EQ(info(gi).id, 13U);
}

TEST_F(Mig, InstancesAreListedAndFound) {
  start("h100");
  ASSERT_EQ(set_mode(1), NVML_SUCCESS);
  create(9);
  const auto first = create(19), second = create(19);
  nvmlGpuInstance_t found[8]{};
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", device(), 19U, +found, &count), NVML_SUCCESS);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(std::vector(found, found + 2), (std::vector{first, second}));
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", device(), 19U, static_cast<nvmlGpuInstance_t*>(nullptr), &count),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", device(), 99U, +found, &count), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), 2U, +found), NVML_SUCCESS);
  EXPECT_EQ(info(found[0]).profileId, 9U);
  for (const unsigned int id : {0U, 14U, 15U, 1000U})
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", device(), id, +found), NVML_ERROR_NOT_FOUND) << id;
  nvmlComputeInstance_t compute = nullptr;
  EXPECT_EQ(call("nvmlGpuInstanceGetComputeInstanceById", first, 0U, &compute), NVML_ERROR_NOT_FOUND);
  const auto made = create_compute(first, 0);
  EXPECT_EQ(call("nvmlGpuInstanceGetComputeInstanceById", first, 0U, &compute), NVML_SUCCESS);
  EXPECT_EQ(compute, made);
  nvmlComputeInstance_t all[8]{};
  EXPECT_EQ(call("nvmlGpuInstanceGetComputeInstances", first, 0U, +all, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 1U);
}

}  // namespace
}  // namespace nvmlkit::driver_test
