// What a call, a start and an idle machine cost. Every figure stands beside what it is measured against, from the same
// run: the absolute numbers are those of one computer on one day, the ratios carry over.
//
//   NVMLKIT_MACHINE=h100 nvmlkit_bench [Google Benchmark options]
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <nvmlkit/generated/table.hpp>
#include <string>
#include <vector>

extern "C" int nvmlkit_bench_empty(void* device, void* out);

namespace {

using nvmlkit::nvml::Table;
namespace abi = nvmlkit::abi;

const char* LibraryPath() {
  const char* path = std::getenv("NVMLKIT_BENCH_LIBRARY");
  return path != nullptr ? path : NVMLKIT_DRIVER_LIBRARY;
}

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "nvmlkit_bench: %s\n", message.c_str());
  std::exit(1);
}

// The driver library with what is measured here.
class Driver {
 public:
  Driver() : handle_(dlopen(LibraryPath(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) Die(dlerror());
    Find("nvmlInit_v2", table.Init_v2);
    Find("nvmlShutdown", table.Shutdown);
    Find("nvmlDeviceGetCount_v2", table.DeviceGetCount_v2);
    Find("nvmlDeviceGetHandleByIndex_v2", table.DeviceGetHandleByIndex_v2);
    Find("nvmlDeviceGetTemperature", table.DeviceGetTemperature);
    Find("nvmlDeviceGetPowerUsage", table.DeviceGetPowerUsage);
    Find("nvmlDeviceGetUtilizationRates", table.DeviceGetUtilizationRates);
    Find("nvmlDeviceGetMemoryInfo", table.DeviceGetMemoryInfo);
    Find("nvmlDeviceGetName", table.DeviceGetName);
    Find("nvmlDeviceGetClockInfo", table.DeviceGetClockInfo);
    Find("nvmlDeviceGetPciInfo_v3", table.DeviceGetPciInfo_v3);
    Find("nvmlDeviceGetTotalEccErrors", table.DeviceGetTotalEccErrors);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { dlclose(handle_); }

  // Init and a handle of every GPU, as a client starts.
  void Start() {
    if (table.Init_v2() != abi::NVML_SUCCESS) Die("nvmlInit_v2 fails");
    unsigned int count = 0;
    table.DeviceGetCount_v2(&count);
    for (unsigned int i = 0; i < count; ++i) table.DeviceGetHandleByIndex_v2(i, &device);
    gpus = count;
  }

  Table table;
  abi::nvmlDevice_t device = nullptr;
  unsigned int gpus = 0;

 private:
  template <class Function>
  void Find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (function == nullptr) Die(std::string("no symbol ") + symbol);
  }

  void* handle_;
};

Driver* g_driver = nullptr;

template <class Call>
void Measure(benchmark::State& state, Call call) {
  for (auto _ : state) {
    if (call() != 0) {
      state.SkipWithError("the call fails");
      break;
    }
    benchmark::ClobberMemory();
  }
}

// --- One call -----------------------------------------------------------------------------------------------------

constexpr const char* kEmpty = "call/empty_function";

void EmptyCall(benchmark::State& state) {
  auto function = &nvmlkit_bench_empty;
  benchmark::DoNotOptimize(function);
  unsigned int out = 0;
  Measure(state, [&] { return function(g_driver->device, &out); });
}
BENCHMARK(EmptyCall)->Name(kEmpty);

// The function pointer is read once, as a client that looked the symbol up holds it.
#define NVMLKIT_GETTER(name, member, declaration, ...)             \
  void name(benchmark::State& state) {                             \
    const auto function = g_driver->table.member;                  \
    const auto device = g_driver->device;                          \
    declaration;                                                   \
    Measure(state, [&] { return function(device, __VA_ARGS__); }); \
  }

NVMLKIT_GETTER(Temperature, DeviceGetTemperature, unsigned int out, abi::NVML_TEMPERATURE_GPU, &out)
NVMLKIT_GETTER(Power, DeviceGetPowerUsage, unsigned int out, &out)
NVMLKIT_GETTER(Utilization, DeviceGetUtilizationRates, abi::nvmlUtilization_t out, &out)
NVMLKIT_GETTER(MemoryInfo, DeviceGetMemoryInfo, abi::nvmlMemory_t out, &out)
NVMLKIT_GETTER(Name, DeviceGetName, char out[96], out, sizeof out)
NVMLKIT_GETTER(ClockInfo, DeviceGetClockInfo, unsigned int out, abi::NVML_CLOCK_SM, &out)
NVMLKIT_GETTER(PciInfo, DeviceGetPciInfo_v3, abi::nvmlPciInfo_t out, &out)
NVMLKIT_GETTER(TotalEccErrors, DeviceGetTotalEccErrors, unsigned long long out, abi::NVML_MEMORY_ERROR_TYPE_CORRECTED,
               abi::NVML_VOLATILE_ECC, &out)
#undef NVMLKIT_GETTER

BENCHMARK(Temperature)->Name("call/driver/temperature");
BENCHMARK(Power)->Name("call/driver/power");
BENCHMARK(Utilization)->Name("call/driver/utilization");
BENCHMARK(MemoryInfo)->Name("call/driver/memory_info");
BENCHMARK(Name)->Name("call/driver/name");
BENCHMARK(ClockInfo)->Name("call/driver/clock_info");
BENCHMARK(PciInfo)->Name("call/driver/pci_info");
BENCHMARK(TotalEccErrors)->Name("call/driver/total_ecc_errors");
BENCHMARK(Temperature)->Name("call/driver/temperature/two_threads")->Threads(2)->UseRealTime();

// --- Start --------------------------------------------------------------------------------------------------------

// dlopen, init, every handle, shutdown, dlclose; nothing else may have the library open, so this runs last and apart
// from the benchmarks above.
void PrintStart() {
  constexpr int kRounds = 200;
  std::vector<double> milliseconds;
  bool unloaded = true;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    {
      Driver driver;
      driver.Start();
      driver.table.Shutdown();
    }
    milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    void* left = dlopen(LibraryPath(), RTLD_NOW | RTLD_NOLOAD);
    unloaded = unloaded && left == nullptr;
    if (left != nullptr) dlclose(left);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("dlopen + nvmlInit + handles + nvmlShutdown + dlclose: median %.3f ms, worst of %d %.3f ms; %s\n",
              milliseconds[kRounds / 2], kRounds, milliseconds.back(),
              unloaded ? "the library is unloaded each time" : "dlclose leaves the library loaded");
}

// --- Report -------------------------------------------------------------------------------------------------------

long StatusValue(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::strtol(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (!run.error_occurred && run.aggregate_name.empty()) times_[run.benchmark_name()] = run.GetAdjustedRealTime();
    }
  }

  void PrintRatios() const {
    const auto empty = times_.find(kEmpty);
    if (empty == times_.end()) return;
    std::printf("\nA call through the driver library against an empty C function through a pointer (%.2f ns):\n",
                empty->second);
    for (const auto& [name, time] : times_) {
      if (name != kEmpty && name.rfind("call/driver/", 0) == 0) {
        std::printf("  %-52s %8.2f ns %7.1fx\n", name.c_str(), time, time / empty->second);
      }
    }
  }

 private:
  std::map<std::string, double> times_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  setenv("NVMLKIT_MACHINE", "h100", 0);

  const long memory_before = StatusValue("VmRSS");
  const long threads_before = StatusValue("Threads");
  auto driver = std::make_unique<Driver>();
  driver->Start();
  const long memory_after = StatusValue("VmRSS");
  const long threads_after = StatusValue("Threads");
  const unsigned int gpus = driver->gpus;
  g_driver = driver.get();

  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.PrintRatios();
  std::printf("\nLoaded and initialized, %u GPUs: %ld kB of memory (VmRSS), %ld threads more than before\n", gpus,
              memory_after - memory_before, threads_after - threads_before);
  driver->table.Shutdown();
  driver.reset();
  PrintStart();
  return 0;
}
