// The driver library on a machine that is up, and a hand on that machine from outside.
#pragma once

#include <unistd.h>

#include <memory>
#include <sstream>
#include <vector>

#include "../taken.hpp"
#include "loaded.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::driver_test {

class Shared : public Loaded {
 protected:
  // A state file of the built-in machine, and the library on it.
  void start_shared(const std::string& machine, const std::string& gpus = "2") {
    path_ = testing::TempDir() + "/faults_state_" + std::to_string(getpid());
    std::string error;
    const auto made = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", machine}, {"NVMLKIT_GPU_COUNT", gpus}}), error);
    ASSERT_TRUE(made) << error;
    made->system().enforce_privilege = false;
    ASSERT_TRUE(sim::taken(sim::state::save(*made, path_, machine), error)) << error;
    outside_ = sim::taken(sim::state::attach(path_), error);
    ASSERT_TRUE(outside_) << error;
    setenv("NVMLKIT_STATE", path_.c_str(), 1);
  }
  void start_library() {
    ASSERT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
    started_ = true;
  }

  static std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
  }
  void inject(const std::string& text) {
    EXPECT_EQ(text_of(sim::steering::inject(*outside_, words(text))), "") << text;
  }
  void heal(const std::string& text) { EXPECT_EQ(text_of(sim::steering::heal(*outside_, words(text))), "") << text; }

  nvmlEventSet_t set_for(unsigned long long types, unsigned int index = 0) {
    nvmlEventSet_t set = nullptr;
    EXPECT_EQ(call("nvmlEventSetCreate", &set), NVML_SUCCESS);
    EXPECT_EQ(call("nvmlDeviceRegisterEvents", device(index), types, set), NVML_SUCCESS);
    return set;
  }
  static nvmlReturn_t wait(nvmlEventSet_t set, nvmlEventData_t& data, unsigned int ms = 0) {
    return call("nvmlEventSetWait_v2", set, &data, ms);
  }

  void TearDown() override {
    Loaded::TearDown();
    unsetenv("NVMLKIT_STATE");
    unlink(path_.c_str());
  }

  std::unique_ptr<sim::Machine> outside_;
  std::string path_;
};

inline constexpr unsigned long long kXid = static_cast<unsigned long long>(EventTypeXidCriticalError);

}  // namespace nvmlkit::driver_test
