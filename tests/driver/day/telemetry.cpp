#include "telemetry.hpp"

#include <cmath>
#include <cstring>

namespace nvmlkit::driver_test {

using namespace abi;

namespace {

constexpr unsigned int kNoInstance = 0xFFFFFFFF;
constexpr unsigned int kMostSamples = 128;  // more than a driver keeps

}  // namespace

Telemetry::Telemetry(void* library, nvmlDevice_t device, std::vector<unsigned int> instances, std::string name)
    : samples_(library, "nvmlDeviceGetSamples"),
      take_(library, "nvmlGpmSampleGet"),
      take_mig_(library, "nvmlGpmMigSampleGet"),
      metrics_(library, "nvmlGpmMetricsGet"),
      alloc_(library, "nvmlGpmSampleAlloc"),
      free_(library, "nvmlGpmSampleFree"),
      device_(device),
      name_(std::move(name)) {
  instances.insert(instances.begin(), kNoInstance);
  for (const auto instance : instances) {
    pairs_.push_back({instance, {}, NVML_SUCCESS, {}, {}, false});
    for (auto& sample : pairs_.back().samples) alloc_(&sample);
  }
}

void Telemetry::release() {
  for (auto& pair : pairs_)
    for (const auto sample : pair.samples) free_(sample);
  pairs_.clear();
}

void Telemetry::poll(Complaints& complaints) {
  for (unsigned int type = 0; type < kinds_.size(); ++type) poll_samples(type, complaints);
  for (auto& pair : pairs_) poll_gpm(pair, complaints);
}

void Telemetry::poll_samples(unsigned int type, Complaints& complaints) {
  auto& kind = kinds_[type];
  const auto complain = [&](const char* problem) {
    complaints.push_back("samples " + std::to_string(type) + " of " + name_ + ' ' + problem);
  };
  static nvmlSample_t samples[2][kMostSamples];
  unsigned int counts[2]{kMostSamples, kMostSamples};
  nvmlReturn_t results[2]{};
  for (int i = 0; i < 2; ++i) {
    nvmlValueType_t value_type{};
    results[i] = samples_(device_, type, kind.last, &value_type, &counts[i], samples[i]);
  }
  if (results[0] != results[1]) complain("answered two results at one instant");
  if (kind.asked && kind.result != results[0]) complain("changed their result");
  kind.asked = true;
  kind.result = results[0];
  if (results[0] != NVML_SUCCESS) return;
  if (counts[0] != counts[1]) return complain("are not as many at one instant");
  for (unsigned int i = 0; i < counts[0]; ++i) {
    if (samples[0][i].timeStamp <= kind.last) complain("are not in order");
    kind.last = samples[0][i].timeStamp;
    if (samples[0][i].timeStamp != samples[1][i].timeStamp ||
        samples[0][i].sampleValue.uiVal != samples[1][i].sampleValue.uiVal)
      complain("differ at one instant");
  }
}

void Telemetry::poll_gpm(Pair& pair, Complaints& complaints) {
  const auto complain = [&](const std::string& problem) {
    complaints.push_back("GPM of " + name_ +
                         (pair.instance == kNoInstance ? "" : " instance " + std::to_string(pair.instance)) + ' ' +
                         problem);
  };
  std::swap(pair.samples[0], pair.samples[1]);
  const auto result = pair.instance == kNoInstance ? take_(device_, pair.samples[1])
                                                   : take_mig_(device_, pair.instance, pair.samples[1]);
  if (pair.taken && result != pair.result) complain("changed its result");
  pair.result = result;
  const bool second = pair.taken;
  pair.taken = true;
  if (result != NVML_SUCCESS || !second) return;
  static nvmlGpmMetricsGet_t answers[2];
  for (auto& answer : answers) {
    answer.version = version_tag<nvmlGpmMetricsGet_t>;
    answer.numMetrics = NVML_GPM_METRIC_MAX;
    answer.sample1 = pair.samples[0];
    answer.sample2 = pair.samples[1];
    for (unsigned int i = 0; i < answer.numMetrics; ++i) answer.metrics[i] = {i, NVML_SUCCESS, 0, {}};
    if (const auto got = metrics_(&answer); got != NVML_SUCCESS)
      return complain("gives no metrics: " + std::to_string(got));
  }
  const bool known = !pair.results.empty();
  pair.results.resize(NVML_GPM_METRIC_MAX);
  pair.values.resize(NVML_GPM_METRIC_MAX);
  for (unsigned int i = 0; i < answers[0].numMetrics; ++i) {
    const auto &one = answers[0].metrics[i], &other = answers[1].metrics[i];
    if (one.nvmlReturn != other.nvmlReturn || one.value != other.value)
      complain("tells two values of metric " + std::to_string(i));
    if (known && pair.results[i] != static_cast<int>(one.nvmlReturn))
      complain("changed the result of metric " + std::to_string(i));
    pair.results[i] = static_cast<int>(one.nvmlReturn);
    pair.values[i] = one.value;
    if (one.nvmlReturn != NVML_SUCCESS) continue;
    const bool percent = one.metricInfo.unit != nullptr && std::strcmp(one.metricInfo.unit, "%") == 0;
    if (!std::isfinite(one.value) || one.value < 0 || (percent && one.value > 100 + 1e-9))
      complain("has metric " + std::to_string(i) + " at " + std::to_string(one.value));
  }
}

}  // namespace nvmlkit::driver_test
