// GPM: samples of counters, and the metrics of two samples.
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/gpm/metrics.hpp"
#include "driver/nvml/gpm/samples.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlReturn_t take(const Machine& machine, const Gpu& gpu, std::uint32_t instance, nvmlGpmSample_t handle) {
  if (!is_gpm_sample(handle)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!sim::gpm::supported(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto sample = sim::gpm::take(machine, gpu, instance);
  if (!sample) return NVML_ERROR_INVALID_ARGUMENT;
  return store_gpm_sample(handle, *sample) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

// How many entries a request has room for: NVIDIA let the list grow three times, under one version
// number.
unsigned int longest_list(const Machine& machine) {
  const auto& version = machine.system().driver_version;
  const auto branch = version ? sim::branch_number(version->view()) : 0;
  if (branch == 0 || branch >= 615) return NVML_GPM_METRIC_MAX;
  if (branch >= 595) return 333;
  return branch >= 575 ? 210 : 98;
}

// `between` is null while a sample was never taken: then there are names and no values, as nvidia-smi dmon asks for its
// headings. A number of the list is 0 where the GPU has no such engine or link, or no header has a metric of that
// number.
void fill_metric(const sim::gpm::Interval* between, unsigned int limit, nvmlGpmMetric_t& out) {
  static constexpr GpmMetric kUnnamed{0, nullptr, nullptr, "%", nullptr, 0};
  out.value = 0;
  out.metricInfo = {};
  if (out.metricId == 0 || out.metricId >= limit) {
    out.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
    return;
  }
  const auto* known = find_gpm_metric(out.metricId);
  const auto& metric = known != nullptr ? *known : kUnnamed;
  out.metricInfo.shortName = const_cast<char*>(metric.short_name);
  out.metricInfo.longName = const_cast<char*>(metric.long_name);
  out.metricInfo.unit = const_cast<char*>(metric.unit);
  out.nvmlReturn = between != nullptr ? NVML_SUCCESS : NVML_ERROR_NO_DATA;
  if (between == nullptr || metric.value == nullptr) return;
  if (metric.value(*between, metric.index, out.value) != NVML_SUCCESS) out.value = 0;
}

}  // namespace

nvmlReturn_t GpmSampleAlloc(const Machine&, nvmlGpmSample_t* gpmSample) {
  const auto made = make_gpm_sample();
  if (made == nullptr) return NVML_ERROR_MEMORY;
  *gpmSample = made;
  return NVML_SUCCESS;
}

nvmlReturn_t GpmSampleFree(const Machine&, nvmlGpmSample_t gpmSample) {
  return free_gpm_sample(gpmSample) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t GpmSampleGet(const Machine& machine, const Gpu& gpu, nvmlGpmSample_t gpmSample) {
  return take(machine, gpu, sim::gpm::kWholeGpu, gpmSample);
}

nvmlReturn_t GpmMigSampleGet(const Machine& machine, const Gpu& gpu, unsigned int gpuInstanceId,
                             nvmlGpmSample_t gpmSample) {
  return take(machine, gpu, gpuInstanceId, gpmSample);
}

// Only what the caller asked for is written: its struct may be shorter than ours.
nvmlReturn_t GpmMetricsGet(const Machine& machine, nvmlGpmMetricsGet_t* metricsGet) {
  const auto limit = longest_list(machine);
  if (metricsGet->numMetrics > limit || !is_gpm_sample(metricsGet->sample1) || !is_gpm_sample(metricsGet->sample2))
    return NVML_ERROR_INVALID_ARGUMENT;
  const std::span<nvmlGpmMetric_t> wanted(metricsGet->metrics, metricsGet->numMetrics);
  const auto first = load_gpm_sample(metricsGet->sample1), last = load_gpm_sample(metricsGet->sample2);
  if (!first || !last) {
    for (auto& metric : wanted) fill_metric(nullptr, limit, metric);
    return NVML_SUCCESS;
  }
  if (first->gpu != last->gpu || first->instance != last->instance) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::gpm::Interval between(*first, *last);
  if (!between.meaningful()) return NVML_ERROR_INVALID_ARGUMENT;
  for (auto& metric : wanted) fill_metric(&between, limit, metric);
  return NVML_SUCCESS;
}

nvmlReturn_t GpmQueryDeviceSupport(const Machine&, const Gpu& gpu, nvmlGpmSupport_t* gpmSupport) {
  gpmSupport->isSupportedDevice = sim::gpm::supported(gpu) ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t GpmQueryIfStreamingEnabled(const Machine&, const Gpu& gpu, unsigned int* state) {
  if (!sim::gpm::supported(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  *state = gpu.gpm.streaming.value_or(false) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

nvmlReturn_t GpmSetStreamingEnabled(const Machine&, Gpu& gpu, unsigned int state) {
  if (!sim::gpm::supported(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (state > NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  gpu.gpm.streaming = state == NVML_FEATURE_ENABLED;
  return NVML_SUCCESS;
}

namespace on_mig {

// A sample of a MIG device is one of the GPU instance that it lies in.
nvmlReturn_t GpmSampleGet(const Machine& machine, const Gpu& gpu, DeviceId mig, nvmlGpmSample_t gpmSample) {
  return take(machine, gpu, mig.instance, gpmSample);
}

}  // namespace on_mig
}  // namespace nvmlkit::driver::functions
