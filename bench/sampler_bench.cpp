// Forty metrics of eight GPUs: one tick of the sampler, beside the same questions asked one by one. `allocations`
// counts operator new per round, `calls` the C functions.
//
//   NVMLKIT_MACHINE=h100 nvmlkit_sampler_bench [Google Benchmark options]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <nvmlkit/nvml.hpp>

#include "allocations.hpp"

namespace {

namespace nvml = nvmlkit::nvml;
using nvml::Metric;

constexpr std::size_t kMetrics = 40;

struct Machine {
  nvml::Library library;
  std::vector<nvml::Device> devices;
};

const Machine& machine() {
  static const Machine opened = [] {
    nvml::OpenOptions options;
    options.load.path = NVMLKIT_DRIVER_LIBRARY;
    Machine m{nvml::Library::open(options).value(), {}};
    for (const auto& device : m.library.devices().value()) m.devices.push_back(device.value());
    return m;
  }();
  return opened;
}

// Forty that cost no waiting: the two PCIe rates are measured for 20 ms each.
std::vector<nvml::Sampler::Request> forty() {
  std::vector<nvml::Sampler::Request> requests;
  for (std::uint16_t i = 0; requests.size() < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    if (metric != Metric::pcie_tx && metric != Metric::pcie_rx) requests.emplace_back(metric);
  }
  return requests;
}

void measure(benchmark::State& state, std::vector<nvml::Sampler>& samplers) {
  std::size_t calls = 0;
  for (const auto& sampler : samplers) calls += sampler.calls_per_tick();
  const std::size_t before = nvmlkit::test::allocations();
  for (auto _ : state) {
    for (auto& sampler : samplers) sampler.tick();
    benchmark::DoNotOptimize(samplers.front().reading(0, 0));
  }
  state.counters["allocations"] = benchmark::Counter(static_cast<double>(nvmlkit::test::allocations() - before),
                                                     benchmark::Counter::kAvgIterations);
  state.counters["calls"] = static_cast<double>(calls);
}

void together(benchmark::State& state) {
  const Machine& m = machine();
  std::vector<nvml::Sampler> samplers;
  samplers.push_back(nvml::Sampler::create(m.library, m.devices, forty()).value());
  measure(state, samplers);
}
BENCHMARK(together)->Name("sampler/40_metrics/8_gpus");

// One sampler for each metric: nothing is shared.
void one_by_one(benchmark::State& state) {
  const Machine& m = machine();
  std::vector<nvml::Sampler> samplers;
  for (const auto& request : forty())
    samplers.push_back(nvml::Sampler::create(m.library, m.devices, {request}).value());
  measure(state, samplers);
}
BENCHMARK(one_by_one)->Name("one_by_one/40_metrics/8_gpus");

void compile(benchmark::State& state) {
  const Machine& m = machine();
  for (auto _ : state) benchmark::DoNotOptimize(nvml::Sampler::create(m.library, m.devices, forty()).value());
}
BENCHMARK(compile)->Name("create/40_metrics/8_gpus");

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  setenv("NVMLKIT_MACHINE", "h100", 0);
  if (machine().devices.size() != 8) std::fprintf(stderr, "this machine has %zu GPUs\n", machine().devices.size());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
