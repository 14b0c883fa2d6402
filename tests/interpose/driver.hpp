// The fake driver with the answers that the tests of wrapped tables look at.
#pragma once

#include <atomic>
#include <cstdio>
#include <nvmlkit/interpose.hpp>

#include "nvml/fake_table.hpp"

namespace nvmlkit::nvml::interpose::test {

inline std::atomic<int> name_calls = 0;
inline std::atomic<unsigned int> power = 100000;

inline Table driver() {
  Table table = nvml::test::fake_table();
  name_calls = 0;
  power = 100000;
  table.DeviceGetName = [](abi::nvmlDevice_t device, char* name, unsigned int length) {
    ++name_calls;
    if (length < 8) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::snprintf(name, length, "GPU %u", static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(device) & 15));
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t, unsigned int* milliwatts) {
    *milliwatts = power++;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* count,
                                                 abi::nvmlProcessInfo_t* infos) {
    const unsigned int room = *count;
    *count = 2;
    if (room < 2) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    infos[0] = {};
    infos[1] = {};
    infos[0].pid = 41;
    infos[1].pid = 42;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlMemory_v2_t* memory) {
    if (memory->version != 0x02000028u) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memory->total = 1000;
    memory->used = 10;
    return abi::NVML_SUCCESS;
  };
  table.ErrorString = [](abi::nvmlReturn_t) { return "a text"; };
  table.DeviceGetRunningProcessDetailList = [](abi::nvmlDevice_t, abi::nvmlProcessDetailList_t*) {
    return abi::NVML_SUCCESS;
  };
  return table;
}

inline const abi::nvmlDevice_t gpu0 = nvml::test::device_handle(0);

}  // namespace nvmlkit::nvml::interpose::test
