// What NVML 13.4 brought: Rubin's bank remapper and adaptive TGP, cliques of the fabric, telemetry of NVLinks.
#include <string_view>
#include <vector>

#include "faults_support.hpp"

namespace nvmlkit::driver_test {
namespace {

class Nvml134 : public Shared {
 protected:
  // With the driver branch of NVML 13.4: older ones lack its field ids.
  void start(const std::string& machine, const std::string& architecture = "", std::string_view driver = "615.71.09") {
    start_shared(machine);
    outside_->system().driver_version = driver;
    if (architecture == "rubin")
      for (auto& gpu : outside_->gpus()) {
        gpu.architecture = sim::model::Architecture::rubin;
        gpu.bank_remapper.active = 0U;
        gpu.bank_remapper.histogram.max_spare = 8U;
        gpu.adaptive_tgp.requested = 0U;
      }
    start_library();
  }
};

TEST_F(Nvml134, BanksAreRemappedByTheFaultModel) {
  start("b200", "rubin");
  nvmlEccBankRemapperStatus_v1_t status{};
  ASSERT_EQ(call("nvmlDeviceGetBankRemapperStatus_v1", device(), &status), NVML_SUCCESS);
  EXPECT_EQ(status.bPending, 0U);
  EXPECT_EQ(status.histogram.maxSpareGroupCount, 8U);
  inject("gpu=0 bank-remap no-spare");
  ASSERT_EQ(call("nvmlDeviceGetBankRemapperStatus_v1", device(), &status), NVML_SUCCESS);
  EXPECT_EQ(status.activeRemappings, 0U);
  EXPECT_EQ(status.inactiveRemappings, 1U);
  EXPECT_EQ(status.bPending, 1U);
  EXPECT_EQ(status.histogram.maxSpareGroupCount, 7U);
  EXPECT_EQ(status.histogram.noSpareGroupCount, 1U);
  std::vector<nvmlFieldValue_t> values(5);
  for (unsigned int i = 0; i < 5; ++i) values[i].fieldId = FI_DEV_ACTIVE_BANK_REMAPPINGS + i;
  ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 5, values.data()), NVML_SUCCESS);
  const unsigned int wanted[] = {0, 1, 7, 1, 1};
  for (unsigned int i = 0; i < 5; ++i) {
    EXPECT_EQ(values[i].nvmlReturn, NVML_SUCCESS) << i;
    EXPECT_EQ(values[i].value.uiVal, wanted[i]) << i;
  }
  heal("gpu=0 bank-remap");
  ASSERT_EQ(call("nvmlDeviceGetBankRemapperStatus_v1", device(), &status), NVML_SUCCESS);
  EXPECT_EQ(status.activeRemappings, 1U);
  EXPECT_EQ(status.inactiveRemappings, 0U);
  EXPECT_EQ(status.bPending, 0U);
}

TEST_F(Nvml134, OlderDriversLackTheFieldIds) {
  start("b200", "rubin", "610.57.04");
  nvmlFieldValue_t value{};
  value.fieldId = FI_DEV_ACTIVE_BANK_REMAPPINGS;
  ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
  EXPECT_EQ(value.nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml134, OlderGpusRemapNoBanks) {
  start("b200");
  nvmlEccBankRemapperStatus_v1_t status{};
  EXPECT_EQ(call("nvmlDeviceGetBankRemapperStatus_v1", device(), &status), NVML_ERROR_NOT_SUPPORTED);
  nvmlAdaptiveTgpModeInfo_v1_t info{};
  EXPECT_EQ(call("nvmlDeviceGetAdaptiveTgpModeInfo_v1", device(), &info), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", device(), NVML_FEATURE_ENABLED), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Nvml134, AdaptiveTgpFollowsRequestAndAdministrator) {
  start("b200", "rubin");
  nvmlAdaptiveTgpModeInfo_v1_t info{};
  ASSERT_EQ(call("nvmlDeviceGetAdaptiveTgpModeInfo_v1", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.enablementStatus, NVML_FEATURE_DISABLED);
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", device(), 2U), NVML_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", device(), NVML_FEATURE_ENABLED), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceGetAdaptiveTgpModeInfo_v1", device(), &info), NVML_SUCCESS);
  EXPECT_EQ(info.inBandEnableRequest, NVML_FEATURE_ENABLED);
  EXPECT_EQ(info.enablementStatus, NVML_FEATURE_ENABLED);
  EXPECT_EQ(info.adjustedLimitMw, *outside_->gpus()[0].power.limit_mw);
}

TEST_F(Nvml134, CliquesComeByWayOfAccess) {
  start("h100");
  nvmlGpuFabricInfoV_t before{};
  before.version = static_cast<unsigned int>(sizeof before | 3U << 24);
  nvmlGpuFabricInfo_v4_t info{};
  const auto known = call("nvmlDeviceGetGpuFabricInfoV", device(), &before);
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfo_v4", device(), &info), known);
  if (known != NVML_SUCCESS || info.state != GPU_FABRIC_STATE_COMPLETED) return;
  ASSERT_EQ(info.numCliques, 2U);
  EXPECT_EQ(info.cliques[0].type, GPU_FABRIC_CLIQUE_TYPE_UNICAST_POINTER);
  EXPECT_EQ(info.cliques[1].type, GPU_FABRIC_CLIQUE_TYPE_MULTICAST_POINTER);
  EXPECT_EQ(info.cliques[0].id, before.cliqueId);
}

TEST_F(Nvml134, TelemetrySamplesOfLinksAreCountedThenRead) {
  start("h100");
  nvmlNvlinkTelemetrySample_v1_t slots[3]{};
  slots[1].linkId = 1000;
  slots[2].sampleType = 9;
  nvmlNvlinkTelemetrySamples_v1_t list{3, slots};
  ASSERT_EQ(call("nvmlDeviceGetNvLinkTelemetrySamples_v1", device(), &list), NVML_SUCCESS);
  ASSERT_EQ(slots[0].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(slots[1].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(slots[2].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  ASSERT_GT(slots[0].sampleCount, 0U);
  std::vector<unsigned long long> samples(slots[0].sampleCount, ~0ULL);
  slots[0].samples = samples.data();
  list.telemetryCount = 1;
  ASSERT_EQ(call("nvmlDeviceGetNvLinkTelemetrySamples_v1", device(), &list), NVML_SUCCESS);
  EXPECT_EQ(slots[0].sampleCount, samples.size());
  for (const auto sample : samples) EXPECT_NE(sample, ~0ULL);
  slots[0].samples = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetNvLinkTelemetrySamples_v1", device(), &list), NVML_SUCCESS);
  EXPECT_EQ(slots[0].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  list.telemetryCount = 0;
  EXPECT_EQ(call("nvmlDeviceGetNvLinkTelemetrySamples_v1", device(), &list), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml134, GpusWithoutNvlinkHaveNoTelemetryOfIt) {
  start("t4");
  nvmlNvlinkTelemetrySample_v1_t slot{};
  nvmlNvlinkTelemetrySamples_v1_t list{1, &slot};
  EXPECT_EQ(call("nvmlDeviceGetNvLinkTelemetrySamples_v1", device(), &list), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Nvml134, TheHottestPartIsWarmerThanTheCore) {
  start_shared("h100");
  outside_->gpus()[0].thermal.hottest_part_above_c = 9U;
  start_library();
  unsigned int core = 0, hottest = 0;
  ASSERT_EQ(call("nvmlDeviceGetTemperature", device(), NVML_TEMPERATURE_GPU, &core), NVML_SUCCESS);
  ASSERT_EQ(call("nvmlDeviceGetTemperature", device(), NVML_TEMPERATURE_GPU_MAX, &hottest), NVML_SUCCESS);
  EXPECT_EQ(hottest, core + 9);
  EXPECT_EQ(call("nvmlDeviceGetTemperature", device(1), NVML_TEMPERATURE_GPU_MAX, &hottest),
            NVML_ERROR_INVALID_ARGUMENT)
      << "a driver before 615 does not know the sensor";
  nvmlTemperature_t reading{};
  reading.version = static_cast<unsigned int>(sizeof reading | 1U << 24);
  reading.sensorType = NVML_TEMPERATURE_GPU_MAX;
  ASSERT_EQ(call("nvmlDeviceGetTemperatureV", device(), &reading), NVML_SUCCESS);
  EXPECT_EQ(static_cast<unsigned int>(reading.temperature), core + 9);
}

}  // namespace
}  // namespace nvmlkit::driver_test
