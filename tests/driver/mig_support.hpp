// A machine in or out of MIG mode, and short names for what tests do with it.
#pragma once

#include <string>

#include "loaded.hpp"

namespace nvmlkit::driver_test {

class Mig : public Loaded {
 protected:
  void start(const std::string& base, const std::string& more = "") {
    Loaded::start("base: " + base + "\nsystem: {enforce_privilege: false, num_devices: 2}\n" + more);
  }

  static nvmlReturn_t set_mode(unsigned int mode) {
    nvmlReturn_t activation = NVML_ERROR_UNKNOWN;
    const auto result = call("nvmlDeviceSetMigMode", device(), mode, &activation);
    return result == NVML_SUCCESS ? activation : result;
  }
  struct Modes {
    unsigned int current, pending;
    friend bool operator==(const Modes&, const Modes&) = default;
  };
  static Modes modes() {
    Modes out{9, 9};
    EXPECT_EQ(call("nvmlDeviceGetMigMode", device(), &out.current, &out.pending), NVML_SUCCESS);
    return out;
  }

  static nvmlGpuInstance_t create(unsigned int profile) {
    nvmlGpuInstance_t instance = nullptr;
    EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", device(), profile, &instance), NVML_SUCCESS) << profile;
    return instance;
  }
  static nvmlComputeInstance_t create_compute(nvmlGpuInstance_t in, unsigned int profile) {
    nvmlComputeInstance_t instance = nullptr;
    EXPECT_EQ(call("nvmlGpuInstanceCreateComputeInstance", in, profile, &instance), NVML_SUCCESS) << profile;
    return instance;
  }
  static nvmlDevice_t mig_device(unsigned int index) {
    nvmlDevice_t handle = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", device(), index, &handle), NVML_SUCCESS) << index;
    return handle;
  }
  static nvmlGpuInstanceInfo_t info(nvmlGpuInstance_t instance) {
    nvmlGpuInstanceInfo_t out{};
    EXPECT_EQ(call("nvmlGpuInstanceGetInfo", instance, &out), NVML_SUCCESS);
    return out;
  }
  static std::string uuid(nvmlDevice_t of) {
    char text[96] = {};
    EXPECT_EQ(call("nvmlDeviceGetUUID", of, +text, 96U), NVML_SUCCESS);
    return text;
  }
};

}  // namespace nvmlkit::driver_test
