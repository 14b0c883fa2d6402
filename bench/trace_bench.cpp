// What a recording and a replay of calls cost: calls of the simulated driver, the same through the library that records
// them, and answered from the recording.
//
//   NVMLKIT_MACHINE=h100 nvmlkit_trace_bench [Google Benchmark options]
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nvmlkit/generated/abi.hpp>
#include <nvmlkit/generated/table.hpp>
#include <string>
#include <vector>

namespace {

namespace abi = nvmlkit::abi;
namespace fs = std::filesystem;
using Table = nvmlkit::nvml::Table;

constexpr const char* kReplayed = "NVMLKIT_BENCH_REPLAY";

struct Library {
  Table table;
  abi::nvmlDevice_t device = nullptr;
};

template <class Function>
void find(void* handle, const char* name, Function& out) {
  void* function = dlsym(handle, name);
  std::memcpy(&out, &function, sizeof out);
}

Library open_library(const char* path) {
  Library out;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  find(handle, "nvmlInit_v2", out.table.Init_v2);
  find(handle, "nvmlDeviceGetHandleByIndex_v2", out.table.DeviceGetHandleByIndex_v2);
  find(handle, "nvmlDeviceGetTemperature", out.table.DeviceGetTemperature);
  find(handle, "nvmlDeviceGetName", out.table.DeviceGetName);
  find(handle, "nvmlDeviceGetMemoryInfo_v2", out.table.DeviceGetMemoryInfo_v2);
  find(handle, "nvmlDeviceGetFieldValues", out.table.DeviceGetFieldValues);
  if (out.table.Init_v2() != abi::NVML_SUCCESS ||
      out.table.DeviceGetHandleByIndex_v2(0, &out.device) != abi::NVML_SUCCESS) {
    std::fprintf(stderr, "%s: no GPU\n", path);
    std::exit(1);
  }
  return out;
}

template <class Call>
void measure(benchmark::State& state, Call call) {
  for (auto _ : state) {
    if (call() != abi::NVML_SUCCESS) {
      state.SkipWithError("the call fails");
      break;
    }
    benchmark::ClobberMemory();
  }
}

void add_calls(const std::string& kind, const Library& library) {
  const auto add = [&](const char* name, auto call) {
    call();  // one of the first calls, which a full recording keeps
    benchmark::RegisterBenchmark((kind + "/" + name).c_str(),
                                 [call](benchmark::State& state) { measure(state, call); });
  };
  add("Temperature", [library] {
    unsigned int out = 0;
    return library.table.DeviceGetTemperature(library.device, abi::NVML_TEMPERATURE_GPU, &out);
  });
  add("Name", [library] {
    char out[96];
    return library.table.DeviceGetName(library.device, out, sizeof out);
  });
  add("MemoryInfo", [library] {
    abi::nvmlMemory_v2_t out{};
    out.version = abi::version_tag<abi::nvmlMemory_v2_t>;
    return library.table.DeviceGetMemoryInfo_v2(library.device, &out);
  });
  add("FieldValues_8", [library] {
    abi::nvmlFieldValue_t out[8] = {};
    for (unsigned int i = 0; i < 8; ++i) out[i].fieldId = 83 + i;
    return library.table.DeviceGetFieldValues(library.device, 8, out);
  });
}

// In a process of its own: the library either records or answers.
void run_again(char** arguments, const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) setenv("NVMLKIT_TRACE_REPLAY", entry.path().c_str(), 1);
  setenv(kReplayed, "1", 1);
  execv("/proc/self/exe", arguments);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  const bool replays = std::getenv(kReplayed) != nullptr;
  std::string folder = "/tmp/nvmlkit_trace_bench_XXXXXX";
  if (!replays) {
    if (!mkdtemp(folder.data())) return 1;
    setenv("NVMLKIT_TRACE_RECORD", folder.c_str(), 1);
    setenv("NVMLKIT_TRACE_LIBRARY", NVMLKIT_DRIVER_LIBRARY, 1);
    add_calls("direct", open_library(NVMLKIT_DRIVER_LIBRARY));
  }
  add_calls(replays ? "replayed" : "recorded", open_library(NVMLKIT_TRACE_LIBRARY));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::fflush(stdout);
  if (!replays) run_again(arguments.data(), folder);
  fs::remove_all(fs::path(std::getenv("NVMLKIT_TRACE_REPLAY")).parent_path());
  return 0;
}
