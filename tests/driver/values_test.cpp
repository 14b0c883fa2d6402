// Answers that need more than copying a field.
#include <cstring>
#include <utility>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class Values : public Loaded {};

TEST_F(Values, EveryFieldCanDifferPerGpu) {
  start(R"(version: "1.0"
base: h100
device_defaults:
  persistence_mode: enabled
devices:
  - index: 1
    persistence_mode: disabled
    compute_mode: prohibited
    performance_state: P2
    fan: {count: 2, speed_percent: "45"}
    remapped_rows: {correctable: 3}
    inforom: {ecc_object: "9.9"}
    compute_capability: {minor: 7}
)");
  nvmlEnableState_t mode{};
  EXPECT_EQ(call("nvmlDeviceGetPersistenceMode", device(0), &mode), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_FEATURE_ENABLED);
  EXPECT_EQ(call("nvmlDeviceGetPersistenceMode", device(1), &mode), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_FEATURE_DISABLED);
  nvmlComputeMode_t compute{};
  EXPECT_EQ(call("nvmlDeviceGetComputeMode", device(1), &compute), NVML_SUCCESS);
  EXPECT_EQ(compute, NVML_COMPUTEMODE_PROHIBITED);
  nvmlPstates_t pstate{};
  EXPECT_EQ(call("nvmlDeviceGetPerformanceState", device(1), &pstate), NVML_SUCCESS);
  EXPECT_EQ(pstate, NVML_PSTATE_2);
  unsigned int speed = 0;
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", device(1), 1U, &speed), NVML_SUCCESS);
  EXPECT_EQ(speed, 45U);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", device(1), 2U, &speed), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetFanSpeed_v2", device(0), 0U, &speed), NVML_ERROR_INVALID_ARGUMENT);
  unsigned int rows[4] = {};
  EXPECT_EQ(call("nvmlDeviceGetRemappedRows", device(1), &rows[0], &rows[1], &rows[2], &rows[3]), NVML_SUCCESS);
  EXPECT_EQ(rows[0], 3U);
  char version[16];
  EXPECT_EQ(call("nvmlDeviceGetInforomVersion", device(1), NVML_INFOROM_ECC, version, 16U), NVML_SUCCESS);
  EXPECT_STREQ(version, "9.9");
  int major = 0;
  int minor = 0;
  EXPECT_EQ(call("nvmlDeviceGetCudaComputeCapability", device(1), &major, &minor), NVML_SUCCESS);
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 7);
}

TEST_F(Values, HandlesAreFoundByEveryKey) {
  start("h100");
  for (unsigned int i = 0; i < 8; ++i) {
    char text[96];
    nvmlDevice_t found = nullptr;
    ASSERT_EQ(call("nvmlDeviceGetUUID", device(i), text, 96U), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", static_cast<const char*>(text), &found), NVML_SUCCESS);
    EXPECT_EQ(found, device(i));
    ASSERT_EQ(call("nvmlDeviceGetSerial", device(i), text, 96U), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlDeviceGetHandleBySerial", static_cast<const char*>(text), &found), NVML_SUCCESS);
    EXPECT_EQ(found, device(i));
    nvmlPciInfo_t pci{};
    ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", device(i), &pci), NVML_SUCCESS);
    for (const char* spelling : {pci.busId, pci.busIdLegacy}) {
      EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", spelling, &found), NVML_SUCCESS) << spelling;
      EXPECT_EQ(found, device(i));
    }
  }
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", "GPU-none", &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", "0000:FF:1F.0", &found), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", "no address", &found), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 8U, &found), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Values, FieldValuesHaveTheirOwnResults) {
  start("h100");
  nvmlFieldValue_t values[4]{};
  values[0].fieldId = FI_DEV_MEMORY_TEMP;
  values[1].fieldId = FI_DEV_POWER_DEFAULT_LIMIT;
  values[2].fieldId = FI_DEV_POWER_DEFAULT_LIMIT;
  values[2].scopeId = 77;
  values[3].fieldId = 100000;
  ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 4, &values[0]), NVML_SUCCESS);
  EXPECT_EQ(values[0].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(values[0].valueType, NVML_VALUE_TYPE_UNSIGNED_INT);
  EXPECT_GT(values[0].timestamp, 0);
  EXPECT_EQ(values[1].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(values[1].value.uiVal, 700000U);
  EXPECT_EQ(values[2].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(values[3].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Values, SupportedClocksAreListedHighestFirst) {
  start("h100");
  unsigned int memory[8];
  unsigned int count = 8;
  ASSERT_EQ(call("nvmlDeviceGetSupportedMemoryClocks", device(), &count, &memory[0]), NVML_SUCCESS);
  ASSERT_GE(count, 1U);
  EXPECT_EQ(memory[0], 2619U);
  unsigned int graphics[512];
  count = 512;
  ASSERT_EQ(call("nvmlDeviceGetSupportedGraphicsClocks", device(), memory[0], &count, &graphics[0]), NVML_SUCCESS);
  EXPECT_EQ(graphics[0], 1980U);
  for (unsigned int i = 1; i < count; ++i) EXPECT_LT(graphics[i], graphics[i - 1]);
  count = 512;
  EXPECT_EQ(call("nvmlDeviceGetSupportedGraphicsClocks", device(), 1U, &count, &graphics[0]), NVML_ERROR_NOT_FOUND);
}

TEST_F(Values, EccCountersNeedEcc) {
  start("version: \"1.0\"\nbase: h100\ndevice_defaults:\n  ecc: {mode_current: disabled}\n");
  unsigned long long count = 0;
  EXPECT_EQ(call("nvmlDeviceGetTotalEccErrors", device(), NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC, &count),
            NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Values, EccTotalIsTheSumOfItsPlaces) {
  start(R"(version: "1.0"
base: h100
device_defaults:
  ecc:
    errors:
      aggregate:
        double_bit: {device_memory: 2, l1_cache: 3, l2_cache: 5, register_file: 7}
)");
  unsigned long long count = 0;
  ASSERT_EQ(
      call("nvmlDeviceGetTotalEccErrors", device(), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, &count),
      NVML_SUCCESS);
  EXPECT_EQ(count, 17U);
  ASSERT_EQ(call("nvmlDeviceGetMemoryErrorCounter", device(), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC,
                 NVML_MEMORY_LOCATION_SRAM, &count),
            NVML_SUCCESS);
  EXPECT_EQ(count, 15U);
}

TEST_F(Values, FabricTellsClusterAndHealth) {
  start(R"(version: "1.0"
base: gb200
device_defaults:
  fabric:
    cluster_uuid: 00112233-4455-6677-8899-aabbccddeeff
    clique_id: 7
    health: {degraded_bandwidth: true, incorrect_configuration: no_partition}
devices:
  - {index: 1, fabric: {state: in_progress}}
  - {index: 2, fabric: {state: N/A}}
)");
  nvmlGpuFabricInfo_v3_t info{};
  info.version = version_tag<nvmlGpuFabricInfo_v3_t>;
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfoV", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.state, GPU_FABRIC_STATE_COMPLETED);
  EXPECT_EQ(info.cliqueId, 7U);
  EXPECT_EQ(info.clusterUuid[0], 0x00);
  EXPECT_EQ(info.clusterUuid[15], 0xFF);
  EXPECT_EQ(info.healthMask, 1U | 2U << 2 | 2U << 4 | 2U << 6 | 4U << 8);
  EXPECT_EQ(info.healthSummary, GPU_FABRIC_HEALTH_SUMMARY_HEALTHY);
  // A client of the second version has a struct that ends before the summary.
  unsigned char bytes[48];
  std::memset(bytes, 0xA5, sizeof bytes);
  std::memcpy(bytes, &version_tag<nvmlGpuFabricInfo_v2_t>, 4);
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfoV", device(), static_cast<void*>(bytes)), NVML_SUCCESS);
  for (std::size_t i = sizeof(nvmlGpuFabricInfo_v2_t); i < sizeof bytes; ++i) EXPECT_EQ(bytes[i], 0xA5) << i;
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfoV", device(1), &info), NVML_SUCCESS);
  EXPECT_EQ(info.state, GPU_FABRIC_STATE_IN_PROGRESS);
  EXPECT_EQ(info.cliqueId, 0U);
  EXPECT_EQ(call("nvmlDeviceGetGpuFabricInfoV", device(2), &info), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Values, ClocksAreToldAsText) {
  start("h100");
  nvmlDeviceCurrentClockFreqs_t frequencies{};
  frequencies.version = version_tag<nvmlDeviceCurrentClockFreqs_v1_t>;
  ASSERT_EQ(call("nvmlDeviceGetCurrentClockFreqs", device(), &frequencies), NVML_SUCCESS);
  EXPECT_STREQ(frequencies.str,
               "nvclock=345, nvclockmin=345, nvclockmax=1980, nvclockeditable=0, memclock=2619, memclockmin=2619, "
               "memclockmax=2619, memclockeditable=0, memTransferRate=5238, memTransferRatemin=5238, "
               "memTransferRatemax=5238, memTransferRateeditable=0");
  nvmlDevicePerfModes_t modes{};
  modes.version = version_tag<nvmlDevicePerfModes_v1_t>;
  ASSERT_EQ(call("nvmlDeviceGetPerformanceModes", device(), &modes), NVML_SUCCESS);
  EXPECT_EQ(std::string(modes.str),
            "perf=0, nvclock=345, nvclockmin=345, nvclockmax=1980, nvclockeditable=0, memclock=1593, "
            "memclockmin=1593, memclockmax=1593, memclockeditable=0, memTransferRate=3186, memTransferRatemin=3186, "
            "memTransferRatemax=3186, memTransferRateeditable=0 ; perf=1, " +
                std::string(frequencies.str));
}

TEST_F(Values, UuidIsFoundByItsBytes) {
  start("h100");
  char text[96];
  ASSERT_EQ(call("nvmlDeviceGetUUID", device(3), text, 96U), NVML_SUCCESS);
  nvmlUUID_t uuid{};
  uuid.version = version_tag<nvmlUUID_v1_t>;
  uuid.type = NVML_UUID_TYPE_BINARY;
  std::string digits;
  for (const char* c = text + 4; *c; ++c)
    if (*c != '-') digits += *c;
  for (std::size_t i = 0; i < 16; ++i)
    uuid.value.bytes[i] = static_cast<unsigned char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUIDV", static_cast<const nvmlUUID_t*>(&uuid), &found), NVML_SUCCESS);
  EXPECT_EQ(found, device(3));
}

// What programs ask of every GPU, in the words of the test suites of bindings: nvml-wrapper's, pynvml's.
TEST_F(Values, WhatBindingsAskOfAConsumerGpu) {
  start("rtx4090");
  const auto number = [&](const char* name) {
    unsigned int value = 9999;
    EXPECT_EQ(call(name, device(), &value), NVML_SUCCESS) << name;
    return value;
  };
  EXPECT_EQ(number("nvmlDeviceGetIrqNum"), 128U);
  EXPECT_EQ(number("nvmlDeviceGetNumFans"), 1U);
  EXPECT_EQ(number("nvmlDeviceGetNumGpuCores"), 16384U);
  unsigned int capacity = 0, low = 0, high = 0;
  EXPECT_EQ(call("nvmlDeviceGetEncoderCapacity", device(), NVML_ENCODER_QUERY_H264, &capacity), NVML_SUCCESS);
  EXPECT_EQ(capacity, 100U);
  EXPECT_EQ(call("nvmlDeviceGetMinMaxFanSpeed", device(), &low, &high), NVML_SUCCESS);
  EXPECT_EQ(std::make_pair(low, high), std::make_pair(30U, 100U));
  nvmlFanSpeedInfo_t fan{};
  fan.version = version_tag<nvmlFanSpeedInfo_t>;
  EXPECT_EQ(call("nvmlDeviceGetFanSpeedRPM", device(), &fan), NVML_SUCCESS);
  EXPECT_EQ(fan.speed, 0U);
  nvmlClockOffset_v1_t offset{};
  offset.version = version_tag<nvmlClockOffset_v1_t>;
  offset.type = NVML_CLOCK_MEM;
  EXPECT_EQ(call("nvmlDeviceGetClockOffsets", device(), &offset), NVML_SUCCESS);
  EXPECT_EQ(offset.minClockOffsetMHz, -2000);
  EXPECT_EQ(offset.maxClockOffsetMHz, 6000);
}

// The tests of cuda-python expect both of every GPU. NVIDIA runs them on V100, T4, L4, A100, H100 and others.
TEST_F(Values, WhatBindingsAskOfEveryGpu) {
  for (const char* const gpu : {"v100", "t4", "l4", "l40s", "a100", "h100", "b200", "gb200", "rtx4090"}) {
    SCOPED_TRACE(gpu);
    start(gpu);
    nvmlDeviceCapabilities_v1_t capabilities{};
    capabilities.version = version_tag<nvmlDeviceCapabilities_v1_t>;
    EXPECT_EQ(call("nvmlDeviceGetCapabilities", device(), &capabilities), NVML_SUCCESS);
    for (const auto type : {NVML_CLOCK_GRAPHICS, NVML_CLOCK_MEM}) {
      nvmlClockOffset_v1_t offset{};
      offset.version = version_tag<nvmlClockOffset_v1_t>;
      offset.type = type;
      EXPECT_EQ(call("nvmlDeviceGetClockOffsets", device(), &offset), NVML_SUCCESS);
      EXPECT_EQ(offset.clockOffsetMHz, 0);
      EXPECT_LE(offset.minClockOffsetMHz, 0);
      EXPECT_GE(offset.maxClockOffsetMHz, 0);
    }
    call("nvmlShutdown");
    started_ = false;
  }
}

TEST_F(Values, EncodersHaveWhatIsLeft) {
  start("base: l4\ndevice_defaults: {utilization: {encoder: 35}}\n");
  unsigned int capacity = 0;
  EXPECT_EQ(call("nvmlDeviceGetEncoderCapacity", device(), NVML_ENCODER_QUERY_AV1, &capacity), NVML_SUCCESS);
  EXPECT_EQ(capacity, 65U);
}

TEST_F(Values, EccAsDelivered) {
  for (const auto& [machine, expected] :
       {std::pair("a100", NVML_FEATURE_ENABLED), std::pair("rtx4090", NVML_FEATURE_DISABLED)}) {
    start(machine);
    nvmlEnableState_t mode{};
    EXPECT_EQ(call("nvmlDeviceGetDefaultEccMode", device(), &mode), NVML_SUCCESS) << machine;
    EXPECT_EQ(mode, expected) << machine;
    call("nvmlShutdown");
    started_ = false;
  }
}

// Drivers take a number more than headers name.
TEST_F(Values, PcieTrafficOfBothDirections) {
  start("t4");
  unsigned int sent = 0, received = 0, all = 0;
  EXPECT_EQ(call("nvmlDeviceGetPcieThroughput", device(), NVML_PCIE_UTIL_TX_BYTES, &sent), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetPcieThroughput", device(), NVML_PCIE_UTIL_RX_BYTES, &received), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceGetPcieThroughput", device(), NVML_PCIE_UTIL_COUNT, &all), NVML_SUCCESS);
  EXPECT_EQ(all, sent + received);
  EXPECT_EQ(call("nvmlDeviceGetPcieThroughput", device(), NVML_PCIE_UTIL_COUNT + 1, &all), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nvmlkit::driver_test
