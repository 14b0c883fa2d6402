// The fixture of the tests of setters.
#pragma once

#include "loaded.hpp"

namespace nvmlkit::driver_test {

class Setters : public Loaded {
 protected:
  // Open to whoever runs the tests; those of privilege start the machine as it is.
  void start(const std::string& machine) {
    std::string text = machine.find('\n') == std::string::npos ? "version: \"1.0\"\nbase: " + machine + "\n" : machine;
    if (text.find("system:") == std::string::npos) text += "system: {enforce_privilege: false}\n";
    Loaded::start(text);
  }

  template <class T, class... Args>
  static T get(const char* name, Args... args) {
    T value{};
    EXPECT_EQ(call(name, args..., &value), NVML_SUCCESS) << name;
    return value;
  }
  static unsigned int limit() { return get<unsigned int>("nvmlDeviceGetPowerManagementLimit", device()); }
  static unsigned int enforced() { return get<unsigned int>("nvmlDeviceGetEnforcedPowerLimit", device()); }
  static unsigned int clock(nvmlClockType_t type) {
    return get<unsigned int>("nvmlDeviceGetClockInfo", device(), type);
  }
  static unsigned int app_clock(nvmlClockType_t type) {
    return get<unsigned int>("nvmlDeviceGetApplicationsClock", device(), type);
  }
  static nvmlReturn_t set_limit(unsigned int mw) { return call("nvmlDeviceSetPowerManagementLimit", device(), mw); }
};

}  // namespace nvmlkit::driver_test
