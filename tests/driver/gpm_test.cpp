// GPM: what two samples tell is what the GPU did between them.
#include <set>
#include <vector>

#include "steered.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr double kAnyError = 0.01;

class Gpm : public Steered {
 protected:
  void TearDown() override {
    for (const auto sample : samples_) call("nvmlGpmSampleFree", sample);
    Steered::TearDown();
  }

  nvmlGpmSample_t sample() {
    nvmlGpmSample_t out = nullptr;
    EXPECT_EQ(call("nvmlGpmSampleAlloc", &out), NVML_SUCCESS);
    samples_.push_back(out);
    return out;
  }
  nvmlGpmSample_t taken() {
    const auto out = sample();
    EXPECT_EQ(call("nvmlGpmSampleGet", device(), out), NVML_SUCCESS);
    return out;
  }
  static std::vector<nvmlGpmMetric_t> metrics(nvmlGpmSample_t first, nvmlGpmSample_t last,
                                              std::vector<unsigned int> ids, nvmlReturn_t expected = NVML_SUCCESS) {
    auto get = std::make_unique<nvmlGpmMetricsGet_t>();
    get->version = version_tag<nvmlGpmMetricsGet_t>;
    get->numMetrics = static_cast<unsigned int>(ids.size());
    get->sample1 = first;
    get->sample2 = last;
    for (std::size_t i = 0; i < ids.size() && i < std::size(get->metrics); ++i) get->metrics[i].metricId = ids[i];
    EXPECT_EQ(call("nvmlGpmMetricsGet", get.get()), expected);
    return {get->metrics, get->metrics + std::min(ids.size(), std::size(get->metrics))};
  }
  static double metric(nvmlGpmSample_t first, nvmlGpmSample_t last, unsigned int id) {
    const auto out = metrics(first, last, {id})[0];
    EXPECT_EQ(out.nvmlReturn, NVML_SUCCESS) << id;
    return out.value;
  }

  std::vector<nvmlGpmSample_t> samples_;
};

TEST_F(Gpm, MetricsAreWhatWasDoneBetweenTheSamples) {
  begin("h100");
  const auto first = taken();
  load(80, 40, 20);
  pass(3);
  load(40, 40, 20);
  pass(1);
  const auto last = taken();
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_GRAPHICS_UTIL), (3 * 80 + 40) / 4.0, kAnyError);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_DRAM_BW_UTIL), 40, kAnyError);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_NVDEC_6_UTIL), 20, kAnyError);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_NVJPG_0_UTIL), 0, kAnyError);
  EXPECT_LT(metric(first, last, NVML_GPM_METRIC_SM_UTIL), 70);
  EXPECT_GT(metric(first, last, NVML_GPM_METRIC_SM_UTIL), metric(first, last, NVML_GPM_METRIC_SM_OCCUPANCY));
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_ANY_TENSOR_UTIL),
              metric(first, last, NVML_GPM_METRIC_HMMA_TENSOR_UTIL), kAnyError);
  // Bytes are the difference of the counter that a field id tells.
  const double sent = metric(first, last, NVML_GPM_METRIC_PCIE_TX);
  EXPECT_GT(sent, 0);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_PCIE_TX_PER_SEC), sent / 4 / (1 << 20), kAnyError);
  const double elapsed = metric(first, last, NVML_GPM_METRIC_SM_CYCLES_ELAPSED);
  EXPECT_GT(elapsed, 132 * 4 * 345e6);
  EXPECT_LT(metric(first, last, NVML_GPM_METRIC_SM_CYCLES_ACTIVE), elapsed);
}

TEST_F(Gpm, NvLinksCarryWhatTheirCountersSay) {
  begin("h100");
  const auto first = taken();
  load(100);
  pass(2);
  const auto last = taken();
  double sum = 0;
  for (unsigned int link = 0; link < 18; ++link) sum += metric(first, last, NVML_GPM_METRIC_NVLINK_L0_TX + 2 * link);
  EXPECT_GT(sum, 1e9);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC), sum / 2 / (1 << 20), 1);
  EXPECT_EQ(metric(first, last, NVML_GPM_METRIC_NVLINK_L18_RX), 0);
  EXPECT_EQ(metric(first, last, NVML_GPM_METRIC_C2C_TOTAL_TX_PER_SEC), 0);
}

TEST_F(Gpm, EveryMetricHasAnAnswerAndANameOfItsOwn) {
  begin("h100");
  const auto first = taken();
  pass(1);
  const auto last = taken();
  std::set<std::string> names;
  unsigned int answered = 0;
  for (unsigned int id = 1; id < NVML_GPM_METRIC_MAX; ++id) {
    const auto out = metrics(first, last, {id})[0];
    ASSERT_EQ(out.nvmlReturn, NVML_SUCCESS) << id;
    EXPECT_GE(out.value, 0) << id;
    ASSERT_EQ(out.metricInfo.shortName == nullptr, out.metricInfo.longName == nullptr) << id;
    if (out.metricInfo.shortName == nullptr) {  // an H100 gives a percentage without a name
      EXPECT_STREQ(out.metricInfo.unit, "%");
      continue;
    }
    EXPECT_TRUE(names.insert(out.metricInfo.shortName).second) << out.metricInfo.shortName;
    EXPECT_TRUE(names.insert(out.metricInfo.longName).second) << out.metricInfo.longName;
    ++answered;
  }
  EXPECT_GT(answered, 45U);
}

TEST_F(Gpm, OlderDriversKnowFewerMetrics) {
  begin("h100", "2", "550.163.01");
  const auto first = taken();
  pass(1);
  const auto last = taken();
  EXPECT_EQ(metrics(first, last, {NVML_GPM_METRIC_PCIE_TX})[0].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  metrics(first, last, std::vector<unsigned int>(99, 1), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Gpm, TheListGrewWith615) {
  begin("h100", "2", "610.57.04");
  const auto first = taken();
  pass(1);
  const auto last = taken();
  EXPECT_EQ(metrics(first, last, {333})[0].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  metrics(first, last, std::vector<unsigned int>(334, 1), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(metrics(first, last, std::vector<unsigned int>(333, 1)).size(), 333U);
}

TEST_F(Gpm, HandlesThatAreNoneAreRefused) {
  begin("h100");
  std::vector<nvmlGpmSample_t> many;
  for (int i = 0; i < 5000; ++i) many.push_back(sample());
  EXPECT_EQ(std::set<nvmlGpmSample_t>(many.begin(), many.end()).size(), many.size());
  EXPECT_EQ(call("nvmlGpmSampleFree", many[7]), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlGpmSampleFree", many[7]), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpmSampleGet", device(), many[7]), NVML_ERROR_INVALID_ARGUMENT);
  const auto inside = reinterpret_cast<nvmlGpmSample_t>(reinterpret_cast<char*>(many[8]) + 8);
  EXPECT_EQ(call("nvmlGpmSampleFree", inside), NVML_ERROR_INVALID_ARGUMENT);
  const auto first = taken();
  // One that was never taken has names and no values.
  const auto heading = metrics(first, many[9], {NVML_GPM_METRIC_SM_UTIL})[0];
  EXPECT_EQ(heading.nvmlReturn, NVML_ERROR_NO_DATA);
  EXPECT_STREQ(heading.metricInfo.shortName, "smutil");
  metrics(nullptr, nullptr, {1}, NVML_ERROR_INVALID_ARGUMENT);
  pass(1);
  const auto last = taken();
  metrics(last, first, {1}, NVML_ERROR_INVALID_ARGUMENT);
  metrics(first, last, std::vector<unsigned int>(NVML_GPM_METRIC_MAX + 1, 1), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpmSampleGet", device(1), last), NVML_SUCCESS);
  metrics(first, last, {1}, NVML_ERROR_INVALID_ARGUMENT);  // of two GPUs
}

TEST_F(Gpm, AGpuInstanceHasItsShare) {
  begin("h100");
  nvmlReturn_t activation = NVML_ERROR_UNKNOWN;
  ASSERT_EQ(call("nvmlDeviceSetMigMode", device(), 1U, &activation), NVML_SUCCESS);
  nvmlGpuInstance_t instance = nullptr;
  constexpr unsigned int kThreeSlices = 9;
  ASSERT_EQ(call("nvmlDeviceCreateGpuInstance", device(), kThreeSlices, &instance), NVML_SUCCESS);
  nvmlGpuInstanceInfo_t info{};
  ASSERT_EQ(call("nvmlGpuInstanceGetInfo", instance, &info), NVML_SUCCESS);
  const auto first = sample(), last = sample();
  ASSERT_EQ(call("nvmlGpmMigSampleGet", device(), info.id, first), NVML_SUCCESS);
  const auto gpu_first = taken();
  load(60);
  pass(2);
  ASSERT_EQ(call("nvmlGpmMigSampleGet", device(), info.id, last), NVML_SUCCESS);
  const auto gpu_last = taken();
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_GRAPHICS_UTIL), 60, kAnyError);
  EXPECT_NEAR(metric(first, last, NVML_GPM_METRIC_PCIE_TX) * 2, metric(gpu_first, gpu_last, NVML_GPM_METRIC_PCIE_TX),
              1);
  EXPECT_EQ(metric(first, last, NVML_GPM_METRIC_NVDEC_3_UTIL), 0);
  metrics(gpu_first, last, {1}, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpmMigSampleGet", device(), info.id + 1, last), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpmMigSampleGet", device(1), 0U, last), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Gpm, GpusBeforeHopperHaveNone) {
  begin("a100");
  nvmlGpmSupport_t support{version_tag<nvmlGpmSupport_t>, 9};
  ASSERT_EQ(call("nvmlGpmQueryDeviceSupport", device(), &support), NVML_SUCCESS);
  EXPECT_EQ(support.isSupportedDevice, 0U);
  EXPECT_EQ(call("nvmlGpmSampleGet", device(), sample()), NVML_ERROR_NOT_SUPPORTED);
  unsigned int state = 9;
  EXPECT_EQ(call("nvmlGpmQueryIfStreamingEnabled", device(), &state), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(call("nvmlGpmSetStreamingEnabled", device(), 1U), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(Gpm, StreamingIsRemembered) {
  begin("h100");
  unsigned int state = 9;
  EXPECT_EQ(call("nvmlGpmSetStreamingEnabled", device(), 2U), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlGpmSetStreamingEnabled", device(), 1U), NVML_SUCCESS);
  EXPECT_EQ(call("nvmlGpmQueryIfStreamingEnabled", device(), &state), NVML_SUCCESS);
  EXPECT_EQ(state, 1U);
  EXPECT_TRUE(*outside_->gpus()[0].gpm.streaming);
}

}  // namespace
}  // namespace nvmlkit::driver_test
