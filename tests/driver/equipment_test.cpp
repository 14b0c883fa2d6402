// What a machine file may put into a machine and most machines lack: confidential computing, S-class units, excluded
// GPUs, sessions, bridge chips, and what a GPU tells of repairs.
#include <cstring>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

class Equipment : public Loaded {
 protected:
  template <class T>
  static T versioned() {
    T out{};
    out.version = version_tag<T>;
    return out;
  }
  static nvmlFieldValue_t field(unsigned int id) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    return value;
  }
};

TEST_F(Equipment, ConfidentialComputingIsOffAndKnown) {
  start("h100");
  nvmlConfComputeSystemState_t state{9, 9, 9};
  ASSERT_EQ(call("nvmlSystemGetConfComputeState", &state), NVML_SUCCESS);
  EXPECT_EQ(state.ccFeature, 0U);
  EXPECT_EQ(state.environment, 0U);
  nvmlConfComputeMemSizeInfo_t sizes{1, 1};
  ASSERT_EQ(call("nvmlDeviceGetConfComputeMemSizeInfo", device(), &sizes), NVML_SUCCESS);
  EXPECT_EQ(sizes.protectedMemSizeKib, 0U);
  EXPECT_EQ(call("nvmlSystemSetConfComputeGpusReadyState", 1U), NVML_ERROR_NOT_SUPPORTED);
  nvmlConfComputeGpuCertificate_t certificate{};
  EXPECT_EQ(call("nvmlDeviceGetConfComputeGpuCertificate", device(), &certificate), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Equipment, GpusWithoutConfidentialComputingKnowNothingOfIt) {
  start("a100");
  nvmlConfComputeSystemState_t state{};
  EXPECT_EQ(call("nvmlSystemGetConfComputeState", &state), NVML_ERROR_NOT_SUPPORTED);
  auto settings = versioned<nvmlSystemConfComputeSettings_t>();
  EXPECT_EQ(call("nvmlSystemGetConfComputeSettings", &settings), NVML_ERROR_NOT_SUPPORTED);
  nvmlConfComputeMemSizeInfo_t sizes{};
  EXPECT_EQ(call("nvmlDeviceGetConfComputeMemSizeInfo", device(), &sizes), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Equipment, ConfidentialComputingThatIsOn) {
  start("base: h100\nsystem: {num_devices: 2, conf_compute: {feature: enabled, cpu_caps: 2}}\n");
  auto settings = versioned<nvmlSystemConfComputeSettings_t>();
  ASSERT_EQ(call("nvmlSystemGetConfComputeSettings", &settings), NVML_SUCCESS);
  EXPECT_EQ(settings.ccFeature, 1U);
  EXPECT_EQ(settings.environment, static_cast<unsigned int>(CC_SYSTEM_ENVIRONMENT_PROD));
  EXPECT_EQ(settings.multiGpuMode, 0U);

  unsigned int ready = 9;
  ASSERT_EQ(call("nvmlSystemGetConfComputeGpusReadyState", &ready), NVML_SUCCESS);
  EXPECT_EQ(ready, 0U);
  auto threshold = versioned<nvmlConfComputeSetKeyRotationThresholdInfo_t>();
  threshold.maxAttackerAdvantage = 66;
  EXPECT_EQ(call("nvmlSystemSetConfComputeKeyRotationThresholdInfo", &threshold), NVML_ERROR_INVALID_ARGUMENT);
  threshold.maxAttackerAdvantage = 55;
  EXPECT_EQ(call("nvmlSystemSetConfComputeKeyRotationThresholdInfo", &threshold), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlSystemSetConfComputeGpusReadyState", 1U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlSystemSetConfComputeKeyRotationThresholdInfo", &threshold), NVML_ERROR_INVALID_STATE);
  auto told = versioned<nvmlConfComputeGetKeyRotationThresholdInfo_t>();
  ASSERT_EQ(call("nvmlSystemGetConfComputeKeyRotationThresholdInfo", &told), NVML_SUCCESS);
  EXPECT_EQ(told.attackerAdvantage, 55U);

  EXPECT_EQ(call("nvmlDeviceSetConfComputeUnprotectedMemSize", device(), 1024ULL), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlDeviceSetConfComputeUnprotectedMemSize", device(), ~0ULL), NVML_ERROR_INVALID_ARGUMENT);
  nvmlConfComputeMemSizeInfo_t sizes{};
  nvmlMemory_t memory{};
  ASSERT_EQ(call("nvmlDeviceGetConfComputeMemSizeInfo", device(), &sizes), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", device(), &memory), NVML_SUCCESS);
  EXPECT_EQ(sizes.unprotectedMemSizeKib, 1024U);
  EXPECT_EQ(sizes.protectedMemSizeKib + sizes.unprotectedMemSizeKib, memory.total / 1024);
  nvmlMemory_t inside{};
  ASSERT_EQ(call("nvmlDeviceGetConfComputeProtectedMemoryUsage", device(), &inside), NVML_SUCCESS);
  EXPECT_EQ(inside.total, sizes.protectedMemSizeKib * 1024);
  EXPECT_EQ(inside.used + inside.free, inside.total);
}

TEST_F(Equipment, ReportsCarryTheNonceAndDifferByGpu) {
  start("base: h100\nsystem: {num_devices: 2, conf_compute: {feature: enabled}}\n");
  std::vector<nvmlConfComputeGpuAttestationReport_t> reports(3);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::memset(reports[i].nonce, i == 1 ? 7 : 5, sizeof reports[i].nonce);
    ASSERT_EQ(call("nvmlDeviceGetConfComputeGpuAttestationReport", device(i == 2 ? 1 : 0), &reports[i]), NVML_SUCCESS);
    EXPECT_GT(reports[i].attestationReportSize, 1000U);
    EXPECT_LT(reports[i].attestationReportSize, sizeof reports[i].attestationReport);
    EXPECT_EQ(reports[i].isCecAttestationReportPresent, 0U);
  }
  const auto same = [&](std::size_t a, std::size_t b, std::size_t from) {
    return std::memcmp(reports[a].attestationReport + from, reports[b].attestationReport + from,
                       reports[a].attestationReportSize - from) == 0;
  };
  EXPECT_EQ(std::memcmp(reports[0].attestationReport + 4, reports[0].nonce, sizeof reports[0].nonce), 0);
  EXPECT_TRUE(same(0, 1, 36));  // behind the nonce
  EXPECT_FALSE(same(0, 1, 0));
  EXPECT_FALSE(same(0, 2, 0));
  nvmlConfComputeGpuCertificate_t certificate{};
  ASSERT_EQ(call("nvmlDeviceGetConfComputeGpuCertificate", device(), &certificate), NVML_SUCCESS);
  const std::string chain(reinterpret_cast<const char*>(certificate.certChain), certificate.certChainSize);
  EXPECT_EQ(chain.find("-----BEGIN CERTIFICATE-----\n"), 0U);
  EXPECT_EQ(chain.substr(chain.size() - 26), "-----END CERTIFICATE-----\n");
}

constexpr const char* kSClass = R"(base: v100
system: {num_devices: 4, enforce_privilege: false}
units:
  - {name: S1070, serial: "0325", fans: [{speed_rpm: 3000}, {failed: true}], gpus: [2, 3], temperature: {board_c: 41}}
  - {gpus: [0, 1]}
host_interface_cards: [{id: 7, firmware_version: "7.7"}]
excluded_gpus: [{bus_id: "0000:81:00.0", uuid: GPU-11111111-2222-3333-4444-555555555555}]
)";

TEST_F(Equipment, UnitsAreWhatTheMachineFileSays) {
  start(kSClass);
  unsigned int count = 0;
  ASSERT_EQ(call("nvmlUnitGetCount", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 2U);
  nvmlUnit_t unit = nullptr, other = nullptr;
  ASSERT_EQ(call("nvmlUnitGetHandleByIndex", 0U, &unit), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlUnitGetHandleByIndex", 1U, &other), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlUnitGetHandleByIndex", 2U, &unit), NVML_ERROR_INVALID_ARGUMENT);
  nvmlUnitInfo_t info{};
  ASSERT_EQ(call("nvmlUnitGetUnitInfo", unit, &info), NVML_SUCCESS);
  EXPECT_STREQ(info.name, "S1070");
  EXPECT_STREQ(info.serial, "0325");
  EXPECT_EQ(call("nvmlUnitGetUnitInfo", reinterpret_cast<nvmlUnit_t>(&info), &info), NVML_ERROR_INVALID_ARGUMENT);
  nvmlUnitFanSpeeds_t fans{};
  ASSERT_EQ(call("nvmlUnitGetFanSpeedInfo", unit, &fans), NVML_SUCCESS);
  EXPECT_EQ(fans.count, 2U);
  EXPECT_EQ(fans.fans[0].speed, 3000U);
  EXPECT_EQ(fans.fans[1].state, NVML_FAN_FAILED);
  unsigned int celsius = 0;
  EXPECT_EQ(call("nvmlUnitGetTemperature", unit, 2U, &celsius), NVML_SUCCESS);
  EXPECT_EQ(celsius, 41U);
  EXPECT_EQ(call("nvmlUnitGetTemperature", unit, 3U, &celsius), NVML_ERROR_INVALID_ARGUMENT);
  nvmlPSUInfo_t psu{};
  ASSERT_EQ(call("nvmlUnitGetPsuInfo", other, &psu), NVML_SUCCESS);
  EXPECT_STREQ(psu.state, "Normal");
  nvmlDevice_t devices[2] = {};
  count = 1;
  EXPECT_EQ(call("nvmlUnitGetDevices", unit, &count, +devices), NVML_ERROR_INSUFFICIENT_SIZE);
  ASSERT_EQ(call("nvmlUnitGetDevices", unit, &count, +devices), NVML_SUCCESS);
  EXPECT_EQ(devices[1], device(3));
  // All LEDs switch together.
  EXPECT_EQ(call("nvmlUnitSetLedState", unit, NVML_LED_COLOR_AMBER), NVML_SUCCESS);
  nvmlLedState_t led{};
  ASSERT_EQ(call("nvmlUnitGetLedState", other, &led), NVML_SUCCESS);
  EXPECT_EQ(led.color, NVML_LED_COLOR_AMBER);
  count = 1;
  nvmlHwbcEntry_t card{};
  ASSERT_EQ(call("nvmlSystemGetHicVersion", &count, &card), NVML_SUCCESS);
  EXPECT_EQ(card.hwbcId, 7U);
  EXPECT_STREQ(card.firmwareVersion, "7.7");
}

TEST_F(Equipment, UnitsOfWhichNothingIsSaidAreThere) {
  start("base: v100\nsystem: {unit_count: 1, enforce_privilege: false}\n");
  nvmlUnit_t unit = nullptr;
  ASSERT_EQ(call("nvmlUnitGetHandleByIndex", 0U, &unit), NVML_SUCCESS);
  nvmlUnitInfo_t info{};
  ASSERT_EQ(call("nvmlUnitGetUnitInfo", unit, &info), NVML_SUCCESS);
  EXPECT_STREQ(info.name, "S2050");
  ASSERT_EQ(call("nvmlUnitSetLedState", unit, NVML_LED_COLOR_AMBER), NVML_SUCCESS);
  nvmlLedState_t led{};
  ASSERT_EQ(call("nvmlUnitGetLedState", unit, &led), NVML_SUCCESS);
  EXPECT_EQ(led.color, NVML_LED_COLOR_AMBER);
  EXPECT_STREQ(led.cause, "Set by software");
}

TEST_F(Equipment, ExcludedGpusAreListed) {
  start(kSClass);
  unsigned int count = 0;
  ASSERT_EQ(call("nvmlGetExcludedDeviceCount", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 1U);
  nvmlExcludedDeviceInfo_t info{};
  ASSERT_EQ(call("nvmlGetBlacklistDeviceInfoByIndex", 0U, &info), NVML_SUCCESS);
  EXPECT_STREQ(info.pciInfo.busId, "00000000:81:00.0");
  EXPECT_STREQ(info.uuid, "GPU-11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(call("nvmlGetExcludedDeviceInfoByIndex", 1U, &info), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Equipment, SessionsAndTheirAveragesAgree) {
  start(R"(base: t4
device_defaults:
  encoder_sessions: [{id: 1, pid: 10, codec: hevc, average_fps: 30}, {id: 2, pid: 11, average_fps: 60}]
  fbc_sessions: [{id: 5, pid: 12, type: cuda}]
  bridge_chips: [{type: bro4, firmware_version: 66}]
  clock_monitor: {supported: true, faults: [{domain: 1, mask: 2}]}
)");
  unsigned int count = 2, fps = 0, latency = 0;
  nvmlEncoderSessionInfo_t sessions[2]{};
  ASSERT_EQ(call("nvmlDeviceGetEncoderSessions", device(), &count, +sessions), NVML_SUCCESS);
  EXPECT_EQ(sessions[0].codecType, NVML_ENCODER_QUERY_HEVC);
  EXPECT_EQ(sessions[1].pid, 11U);
  ASSERT_EQ(call("nvmlDeviceGetEncoderStats", device(), &count, &fps, &latency), NVML_SUCCESS);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(fps, 45U);
  nvmlFBCSessionInfo_t capture{};
  count = 1;
  ASSERT_EQ(call("nvmlDeviceGetFBCSessions", device(), &count, &capture), NVML_SUCCESS);
  EXPECT_EQ(capture.sessionType, NVML_FBC_SESSION_TYPE_CUDA);
  nvmlBridgeChipHierarchy_t bridges{};
  ASSERT_EQ(call("nvmlDeviceGetBridgeChipInfo", device(), &bridges), NVML_SUCCESS);
  EXPECT_EQ(bridges.bridgeCount, 1);
  EXPECT_EQ(bridges.bridgeChipInfo[0].fwVersion, 66U);
  nvmlClkMonStatus_t clocks{};
  ASSERT_EQ(call("nvmlDeviceGetClkMonStatus", device(), &clocks), NVML_SUCCESS);
  EXPECT_EQ(clocks.bGlobalStatus, 1U);
  EXPECT_EQ(clocks.clkMonList[0].clkDomainFaultMask, 2U);
}

TEST_F(Equipment, RepairsAreToldByTheGpusThatHaveThem) {
  start("base: a100\nsystem: {driver_version: \"610.57.04\"}\n");
  auto repair = versioned<nvmlRepairStatus_t>();
  EXPECT_EQ(call("nvmlDeviceGetRepairStatus", device(), &repair), NVML_SUCCESS);
  nvmlUnrepairableMemoryStatus_v1_t memory{};
  EXPECT_EQ(call("nvmlDeviceGetUnrepairableMemoryFlag_v1", device(), &memory), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_DEV_RETIRED_SBE).nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(field(FI_DEV_REMAPPED_ROWS_COR_INACTIVE).nvmlReturn, NVML_SUCCESS);
}

TEST_F(Equipment, ScopesThatTheGpuLacksAreNotSupported) {
  start("h100");
  for (const auto& [scope, expected] :
       {std::pair(POWER_SCOPE_GPU, NVML_SUCCESS), std::pair(POWER_SCOPE_MEMORY, NVML_ERROR_NOT_SUPPORTED),
        std::pair(POWER_SCOPE_GPU_BASE, NVML_ERROR_INVALID_ARGUMENT),
        std::pair(POWER_SCOPE_COUNT, NVML_ERROR_INVALID_ARGUMENT)}) {
    nvmlFieldValue_t value{};
    value.fieldId = FI_DEV_POWER_INSTANT;
    value.scopeId = scope;
    ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.nvmlReturn, expected) << scope;
    ASSERT_EQ(call("nvmlDeviceClearFieldValues", device(), 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.nvmlReturn, expected == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : expected);
  }
}

TEST_F(Equipment, RetiredPagesByFieldValue) {
  start(R"(base: v100
device_defaults:
  retired_pages: {pending_retirement: true, single_bit_retirement: {count: 2, addresses: [0x1000]}}
)");
  EXPECT_EQ(field(FI_DEV_RETIRED_SBE).value.uiVal, 2U);
  EXPECT_EQ(field(FI_DEV_RETIRED_DBE).value.uiVal, 0U);
  EXPECT_EQ(field(FI_DEV_RETIRED_PENDING).value.uiVal, 1U);
  EXPECT_EQ(field(FI_DEV_RETIRED_PENDING_SBE).value.uiVal, 1U);
  EXPECT_EQ(field(FI_DEV_RETIRED_PENDING_DBE).value.uiVal, 0U);
}

TEST_F(Equipment, DramEncryptionChangesWithTheNextReboot) {
  start(R"(base: rtxpro6000
system: {enforce_privilege: false}
device_defaults:
  ecc: {mode_current: enabled, sram: {unique_errors: [{unit: 3, address: 0x40, parity: true, count: 2}]}}
)");
  auto wanted = versioned<nvmlDramEncryptionInfo_t>();
  wanted.encryptionState = NVML_FEATURE_ENABLED;
  ASSERT_EQ(call("nvmlDeviceSetDramEncryptionMode", device(), &wanted), NVML_SUCCESS);
  auto current = versioned<nvmlDramEncryptionInfo_t>(), pending = versioned<nvmlDramEncryptionInfo_t>();
  ASSERT_EQ(call("nvmlDeviceGetDramEncryptionMode", device(), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current.encryptionState, NVML_FEATURE_DISABLED);
  EXPECT_EQ(pending.encryptionState, NVML_FEATURE_ENABLED);
  auto errors = versioned<nvmlEccSramUniqueUncorrectedErrorCounts_t>();
  EXPECT_EQ(call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", device(), &errors), NVML_ERROR_INSUFFICIENT_SIZE);
  ASSERT_EQ(errors.entryCount, 1U);
  nvmlEccSramUniqueUncorrectedErrorEntry_v1_t entry{};
  errors.entries = &entry;
  ASSERT_EQ(call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", device(), &errors), NVML_SUCCESS);
  EXPECT_EQ(entry.unit, 3U);
  EXPECT_EQ(entry.isParity, 1U);
  EXPECT_EQ(entry.count, 2U);
}

}  // namespace
}  // namespace nvmlkit::driver_test
