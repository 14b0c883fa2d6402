// Every function and field id that shows a value which time moves shows the moved one, not what the machine file says.
#include <chrono>
#include <thread>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

// Everything that can be there is there, at rest at values that a busy GPU does not show.
constexpr const char* kBusyMachine = R"(version: "1.0"
base: h100
system: {num_devices: 1, driver_version: "595.80"}
device_defaults:
  power: {current_draw_mw: 70000, average_draw_mw: 70000, instant_draw_mw: 70000, memory_draw_mw: 30000}
  module_power: {average_draw_mw: 90000, instant_draw_mw: 90000, limit_mw: 800000, default_limit_mw: 800000}
  performance_state: P8
  fan: {count: 1, speed_percent: 20, speed_rpm: 1000}
  clocks: {memory_current: 405}
  pcie: {current_link_gen: 1, max_link_gen: 5}
  utilization: {gpu: 0, memory: 0, encoder: 0, decoder: 0, jpeg: 0, ofa: 0}
  telemetry: {performance_state: P2, slow_rise_mc_per_w: 200, slow_time_ms: 100, fast_time_ms: 10, fast_rise_mc_per_w: 10}
WORKLOAD
)";

constexpr const char* kWorkload = "  workload: {gpu: 91, memory: 47, encoder: 12, decoder: 13, jpeg: 14, ofa: 15}";

template <class T>
T first_version() {
  T out{};
  out.version = sizeof(T) | 1U << 24;
  return out;
}

class LiveValues : public Loaded {
 protected:
  void begin(const std::string& with) {
    std::string text = kBusyMachine;
    text.replace(text.find("WORKLOAD"), 8, with);
    start(text);
    // The heat meets the limit after some milliseconds; power is averaged over a second.
    std::this_thread::sleep_for(std::chrono::milliseconds(with.empty() ? 0 : 1100));
  }

  template <class Out = unsigned int, class... Args>
  static Out get(const char* name, Args... args) {
    Out out{};
    EXPECT_EQ(call(name, device(), args..., &out), NVML_SUCCESS) << name;
    return out;
  }

  static unsigned long long field(unsigned int id, unsigned int scope = 0) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.nvmlReturn, NVML_SUCCESS) << id;
    return value.valueType == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG ? value.value.ullVal : value.value.uiVal;
  }

  static unsigned int engine(const char* name) {
    unsigned int percent = 0, period = 0;
    EXPECT_EQ(call(name, device(), &percent, &period), NVML_SUCCESS) << name;
    return percent;
  }

  static std::vector<nvmlSample_t> samples(nvmlSamplingType_t type, unsigned long long since = 0) {
    nvmlValueType_t kind{};
    unsigned int count = 0;
    if (call("nvmlDeviceGetSamples", device(), type, since, &kind, &count, static_cast<nvmlSample_t*>(nullptr)) !=
        NVML_SUCCESS)
      return {};
    std::vector<nvmlSample_t> out(count);
    EXPECT_EQ(call("nvmlDeviceGetSamples", device(), type, since, &kind, &count, out.data()), NVML_SUCCESS);
    EXPECT_EQ(kind, NVML_VALUE_TYPE_UNSIGNED_INT);
    out.resize(count);
    return out;
  }
};

TEST_F(LiveValues, OfAGpuAtRest) {
  begin("");
  EXPECT_EQ(get("nvmlDeviceGetPowerUsage"), 70000u);
  EXPECT_EQ(get("nvmlDeviceGetClockInfo", NVML_CLOCK_GRAPHICS), 345u);
  EXPECT_EQ(get("nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU), 29u);
  EXPECT_EQ(get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons"), 1u);
}

TEST_F(LiveValues, OfABusyGpu) {
  begin(kWorkload);
  // Power, everywhere that it is told.
  EXPECT_GT(get("nvmlDeviceGetPowerUsage"), 75000u);
  for (const auto id : {FI_DEV_POWER_AVERAGE, FI_DEV_POWER_INSTANT}) {
    EXPECT_GT(field(id, POWER_SCOPE_GPU), 75000u);
    EXPECT_GT(field(id, POWER_SCOPE_MODULE), 95000u);
  }
  // Only the average is there of memory: nvidia-smi prints the other one as N/A in captures.
  EXPECT_GT(field(FI_DEV_POWER_AVERAGE, POWER_SCOPE_MEMORY), 30400u);
  nvmlFieldValue_t instant{};
  instant.fieldId = FI_DEV_POWER_INSTANT;
  instant.scopeId = POWER_SCOPE_MEMORY;
  ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 1, &instant), NVML_SUCCESS);
  EXPECT_EQ(instant.nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  // Heat.
  EXPECT_EQ(get("nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU), 87u);
  auto temperature = first_version<nvmlTemperature_t>();
  EXPECT_EQ(call("nvmlDeviceGetTemperatureV", device(), &temperature), NVML_SUCCESS);
  EXPECT_EQ(temperature.temperature, 87);
  auto margin = first_version<nvmlMarginTemperature_t>();
  EXPECT_EQ(call("nvmlDeviceGetMarginTemperature", device(), &margin), NVML_SUCCESS);
  EXPECT_EQ(margin.marginTemperature, 0);
  EXPECT_EQ(get<nvmlGpuThermalSettings_t>("nvmlDeviceGetThermalSettings", 0u).sensor[0].currentTemp, 87);
  EXPECT_GT(field(FI_DEV_MEMORY_TEMP), 50u);
  // Fans.
  EXPECT_EQ(get("nvmlDeviceGetFanSpeed"), 100u);
  EXPECT_EQ(get("nvmlDeviceGetFanSpeed_v2", 0u), 100u);
  EXPECT_EQ(get("nvmlDeviceGetTargetFanSpeed", 0u), 100u);
  auto rpm = first_version<nvmlFanSpeedInfo_t>();
  EXPECT_EQ(call("nvmlDeviceGetFanSpeedRPM", device(), &rpm), NVML_SUCCESS);
  EXPECT_EQ(rpm.speed, 5000u);
  // Clocks: held down by the heat.
  for (const auto domain : {NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM}) {
    EXPECT_EQ(get("nvmlDeviceGetClockInfo", domain) % 15, 0u);
    EXPECT_EQ(get("nvmlDeviceGetClock", domain, NVML_CLOCK_ID_CURRENT), get("nvmlDeviceGetClockInfo", domain));
  }
  EXPECT_EQ(get("nvmlDeviceGetClockInfo", NVML_CLOCK_MEM), 2619u);
  EXPECT_EQ(get("nvmlDeviceGetClock", NVML_CLOCK_MEM, NVML_CLOCK_ID_CURRENT), 2619u);
  auto text = first_version<nvmlDeviceCurrentClockFreqs_t>();
  EXPECT_EQ(call("nvmlDeviceGetCurrentClockFreqs", device(), &text), NVML_SUCCESS);
  EXPECT_NE(std::string(text.str).find("memclock=2619"), std::string::npos) << text.str;
  EXPECT_EQ(get<nvmlPstates_t>("nvmlDeviceGetPerformanceState"), NVML_PSTATE_2);
  EXPECT_EQ(get<nvmlPstates_t>("nvmlDeviceGetPowerState"), NVML_PSTATE_2);
  auto modes = first_version<nvmlDevicePerfModes_t>();
  EXPECT_EQ(call("nvmlDeviceGetPerformanceModes", device(), &modes), NVML_SUCCESS);
  EXPECT_EQ(std::string(modes.str).find("perf=0, nvclock="), 0u) << modes.str;
}

TEST_F(LiveValues, OfTheReasonsEnginesAndLinkOfABusyGpu) {
  begin(kWorkload);
  // Reasons, under both names, and the time that they have held.
  const auto reasons = get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons");
  EXPECT_EQ(reasons & static_cast<unsigned long long>(ClocksEventReasonSwThermalSlowdown),
            static_cast<unsigned long long>(ClocksEventReasonSwThermalSlowdown));
  EXPECT_EQ(reasons & 1, 0u);
  EXPECT_EQ(get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons"), reasons);
  EXPECT_GT(field(FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN), 500'000'000u);
  EXPECT_GT(field(FI_DEV_PERF_POLICY_THERMAL), 500'000'000u);
  EXPECT_GT(field(FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS), 500'000'000u);
  EXPECT_GT(get<nvmlViolationTime_t>("nvmlDeviceGetViolationStatus", NVML_PERF_POLICY_THERMAL).violationTime,
            500'000'000u);
  // Engines.
  const auto rates = get<nvmlUtilization_t>("nvmlDeviceGetUtilizationRates");
  EXPECT_EQ(rates.gpu, 91u);
  EXPECT_EQ(rates.memory, 47u);
  EXPECT_EQ(engine("nvmlDeviceGetEncoderUtilization"), 12u);
  EXPECT_EQ(engine("nvmlDeviceGetDecoderUtilization"), 13u);
  EXPECT_EQ(engine("nvmlDeviceGetJpgUtilization"), 14u);
  EXPECT_EQ(engine("nvmlDeviceGetOfaUtilization"), 15u);
  const auto dynamic = get<nvmlGpuDynamicPstatesInfo_t>("nvmlDeviceGetDynamicPstatesInfo");
  EXPECT_EQ(dynamic.utilization[0].percentage, 91u);
  EXPECT_EQ(dynamic.utilization[1].percentage, 47u);
  // The link.
  EXPECT_GT(get("nvmlDeviceGetPcieThroughput", NVML_PCIE_UTIL_TX_BYTES), 3000u);
  EXPECT_GT(get("nvmlDeviceGetPcieThroughput", NVML_PCIE_UTIL_RX_BYTES), 7000u);
  EXPECT_EQ(get("nvmlDeviceGetCurrPcieLinkGeneration"), 5u);
  EXPECT_EQ(get("nvmlDeviceGetPcieSpeed"), 32000u);
  EXPECT_GT(field(FI_DEV_PCIE_COUNT_TX_BYTES), 3'000'000u);
  EXPECT_GT(field(FI_DEV_PCIE_COUNT_RX_BYTES), 7'000'000u);
  // Energy.
  const auto energy = get<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption");
  EXPECT_GT(energy, 100'000u);
  EXPECT_GE(field(FI_DEV_TOTAL_ENERGY_CONSUMPTION), energy);
  EXPECT_GE(field(FI_DEV_ENERGY), energy);
}

TEST_F(LiveValues, SamplesOfEveryType) {
  begin(kWorkload);
  const struct {
    nvmlSamplingType_t type;
    unsigned int newest;
  } all[] = {{NVML_GPU_UTILIZATION_SAMPLES, 91}, {NVML_MEMORY_UTILIZATION_SAMPLES, 47},
             {NVML_ENC_UTILIZATION_SAMPLES, 12}, {NVML_DEC_UTILIZATION_SAMPLES, 13},
             {NVML_JPG_UTILIZATION_SAMPLES, 14}, {NVML_OFA_UTILIZATION_SAMPLES, 15}};
  for (const auto& one : all) {
    const auto got = samples(one.type);
    ASSERT_EQ(got.size(), 99u) << one.type;
    EXPECT_EQ(got.back().sampleValue.uiVal, one.newest) << one.type;
    EXPECT_EQ(got.front().sampleValue.uiVal, 0u);  // before the workload
    for (std::size_t i = 1; i < got.size(); ++i) EXPECT_GT(got[i].timeStamp, got[i - 1].timeStamp);
    EXPECT_TRUE(samples(one.type, got.back().timeStamp + 1'000'000).empty());
    const auto newer = samples(one.type, got[got.size() - 4].timeStamp);
    EXPECT_GE(newer.size(), 3u);
    EXPECT_LE(newer.size(), 5u);
  }
  EXPECT_EQ(samples(NVML_TOTAL_POWER_SAMPLES).size(), 119u);
  EXPECT_GT(samples(NVML_TOTAL_POWER_SAMPLES).back().sampleValue.uiVal, 75000u);
  EXPECT_GT(samples(NVML_MODULE_POWER_SAMPLES).back().sampleValue.uiVal, 95000u);

  nvmlValueType_t kind{};
  nvmlSample_t two[2];
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlDeviceGetSamples", device(), NVML_GPU_UTILIZATION_SAMPLES, 0ULL, &kind, &count, two),
            NVML_ERROR_INVALID_ARGUMENT);
  count = 2;
  EXPECT_EQ(call("nvmlDeviceGetSamples", device(), NVML_GPU_UTILIZATION_SAMPLES, 0ULL, &kind, &count, two),
            NVML_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(two[1].sampleValue.uiVal, 91u);
}

TEST_F(LiveValues, FieldValuesOfOneCallAreOfOneInstant) {
  begin(kWorkload);
  nvmlFieldValue_t values[3]{};
  for (auto& value : values) value.fieldId = FI_DEV_TOTAL_ENERGY_CONSUMPTION;
  ASSERT_EQ(call("nvmlDeviceGetFieldValues", device(), 3, values), NVML_SUCCESS);
  EXPECT_EQ(values[0].value.ullVal, values[2].value.ullVal);
  EXPECT_EQ(values[0].timestamp, values[2].timestamp);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_NEAR(static_cast<double>(values[0].timestamp),
              static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()), 5e6);
}

}  // namespace
}  // namespace nvmlkit::driver_test
