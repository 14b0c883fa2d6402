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

// A kernel of a module that is loaded for it.
inline CUfunction kernel_of(const char* code, const char* name, CUmodule* module = nullptr) {
  CUmodule made = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(call("cuModuleLoadData", &made, static_cast<const void*>(code)), CUDA_SUCCESS);
  EXPECT_EQ(call("cuModuleGetFunction", &function, made, name), CUDA_SUCCESS);
  if (module) *module = made;
  return function;
}

// Blocks and threads along x, and arguments of a kernel.
template <class... Args>
CUresult launch_kernel(CUfunction kernel, unsigned blocks, unsigned threads, CUstream stream, Args... args) {
  void* arguments[] = {&args...};
  return call("cuLaunchKernel", kernel, blocks, 1u, 1u, threads, 1u, 1u, 0u, stream, static_cast<void**>(arguments),
              static_cast<void**>(nullptr));
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
