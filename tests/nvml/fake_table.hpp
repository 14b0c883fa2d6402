// A driver made of a few functions, for tests that need no GPU: counts inits and shutdowns, knows two devices.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <nvmlkit/nvml.hpp>

namespace nvmlkit::nvml::test {

inline std::atomic<int> inits = 0;
inline std::atomic<int> shutdowns = 0;

inline abi::nvmlDevice_t device_handle(unsigned int index) {
  return reinterpret_cast<abi::nvmlDevice_t>(static_cast<std::uintptr_t>(0x1000 + index));
}

inline Table fake_table() {
  inits = shutdowns = 0;
  Table table;
  table.Init_v2 = [] {
    ++inits;
    return abi::NVML_SUCCESS;
  };
  table.Shutdown = [] {
    ++shutdowns;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetCount_v2 = [](unsigned int* count) {
    *count = 2;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetHandleByIndex_v2 = [](unsigned int index, abi::nvmlDevice_t* device) {
    *device = device_handle(index);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetIndex = [](abi::nvmlDevice_t device, unsigned int* index) {
    *index = static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(device) - 0x1000);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetHandleByPciBusId_v2 = [](const char* bus_id, abi::nvmlDevice_t* device) {
    const unsigned int bus = bus_id[10] - '0';  // "00000000:01:00.0"
    *device = device_handle(bus);
    return bus < 2 ? abi::NVML_SUCCESS : abi::NVML_ERROR_NOT_FOUND;
  };
  return table;
}

inline Library library_of(const Table& table) { return Library::from_table(table).value(); }
inline Device device_of(const Table& table) { return library_of(table).device(0).value(); }

}  // namespace nvmlkit::nvml::test
