// The driver library under measurement: loaded by hand, with the functions that the benchmarks call.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <nvmlkit/generated/table.hpp>
#include <string>

namespace nvmlkit::bench {

inline const char* library_path() {
  const char* path = std::getenv("NVMLKIT_BENCH_LIBRARY");
  return path != nullptr ? path : NVMLKIT_DRIVER_LIBRARY;
}

[[noreturn]] inline void die(const std::string& message) {
  std::fprintf(stderr, "nvmlkit_bench: %s\n", message.c_str());
  std::exit(1);
}

class Driver {
 public:
  Driver() : handle_(dlopen(library_path(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) die(dlerror());
    find("nvmlInit_v2", table.Init_v2);
    find("nvmlShutdown", table.Shutdown);
    find("nvmlDeviceGetCount_v2", table.DeviceGetCount_v2);
    find("nvmlDeviceGetHandleByIndex_v2", table.DeviceGetHandleByIndex_v2);
    find("nvmlDeviceGetTemperature", table.DeviceGetTemperature);
    find("nvmlDeviceGetPowerUsage", table.DeviceGetPowerUsage);
    find("nvmlDeviceGetUtilizationRates", table.DeviceGetUtilizationRates);
    find("nvmlDeviceGetMemoryInfo_v2", table.DeviceGetMemoryInfo_v2);
    find("nvmlDeviceGetName", table.DeviceGetName);
    find("nvmlDeviceGetClockInfo", table.DeviceGetClockInfo);
    find("nvmlDeviceGetPciInfo_v3", table.DeviceGetPciInfo_v3);
    find("nvmlDeviceGetTotalEnergyConsumption", table.DeviceGetTotalEnergyConsumption);
    find("nvmlDeviceGetTotalEccErrors", table.DeviceGetTotalEccErrors);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { dlclose(handle_); }

  // Init and a handle of every GPU, as a client starts.
  void start() {
    if (table.Init_v2() != abi::NVML_SUCCESS) die("nvmlInit_v2 fails");
    unsigned int count = 0;
    table.DeviceGetCount_v2(&count);
    for (unsigned int i = 0; i < count; ++i) table.DeviceGetHandleByIndex_v2(i, &device);
    table.DeviceGetHandleByIndex_v2(0, &busy);
    gpus = count;
  }

  nvml::Table table;
  abi::nvmlDevice_t device = nullptr;  // idle
  abi::nvmlDevice_t busy = nullptr;    // with a workload, on the machine of BusyMachine()
  unsigned int gpus = 0;

 private:
  template <class Function>
  void find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (function == nullptr) die(std::string("no symbol ") + symbol);
  }

  void* handle_;
};

}  // namespace nvmlkit::bench
