// The driver library, loaded, with a machine that a test writes.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "nvmlkit/generated/abi.hpp"
#include "nvmlkit/generated/table.hpp"

namespace nvmlkit::driver_test {

using namespace abi;

class Loaded : public testing::Test {
 public:
  // A forked child of a process that has called nvmlInit has to do so itself.
  static bool init_in_child() { return call("nvmlInit_v2") == NVML_SUCCESS; }

 protected:
  static void* library() {
    static void* const handle = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return handle;
  }

  // The symbol as a function of type F.
  template <class F>
  static F* symbol(const char* name) {
    void* const address = dlsym(library(), name);
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<F*>(address);
  }

  template <class... Args>
  static nvmlReturn_t call(const char* name, Args... args) {
    return symbol<nvmlReturn_t(Args...)>(name)(args...);
  }

  // Starts the library on a built-in machine, or on a text.
  void start(const std::string& machine) {
    std::string name = machine;
    if (machine.find('\n') != std::string::npos) {
      name = testing::TempDir() + "/machine_" + std::to_string(getpid()) + ".yaml";
      std::ofstream(name) << machine;
    }
    setenv("NVMLKIT_MACHINE", name.c_str(), 1);
    ASSERT_EQ(call("nvmlInit_v2"), NVML_SUCCESS);
    started_ = true;
  }

  static nvmlDevice_t device(unsigned int index = 0) {
    nvmlDevice_t handle = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", index, &handle), NVML_SUCCESS);
    return handle;
  }

  void TearDown() override {
    if (started_) call("nvmlShutdown");
    unsetenv("NVMLKIT_MACHINE");
    unsetenv("NVMLKIT_GPU_COUNT");
  }

 protected:
  bool started_ = false;
};

}  // namespace nvmlkit::driver_test
