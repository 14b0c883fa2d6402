// What the exporter makes of GPUs with MIG devices, NVLinks and throttled clocks, and of one that is lost.
#include <gtest/gtest.h>
#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <collector.hpp>
#include <cstdio>
#include <map>

#include "../nvml/fake_table.hpp"

namespace {

namespace nvml = nvmlkit::nvml;
namespace abi = nvmlkit::abi;

// GPU 0 is split: two MIG devices with a hole between them. GPU 1 has fallen off the bus.
bool lost(abi::nvmlDevice_t device) { return device == nvml::test::device_handle(1); }

template <class Handle>
Handle mig_handle(unsigned int index) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(0x2000 + index));
}

nvml::Table split_gpu() {
  nvml::Table table = nvml::test::fake_table();
  table.DeviceGetUUID = [](abi::nvmlDevice_t device, char* uuid, unsigned int size) {
    if (lost(device)) return abi::NVML_ERROR_GPU_IS_LOST;
    std::snprintf(uuid, size, device == nvml::test::device_handle(0) ? "GPU-0" : "MIG-%zx",
                  static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(device)));
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMigMode = [](abi::nvmlDevice_t, unsigned int* current, unsigned int* pending) {
    *current = *pending = 1;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMaxMigDeviceCount = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = 7;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMigDeviceHandleByIndex = [](abi::nvmlDevice_t, unsigned int index, abi::nvmlDevice_t* mig) {
    if (index != 0 && index != 4) return abi::NVML_ERROR_NOT_FOUND;
    *mig = mig_handle<abi::nvmlDevice_t>(index);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMemoryInfo = [](abi::nvmlDevice_t, abi::nvmlMemory_t* memory) {
    *memory = {1000, 600, 400};
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetGpuInstanceId = [](abi::nvmlDevice_t, unsigned int* id) {
    *id = 9;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetNvLinkState = [](abi::nvmlDevice_t, unsigned int link, abi::nvmlEnableState_t* state) {
    if (link >= 2) return abi::NVML_ERROR_INVALID_ARGUMENT;
    *state = link == 0 ? abi::NVML_FEATURE_ENABLED : abi::NVML_FEATURE_DISABLED;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetCurrentClocksEventReasons = [](abi::nvmlDevice_t, unsigned long long* reasons) {
    *reasons = static_cast<unsigned long long>(nvml::ClocksEventReason::sw_power_cap) | (1ULL << 40);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetTotalEccErrors = [](abi::nvmlDevice_t, abi::nvmlMemoryErrorType_t, abi::nvmlEccCounterType_t,
                                     unsigned long long* errors) {
    *errors = 3;
    return abi::NVML_SUCCESS;
  };
  return table;
}

class PrometheusCollector : public testing::Test {
 protected:
  PrometheusCollector() {
    const auto library = nvml::Library::from_table(split_gpu()).value();
    const auto collector = Collector::create(library).value();
    families_ = collector.Collect();
  }
  // The values of a family whose labels hold all of these.
  std::vector<double> values(const std::string& name, const std::map<std::string, std::string>& labels = {}) const {
    std::vector<double> found;
    for (const auto& family : families_)
      for (const auto& metric : family.name == name ? family.metric : std::vector<prometheus::ClientMetric>()) {
        std::map<std::string, std::string> has;
        for (const auto& label : metric.label) has[label.name] = label.value;
        bool all = true;
        for (const auto& [key, value] : labels) all = all && has[key] == value;
        if (all)
          found.push_back(family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value);
      }
    return found;
  }

 private:
  std::vector<prometheus::MetricFamily> families_;
};

using Values = std::vector<double>;

TEST_F(PrometheusCollector, EveryMigDeviceHasItsMemory) {
  EXPECT_EQ(values("nvml_mig_mode", {{"gpu", "0"}}), Values{1});
  EXPECT_EQ(values("nvml_mig_memory_total_bytes").size(), 2U);
  EXPECT_EQ(values("nvml_mig_memory_used_bytes", {{"mig_uuid", "MIG-2004"}, {"gpu_instance", "9"}}), Values{400});
}

TEST_F(PrometheusCollector, LinksAreUpOrDown) {
  EXPECT_EQ(values("nvml_nvlink_active", {{"link", "0"}}), Values{1});
  EXPECT_EQ(values("nvml_nvlink_active", {{"link", "1"}}), Values{0});
  EXPECT_EQ(values("nvml_nvlink_active").size(), 2U);
}

TEST_F(PrometheusCollector, ReasonsAndErrors) {
  EXPECT_EQ(values("nvml_clock_event_reason_active", {{"reason", "sw_power_cap"}}), Values{1});
  EXPECT_EQ(values("nvml_clock_event_reason_active", {{"reason", "hw_slowdown"}}), Values{0});
  EXPECT_EQ(values("nvml_ecc_errors", {{"error", "corrected"}, {"counter", "volatile"}}), Values{3});
}

TEST_F(PrometheusCollector, ALostGpuHidesNoOther) {
  EXPECT_EQ(values("nvml_gpu_info"), Values{1});
  EXPECT_TRUE(values("nvml_mig_mode", {{"gpu", "1"}}).empty());
}

}  // namespace
