// Samples of the controllers that weigh power against performance: what they saw, and what they expect of other clocks.
// All of it is computed from the GPU's past phases and from the power model that the phases follow.
#include <algorithm>
#include <cstring>

#include "driver/nvml/generated/functions.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/telemetry/running.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::telemetry::Engine;
using sim::telemetry::Reading;

// No document has the period of the samples or the place of the fixed point: both are chosen.
constexpr std::int64_t kSamplePeriodNs = 100'000'000;
constexpr double kSamplePeriodMs = 100;
constexpr unsigned int kFractionBits = 12;

// What a controller saw in the period that ended at an instant, and the power model with this load.
struct Observed {
  sim::telemetry::Inputs model;
  double graphics_mhz, memory_mhz, milliwatts;
  double gpu, memory;  // shares of the period in which they worked

  Observed(const Machine& machine, const Gpu& gpu_then, std::int64_t at_ns);
  bool works() const { return gpu > 0; }
  // The time that the work of the period needs at these clocks: whichever of GPU and memory takes longer.
  double needed_ms(double core_mhz, double dram_mhz) const {
    const auto slower = [](double now, double then) { return then > 0 ? now / then : 1; };
    return kSamplePeriodMs * std::max(gpu * slower(graphics_mhz, core_mhz), memory * slower(memory_mhz, dram_mhz));
  }
  double watts(double core_mhz) const { return watts_at(model, core_mhz); }
  // The memory draws less at a lower clock, in proportion.
  double watts(double core_mhz, double dram_mhz) const {
    const double share = memory_mhz > 0 ? dram_mhz / memory_mhz : 1;
    return watts(core_mhz) + memory * model.power.memory_load * (share - 1);
  }
};

Observed::Observed(const Machine& machine, const Gpu& gpu_then, std::int64_t at_ns)
    : model(sim::telemetry::inputs_of(gpu_then)) {
  const Reading then(machine, gpu_then, at_ns);
  const auto value = [&](const auto& field) { return static_cast<double>(then(field).value_or(0)); };
  const auto& u = gpu_then.utilization;
  const double loads[] = {value(u.gpu),     value(u.memory), value(u.encoder),
                          value(u.decoder), value(u.jpeg),   value(u.ofa)};
  static_assert(std::size(loads) == Engine::count);
  for (std::size_t i = 0; i < Engine::count; ++i) model.load[i] = static_cast<std::uint8_t>(std::min(loads[i], 100.0));
  gpu = model.load[Engine::gpu] / 100.0;
  memory = model.load[Engine::memory] / 100.0;
  model.work = sim::telemetry::work_of(gpu_then, gpu);
  graphics_mhz = value(gpu_then.clocks.graphics_current);
  memory_mhz = value(gpu_then.clocks.memory_current);
  const auto& power = gpu_then.power;
  milliwatts = power.instant_draw_mw ? value(power.instant_draw_mw) : value(power.current_draw_mw);
}

unsigned int khz(double mhz) { return static_cast<unsigned int>(mhz * 1000 + 0.5); }
unsigned int mw(double watts) { return static_cast<unsigned int>(std::max(watts, 0.0) * 1000 + 0.5); }

nvmlRailMetrics_t rail(double mhz, double share) {
  return {khz(mhz), static_cast<unsigned long long>(share * 100 * (1U << kFractionBits) + 0.5)};
}

// At most `room` of the clocks, from the highest to the lowest at equal distances. `use(i, mhz)` gets each.
template <class Clocks, class Use>
unsigned int spread(const Clocks& clocks, std::size_t room, Use use) {
  const auto count = std::min<std::size_t>(clocks.size(), room);
  for (std::size_t i = 0; i < count; ++i)
    use(i, static_cast<double>(clocks[count == 1 ? 0 : i * (clocks.size() - 1) / (count - 1)]));
  return static_cast<unsigned int>(count);
}

// What came of the work, and what would come of it with other clocks of the memory and of the GPU. The model has one
// core rail: the other stays empty.
void fill_metrics(const Observed& seen, const Gpu& gpu, nvmlObservedMetrics_t& out) {
  out.bValid = 1;
  out.coreRail.rails[0] = rail(seen.graphics_mhz, seen.gpu);
  out.fbRail = rail(seen.memory_mhz, seen.memory);
  out.tgpPwrTuple.pwrmW = static_cast<unsigned int>(seen.milliwatts);
  out.perfMetrics.perfms = static_cast<unsigned int>(seen.needed_ms(seen.graphics_mhz, seen.memory_mhz) + 0.5);
  if (!seen.works()) return;
  const auto memory_clocks = gpu.supported_clocks.memory_clocks.span();
  for (std::size_t m = 0; m < std::min(memory_clocks.size(), std::size(out.initialDramclkEst)); ++m) {
    auto& estimates = out.initialDramclkEst[m];
    const double dram = memory_clocks[m].freq_mhz.value_or(0);
    const auto put = [&](std::size_t i, double core) {
      auto& estimate = estimates.estimatedMetrics[i];
      estimate.bValid = 1;
      estimate.coreRail.rails[0] = rail(core, seen.gpu);
      estimate.fbRail = rail(dram, seen.memory);
      estimate.tgpPwrTuple.pwrmW = mw(seen.watts(core, dram));
      estimate.perfMetrics.perfms = static_cast<unsigned int>(seen.needed_ms(core, dram) + 0.5);
    };
    estimates.numEstimatedMetrics = static_cast<unsigned char>(
        spread(memory_clocks[m].graphics_clocks.span(), std::size(estimates.estimatedMetrics), put));
  }
}

// Power at each clock of the GPU, and the best of them.
void fill_metrics(const Observed& seen, const Gpu& gpu, nvmlPwrModelMetricsPfpp1x_t& out) {
  const auto memory_clocks = gpu.supported_clocks.memory_clocks.span();
  const double limit = static_cast<double>(gpu.power.limit_mw.value_or(0));
  out.tgpHeadroommW = static_cast<unsigned int>(std::max(limit - seen.milliwatts, 0.0));
  if (!seen.works() || memory_clocks.empty()) return;
  double best = -1;
  const auto put = [&](std::size_t i, double core) {
    const nvmlPwrModelOperatingPointPfpp1x_t point{khz(core), mw(seen.watts(core))};
    out.estimatedMetrics[i].freqkHz[PERF_METRICS_PWR_MODEL_SCALE_METRICS_PFPP_1X_GPCCLK_IDX] = point.freqkHz;
    out.estimatedMetrics[i].estTgpPwrmW = point.pwrmW;
    if (i == 0) out.fmaxAtVmaxPoint = point;
    const double per_watt = point.pwrmW > 0 ? core / point.pwrmW : 0;
    if (per_watt <= best) return;
    best = per_watt;
    out.maxPerfPerWattPoint = point;
  };
  out.numVfPoints =
      static_cast<unsigned char>(spread(memory_clocks[0].graphics_clocks.span(), std::size(out.estimatedMetrics), put));
  out.bValid = out.numVfPoints > 0 ? 1 : 0;
}

}  // namespace

// The newest sample is the last one. Samples lie at whole periods, for every process.
nvmlReturn_t DevicePerfMetricsGetSamples_v1(const Machine& machine, const Gpu& gpu,
                                            nvmlPerfMetricsSamples_v1_t* samples) {
  if (!has(gpu, sim::Trait::performance_controllers) || !gpu.clocks.graphics_current || !gpu.utilization.gpu)
    return NVML_ERROR_NOT_SUPPORTED;
  std::memset(samples, 0, sizeof *samples);
  samples->numSamples = PERF_METRICS_SAMPLE_COUNT;
  const auto newest = sim::now_ns(machine) / kSamplePeriodNs;
  for (unsigned int i = 0; i < samples->numSamples; ++i) {
    const Observed seen(machine, gpu, (newest - (samples->numSamples - 1 - i)) * kSamplePeriodNs);
    auto& sample = samples->samples[i];
    sample.numControllerData = 2;
    sample.controllerData[0].controllerType = PERF_METRICS_CONTROLLER_TYPE_DLPPC_2X;
    fill_metrics(seen, gpu, sample.controllerData[0].data.dlppc2x.observedMetrics);
    sample.controllerData[1].controllerType = PERF_METRICS_CONTROLLER_TYPE_PFPP_1X;
    fill_metrics(seen, gpu, sample.controllerData[1].data.pfpp1x.estimatedMetrics);
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
