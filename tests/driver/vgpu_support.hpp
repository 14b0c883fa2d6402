// The fixture of the vGPU tests: a host with two A40, and queries of its lists.
#pragma once

#include <set>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::driver_test {

class Vgpu : public Loaded {
 protected:
  static constexpr const char* kHead = "system: {enforce_privilege: false, num_devices: 2}\n";

  void host(const std::string& first, const std::string& second = "{}") {
    start("base: a40\n" + std::string(kHead) +
          "device_defaults: {virtualization: {mode: host_vgpu}}\n"
          "devices:\n  - {index: 0, vgpu: " +
          first + "}\n  - {index: 1, vgpu: " + second + "}\n");
  }

  void end() {
    call("nvmlShutdown");
    started_ = false;
  }

  template <class Handle>
  static std::vector<unsigned int> list(const char* name, Handle of, nvmlReturn_t expected = NVML_SUCCESS) {
    unsigned int count = 0;
    auto result = call(name, of, &count, static_cast<unsigned int*>(nullptr));
    std::vector<unsigned int> out(count);
    if (result == NVML_ERROR_INSUFFICIENT_SIZE) result = call(name, of, &count, out.data());
    EXPECT_EQ(result, expected) << name;
    return out;
  }
  static std::vector<unsigned int> active(unsigned int gpu = 0) {
    return list("nvmlDeviceGetActiveVgpus", device(gpu));
  }

  static std::string name(unsigned int type) {
    char text[64] = {};
    unsigned int size = sizeof text;
    EXPECT_EQ(call("nvmlVgpuTypeGetName", type, +text, &size), NVML_SUCCESS);
    return text;
  }
  static std::set<std::string> names(const std::vector<unsigned int>& types) {
    std::set<std::string> out;
    for (const auto type : types) out.insert(name(type));
    return out;
  }
  static unsigned long long used() {
    nvmlMemory_v2_t memory{};
    memory.version = version_tag<nvmlMemory_v2_t>;
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device(), &memory), NVML_SUCCESS);
    EXPECT_LE(memory.used + memory.free + memory.reserved, memory.total);
    return memory.used;
  }
  static std::vector<unsigned int> places(const char* name, unsigned int type, unsigned int mode,
                                          nvmlReturn_t expected = NVML_SUCCESS) {
    unsigned int ids[64] = {};
    nvmlVgpuPlacementList_v2_t placements{version_tag<nvmlVgpuPlacementList_v2_t>, 0, 64, ids, mode};
    EXPECT_EQ(call(name, device(), type, &placements), expected);
    return expected == NVML_SUCCESS ? std::vector<unsigned int>(ids, ids + placements.count)
                                    : std::vector<unsigned int>();
  }
};

inline constexpr unsigned int kA408Q = 562, kA408C = 583, kA4048Q = 566, kA4012Q = 563, kA4016Q = 564, kA401Q = 557;
inline constexpr unsigned long long kGb = 1ULL << 30;

}  // namespace nvmlkit::driver_test
