// What a call, a start and an idle machine cost. Every figure stands beside what it is measured against, from the same
// run: the absolute numbers are those of one computer on one day, the ratios carry over.
//
//   NVMLKIT_MACHINE=h100 nvmlkit_bench [Google Benchmark options]
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#ifdef NVMLKIT_BENCH_BINDINGS
#include <nvmlkit/nvml.hpp>
#endif
#include <string>
#include <vector>

#include "driver.hpp"
#include "reporter.hpp"

extern "C" int nvmlkit_bench_empty(void* device, void* out);

namespace {

namespace abi = nvmlkit::abi;
using nvmlkit::bench::die;
using nvmlkit::bench::Driver;
using nvmlkit::bench::kEmpty;
using nvmlkit::bench::library_path;

Driver* g_driver = nullptr;

// Eight H100, the first of them at work. A machine that NVMLKIT_MACHINE names takes its place.
std::string busy_machine() {
  const std::string path = "/tmp/nvmlkit_bench_" + std::to_string(getpid()) + ".yaml";
  std::ofstream(path) << "version: \"1.0\"\nbase: h100\ndevices:\n- {index: 0, workload: {gpu: 80, memory: 40}}\n"
                      << "- {index: 7}\n";
  return path;
}

template <class Call>
void measure(benchmark::State& state, Call call) {
  for (auto _ : state) {
    if (call() != 0) {
      state.SkipWithError("the call fails");
      break;
    }
    benchmark::ClobberMemory();
  }
}

// --- One call -----------------------------------------------------------------------------------------------------

void empty_call(benchmark::State& state) {
  auto function = &nvmlkit_bench_empty;
  benchmark::DoNotOptimize(function);
  unsigned int out = 0;
  measure(state, [&] { return function(g_driver->device, &out); });
}
BENCHMARK(empty_call)->Name(kEmpty);

// The function pointer is read once, as a client that looked the symbol up holds it.
#define NVMLKIT_GETTER(name, member, declaration, ...)             \
  template <abi::nvmlDevice_t Driver::*which = &Driver::device>    \
  void name(benchmark::State& state) {                             \
    const auto function = g_driver->table.member;                  \
    const auto device = g_driver->*which;                          \
    declaration;                                                   \
    measure(state, [&] { return function(device, __VA_ARGS__); }); \
  }

NVMLKIT_GETTER(Temperature, DeviceGetTemperature, unsigned int out, abi::NVML_TEMPERATURE_GPU, &out)
NVMLKIT_GETTER(Power, DeviceGetPowerUsage, unsigned int out, &out)
NVMLKIT_GETTER(Utilization, DeviceGetUtilizationRates, abi::nvmlUtilization_t out, &out)
NVMLKIT_GETTER(MemoryInfo, DeviceGetMemoryInfo_v2, abi::nvmlMemory_v2_t out{};
               out.version = abi::version_tag<abi::nvmlMemory_v2_t>, &out)
NVMLKIT_GETTER(Name, DeviceGetName, char out[96], out, sizeof out)
NVMLKIT_GETTER(ClockInfo, DeviceGetClockInfo, unsigned int out, abi::NVML_CLOCK_SM, &out)
NVMLKIT_GETTER(PciInfo, DeviceGetPciInfo_v3, abi::nvmlPciInfo_t out, &out)
NVMLKIT_GETTER(Energy, DeviceGetTotalEnergyConsumption, unsigned long long out, &out)
NVMLKIT_GETTER(TotalEccErrors, DeviceGetTotalEccErrors, unsigned long long out, abi::NVML_MEMORY_ERROR_TYPE_CORRECTED,
               abi::NVML_VOLATILE_ECC, &out)
#undef NVMLKIT_GETTER

BENCHMARK(Energy<>)->Name("call/driver/energy");
BENCHMARK(Temperature<&Driver::busy>)->Name("call/busy/temperature");
BENCHMARK(Power<&Driver::busy>)->Name("call/busy/power");
BENCHMARK(Utilization<&Driver::busy>)->Name("call/busy/utilization");
BENCHMARK(ClockInfo<&Driver::busy>)->Name("call/busy/clock_info");
BENCHMARK(Energy<&Driver::busy>)->Name("call/busy/energy");
BENCHMARK(Temperature<>)->Name("call/driver/temperature");
BENCHMARK(Power<>)->Name("call/driver/power");
BENCHMARK(Utilization<>)->Name("call/driver/utilization");
BENCHMARK(MemoryInfo<>)->Name("call/driver/memory_info");
BENCHMARK(Name<>)->Name("call/driver/name");
BENCHMARK(ClockInfo<>)->Name("call/driver/clock_info");
BENCHMARK(PciInfo<>)->Name("call/driver/pci_info");
BENCHMARK(TotalEccErrors<>)->Name("call/driver/total_ecc_errors");
BENCHMARK(Temperature<>)->Name("call/driver/temperature/two_threads")->Threads(2)->UseRealTime();

#ifdef NVMLKIT_BENCH_BINDINGS
// The same questions through the bindings.
nvmlkit::nvml::Device* g_device = nullptr;

template <class Ask>
void binding(benchmark::State& state, Ask ask) {
  for (auto _ : state) {
    const auto answer = ask(*g_device);
    if (!answer) {
      state.SkipWithError("the call fails");
      break;
    }
    benchmark::DoNotOptimize(answer);
  }
}

#define NVMLKIT_BINDING(name, call) \
  BENCHMARK_CAPTURE(binding, name, [](const nvmlkit::nvml::Device& d) { return d.call; })->Name("call/bindings/" #name)

NVMLKIT_BINDING(temperature, temperature(nvmlkit::nvml::TemperatureSensor::gpu));
NVMLKIT_BINDING(power, power_usage());
NVMLKIT_BINDING(utilization, utilization_rates());
NVMLKIT_BINDING(memory_info, memory_info());
NVMLKIT_BINDING(name, name());
NVMLKIT_BINDING(clock_info, clock_info(nvmlkit::nvml::Clock::sm));
NVMLKIT_BINDING(pci_info, pci_info());
NVMLKIT_BINDING(total_ecc_errors,
                total_ecc_errors(nvmlkit::nvml::MemoryErrorType::corrected, nvmlkit::nvml::EccCounter::volatile_));
#undef NVMLKIT_BINDING
#endif

// --- Start --------------------------------------------------------------------------------------------------------

// Rounds of what loads the library and unloads it again. Nothing else may have it open, so this runs last and apart
// from the benchmarks above.
template <class Round>
double print_start(const char* what, Round round) {
  constexpr int kRounds = 200;
  std::vector<double> milliseconds;
  bool unloaded = true;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    round();
    milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    void* left = dlopen(library_path(), RTLD_NOW | RTLD_NOLOAD);
    unloaded = unloaded && left == nullptr;
    if (left != nullptr) dlclose(left);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const double median = milliseconds[kRounds / 2];
  std::printf("  %-58s median %.3f ms, worst of %d %.3f ms%s\n", what, median, kRounds, milliseconds.back(),
              unloaded ? "" : "; dlclose leaves the library loaded");
  return median;
}

void print_starts() {
  std::printf("\nA start, with its end:\n");
  const double plain = print_start("dlopen, dlclose", [] { dlclose(dlopen(library_path(), RTLD_LAZY | RTLD_LOCAL)); });
  const double raw = print_start("the same with nvmlInit, every handle, nvmlShutdown", [] {
    Driver driver;
    driver.start();
    driver.table.Shutdown();
  });
#ifdef NVMLKIT_BENCH_BINDINGS
  namespace nvml = nvmlkit::nvml;
  const nvml::LoadOptions options{.path = library_path(), .keep_open = false};
  const std::string symbols = "load() of all " + std::to_string(nvml::symbols().size()) + " symbols, dlclose";
  const double loaded = print_start(symbols.c_str(), [&] { dlclose(nvml::load(options).value().handle); });
  const double opened = print_start("Library::open(), every handle, close", [&] {
    const auto library = nvml::Library::open({.load = options, .flags = {}}).value();
    for (const auto& device : library.devices().value()) benchmark::DoNotOptimize(device);
  });
  std::printf("  load() against dlopen: %.2fx; Library::open() against the same calls by hand: %.2fx\n", loaded / plain,
              opened / raw);
#else
  std::printf("  with nvmlInit against dlopen alone: %.2fx\n", raw / plain);
#endif
}

// --- Report -------------------------------------------------------------------------------------------------------

long status_value(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::strtol(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Three short repetitions unless the command line says otherwise: later options win.
  std::string repetitions = "--benchmark_repetitions=3";
  std::string duration = "--benchmark_min_time=0.1";
  std::vector<char*> arguments{argv[0], repetitions.data(), duration.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  argc = static_cast<int>(arguments.size());
  argv = arguments.data();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const std::string machine = busy_machine();
  setenv("NVMLKIT_MACHINE", machine.c_str(), 0);

  const long memory_before = status_value("VmRSS");
  const long threads_before = status_value("Threads");
  auto driver = std::make_unique<Driver>();
  driver->start();
  const long memory_after = status_value("VmRSS");
  const long threads_after = status_value("Threads");
  const unsigned int gpus = driver->gpus;
  g_driver = driver.get();

  nvmlkit::bench::Reporter reporter;
  {
#ifdef NVMLKIT_BENCH_BINDINGS
    const auto library =
        nvmlkit::nvml::Library::open({.load = {.path = library_path(), .keep_open = false}, .flags = {}});
    if (!library) die(library.error().message());
    auto device = library->device(0);
    if (!device) die(device.error().message());
    g_device = &*device;
#endif
    benchmark::RunSpecifiedBenchmarks(&reporter);
  }
  reporter.print_ratios();
  std::printf("\nLoaded and initialized, %u GPUs: %ld kB of memory (VmRSS), %ld threads more than before\n", gpus,
              memory_after - memory_before, threads_after - threads_before);
  driver->table.Shutdown();
  driver.reset();
  print_starts();
  std::remove(machine.c_str());
  return 0;
}
