// The driver library, loaded and called by name, as programs do that are built without any header.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda_test {

using namespace cuda;

inline void* library() {
  static void* const handle = dlopen(NVMLKIT_TEST_CUDA, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class... Args>
CUresult call(const char* name, Args... args) {
  void* const address = dlsym(library(), name);
  if (!address) ADD_FAILURE() << "no " << name << ": " << dlerror();
  return address ? reinterpret_cast<CUresult (*)(Args...)>(address)(args...) : CUDA_ERROR_UNKNOWN;
}

// A started driver with a context of GPU 0 that is current.
class WithContext : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(call("cuInit", 0u), CUDA_SUCCESS);
    ASSERT_EQ(call("cuCtxCreate_v2", &context_, 0u, CUdevice{0}), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(call("cuCtxDestroy_v2", context_), CUDA_SUCCESS); }

  CUdeviceptr allocate(std::size_t size) {
    CUdeviceptr address = 0;
    EXPECT_EQ(call("cuMemAlloc_v2", &address, size), CUDA_SUCCESS);
    return address;
  }
  CUresult release(CUdeviceptr address) { return call("cuMemFree_v2", address); }
  std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(call("cuMemGetInfo_v2", &free, &total), CUDA_SUCCESS);
    return free;
  }

  CUcontext context_ = nullptr;
};

}  // namespace nvmlkit::cuda_test
