// A day of polling, as monitoring does it, in virtual time: values neither drift nor contradict each other, counters
// never go back, and nothing leaks.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "steered.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr unsigned int gpu_count = 8, instances_per_gpu = 7;
constexpr int polls = 24;  // one an hour

constexpr const char* numbers[] = {"nvmlDeviceGetPowerUsage",
                                   "nvmlDeviceGetPowerManagementLimit",
                                   "nvmlDeviceGetEnforcedPowerLimit",
                                   "nvmlDeviceGetIndex",
                                   "nvmlDeviceGetMinorNumber",
                                   "nvmlDeviceGetNumGpuCores",
                                   "nvmlDeviceGetCurrPcieLinkWidth",
                                   "nvmlDeviceGetMaxPcieLinkWidth",
                                   "nvmlDeviceGetCurrPcieLinkGeneration",
                                   "nvmlDeviceGetPcieReplayCounter",
                                   "nvmlDeviceGetMemoryBusWidth",
                                   "nvmlDeviceGetPerformanceState",
                                   "nvmlDeviceGetPersistenceMode",
                                   "nvmlDeviceGetComputeMode",
                                   "nvmlDeviceGetFanSpeed",
                                   "nvmlDeviceGetNumFans",
                                   "nvmlDeviceGetMaxMigDeviceCount",
                                   "nvmlDeviceIsMigDeviceHandle",
                                   "nvmlDeviceGetBoardId",
                                   "nvmlDeviceGetModuleId",
                                   "nvmlDeviceGetIrqNum",
                                   "nvmlDeviceGetAdaptiveClockInfoStatus",
                                   "nvmlDeviceGetGpuInstanceId",
                                   "nvmlDeviceGetComputeInstanceId"};

class Day : public Steered {
 protected:
  void make_instances() {
    for (unsigned int i = 0; i < gpu_count; ++i) {
      nvmlReturn_t activation{};
      ASSERT_EQ(call("nvmlDeviceSetMigMode", device(i), 1U, &activation), NVML_SUCCESS);
      for (unsigned int j = 0; j < instances_per_gpu; ++j) {
        constexpr unsigned int one_slice = 19;
        nvmlGpuInstance_t instance = nullptr;
        nvmlComputeInstance_t compute = nullptr;
        ASSERT_EQ(call("nvmlDeviceCreateGpuInstance", device(i), one_slice, &instance), NVML_SUCCESS);
        ASSERT_EQ(call("nvmlGpuInstanceCreateComputeInstance", instance, 0U, &compute), NVML_SUCCESS);
        nvmlDevice_t handle = nullptr;
        ASSERT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(i), j, &handle), NVML_SUCCESS);
        handles_.push_back(handle);
      }
      handles_.push_back(device(i));
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      samples_.emplace_back();
      for (auto& sample : samples_.back()) ASSERT_EQ(call("nvmlGpmSampleAlloc", &sample), NVML_SUCCESS);
    }
  }

  // What an entry answers it answers all day.
  void keeps(std::size_t handle, const std::string& what, nvmlReturn_t result) {
    const auto [known, fresh] = results_.emplace(std::pair(handle, what), result);
    EXPECT_EQ(known->second, result) << what << " of handle " << handle;
  }
  void grows(std::size_t handle, unsigned int counter, unsigned long long value) {
    auto& before = counters_[{handle, counter}];
    EXPECT_GE(value, before) << "field " << counter << " of handle " << handle;
    before = value;
  }

  void poll_numbers(std::size_t at) {
    for (const auto* name : numbers) {
      unsigned int value = 0;
      keeps(at, name, call(name, handles_[at], &value));
    }
    nvmlMemory_t memory{};
    ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", handles_[at], &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.used + memory.free, memory.total);
    nvmlMemory_v2_t more{version_tag<nvmlMemory_v2_t>, 0, 0, 0, 0};
    ASSERT_EQ(call("nvmlDeviceGetMemoryInfo_v2", handles_[at], &more), NVML_SUCCESS);
    EXPECT_EQ(more.used + more.free + more.reserved, more.total);
    unsigned int celsius = 0;
    const auto result = call("nvmlDeviceGetTemperature", handles_[at], NVML_TEMPERATURE_GPU, &celsius);
    keeps(at, "temperature", result);
    EXPECT_LT(celsius, 95U);
  }

  void poll_fields(std::size_t at) {
    constexpr unsigned int counters[] = {FI_DEV_TOTAL_ENERGY_CONSUMPTION, FI_DEV_PCIE_COUNT_TX_BYTES,
                                         FI_DEV_PCIE_COUNT_RX_BYTES,      FI_DEV_PERF_POLICY_POWER,
                                         FI_DEV_PERF_POLICY_THERMAL,      FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS,
                                         FI_DEV_ECC_SBE_VOL_TOTAL};
    std::vector<nvmlFieldValue_t> values(FI_MAX);
    for (unsigned int id = 0; id < FI_MAX; ++id) values[id].fieldId = id;
    const auto result = call("nvmlDeviceGetFieldValues", handles_[at], static_cast<int>(values.size()), values.data());
    keeps(at, "field values", result);
    if (result != NVML_SUCCESS) return;
    for (const auto& value : values) keeps(at, "field " + std::to_string(value.fieldId), value.nvmlReturn);
    for (const auto id : counters)
      if (values[id].nvmlReturn == NVML_SUCCESS) grows(at, id, values[id].value.ullVal);
    unsigned long long energy = 0;
    if (call("nvmlDeviceGetTotalEnergyConsumption", handles_[at], &energy) == NVML_SUCCESS) {
      EXPECT_EQ(energy, values[FI_DEV_TOTAL_ENERGY_CONSUMPTION].value.ullVal);
    }
  }

  void poll_samples(std::size_t at, double wanted) {
    nvmlValueType_t type{};
    unsigned int count = 120;
    nvmlSample_t samples[120];
    const auto result =
        call("nvmlDeviceGetSamples", handles_[at], NVML_TOTAL_POWER_SAMPLES, 0ULL, &type, &count, +samples);
    keeps(at, "samples", result);
    for (unsigned int i = 1; result == NVML_SUCCESS && i < count; ++i)
      EXPECT_GT(samples[i].timeStamp, samples[i - 1].timeStamp);

    auto& [last, now] = samples_[at];
    std::swap(last, now);
    ASSERT_EQ(call("nvmlGpmSampleGet", handles_[at], now), NVML_SUCCESS);
    static nvmlGpmMetricsGet_t get;
    get = {};
    get.version = version_tag<nvmlGpmMetricsGet_t>;
    get.numMetrics = NVML_GPM_METRIC_MAX;
    get.sample1 = last;
    get.sample2 = now;
    for (unsigned int i = 0; i < get.numMetrics; ++i) get.metrics[i].metricId = i;
    if (std::isnan(wanted)) return;  // the first sample
    ASSERT_EQ(call("nvmlGpmMetricsGet", &get), NVML_SUCCESS);
    for (const auto& metric : get.metrics) {
      keeps(at, "metric " + std::to_string(metric.metricId), metric.nvmlReturn);
      if (metric.metricInfo.unit != nullptr && metric.metricInfo.unit == std::string("%")) {
        EXPECT_LE(metric.value, 100);
      }
    }
    EXPECT_NEAR(get.metrics[NVML_GPM_METRIC_GRAPHICS_UTIL].value, wanted, 0.01);
  }

  static std::size_t resident_pages() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident;
  }
  static std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
  }

  std::vector<nvmlDevice_t> handles_;
  std::vector<std::array<nvmlGpmSample_t, 2>> samples_;
  std::map<std::pair<std::size_t, std::string>, nvmlReturn_t> results_;
  std::map<std::pair<std::size_t, unsigned int>, unsigned long long> counters_;
};

TEST_F(Day, OfPollingEightGpusWithSevenInstancesEach) {
  begin("h100", "8");
  make_instances();
  ASSERT_EQ(handles_.size(), gpu_count * (instances_per_gpu + 1));
  std::size_t pages = 0, files = 0;
  double worked = std::nan("");
  for (int poll = 0; poll < polls; ++poll) {
    for (std::size_t at = 0; at < handles_.size(); ++at) {
      poll_numbers(at);
      poll_fields(at);
      poll_samples(at, worked);
      if (HasFailure()) return;
    }
    if (poll == polls / 2) {
      pages = resident_pages();
      files = open_files();
    }
    const auto percent = static_cast<std::uint32_t>(poll * 37 % 101);
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) load(percent, percent / 2, 0, gpu);
    worked = percent;
    pass(86400.0 / polls);
  }
  EXPECT_LE(resident_pages(), pages + 256);
  EXPECT_EQ(open_files(), files);
  for (const auto& pair : samples_)
    for (const auto sample : pair) EXPECT_EQ(call("nvmlGpmSampleFree", sample), NVML_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::driver_test
