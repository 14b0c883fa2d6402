// The fixture of the tests of broken GPUs and failing functions.
#pragma once

#include "faults_support.hpp"
#include "sim/processes/clients.hpp"

namespace nvmlkit::driver_test {

class Faults : public Shared {
 protected:
  static nvmlReturn_t temperature(nvmlDevice_t gpu) {
    unsigned int celsius = 0;
    return call("nvmlDeviceGetTemperature", gpu, NVML_TEMPERATURE_GPU, &celsius);
  }
  static unsigned int field(nvmlDevice_t gpu, unsigned int id) {
    nvmlFieldValue_t value{};
    value.fieldId = id;
    EXPECT_EQ(call("nvmlDeviceGetFieldValues", gpu, 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.nvmlReturn, NVML_SUCCESS) << id;
    return value.value.uiVal;
  }
  // Whether this process may begin to use the GPU.
  sim::processes::Outcome use(std::size_t gpu) {
    sim::processes::Request request;
    request.pid = static_cast<std::uint32_t>(getpid());
    return sim::processes::attach(*outside_, gpu, request);
  }
  static unsigned int count() {
    unsigned int out = 0;
    EXPECT_EQ(call("nvmlDeviceGetCount_v2", &out), NVML_SUCCESS);
    return out;
  }
};

}  // namespace nvmlkit::driver_test
