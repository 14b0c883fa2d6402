// The driver, loaded by name as programs do it, on a machine of the tests, and memory of its GPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "driver/cuda/generated/prototypes.hpp"
#include "loaded.hpp"

namespace nvmlkit::library_test {

inline const int machine_of_tests = [] {
  const char* const wanted = std::getenv("NVMLKIT_TEST_MACHINE");
  return setenv("NVMLKIT_MACHINE", wanted ? wanted : "h100", 1);
}();

// The driver: what the tests call of it.
struct Driver : Loaded {
  Driver() : Loaded("libcuda.so.1") {}
#define NVMLKIT_FUNCTION(name) decltype(&cuda::name) name = find<decltype(&cuda::name)>(#name);
  NVMLKIT_FUNCTION(cuInit)
  NVMLKIT_FUNCTION(cuDeviceGetAttribute)
  NVMLKIT_FUNCTION(cuDevicePrimaryCtxRetain)
  NVMLKIT_FUNCTION(cuDevicePrimaryCtxReset_v2)
  NVMLKIT_FUNCTION(cuCtxSetCurrent)
  NVMLKIT_FUNCTION(cuCtxSynchronize)
  NVMLKIT_FUNCTION(cuMemAlloc_v2)
  NVMLKIT_FUNCTION(cuMemFree_v2)
  NVMLKIT_FUNCTION(cuMemcpyHtoD_v2)
  NVMLKIT_FUNCTION(cuMemcpyDtoH_v2)
  NVMLKIT_FUNCTION(cuMemsetD8Async)
  NVMLKIT_FUNCTION(cuStreamCreate)
  NVMLKIT_FUNCTION(cuStreamDestroy_v2)
  NVMLKIT_FUNCTION(cuStreamSynchronize)
  NVMLKIT_FUNCTION(cuStreamBeginCapture_v2)
  NVMLKIT_FUNCTION(cuStreamEndCapture)
  NVMLKIT_FUNCTION(cuGraphInstantiateWithFlags)
  NVMLKIT_FUNCTION(cuGraphLaunch)
  NVMLKIT_FUNCTION(cuGraphGetNodes)
  NVMLKIT_FUNCTION(cuGraphNodeGetType)
  NVMLKIT_FUNCTION(cuLaunchHostFunc)
#undef NVMLKIT_FUNCTION
};

inline const Driver& driver() {
  static const Driver the;
  return the;
}

inline void need_context() {
  cuda::CUcontext context = nullptr;
  ASSERT_EQ(driver().cuInit(0u), cuda::CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDevicePrimaryCtxRetain(&context, 0), cuda::CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSetCurrent(context), cuda::CUDA_SUCCESS);
}

// Elements on the device.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    EXPECT_EQ(driver().cuMemAlloc_v2(&address_, std::max<std::size_t>(count_, 1) * sizeof(T)), cuda::CUDA_SUCCESS);
    set(values);
  }
  ~OnDevice() { driver().cuMemFree_v2(address_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  void set(const std::vector<T>& values) {
    if (count_ == 0) return;
    EXPECT_EQ(driver().cuMemcpyHtoD_v2(address_, values.data(), count_ * sizeof(T)), cuda::CUDA_SUCCESS);
  }
  std::vector<T> get() const {
    std::vector<T> out(count_);
    if (count_ == 0) return out;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(out.data(), address_, count_ * sizeof(T)), cuda::CUDA_SUCCESS);
    return out;
  }
  T* data() const { return reinterpret_cast<T*>(address_); }

 private:
  std::size_t count_;
  cuda::CUdeviceptr address_ = 0;
};

// The same numbers in each run.
class Random {
 public:
  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(engine_); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }

 private:
  std::mt19937_64 engine_{7};
};

}  // namespace nvmlkit::library_test
