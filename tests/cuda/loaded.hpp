// The driver library, loaded and called by name, as programs do that are built without any header.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "generated/driver_table.hpp"

namespace nvmlkit::cuda_test {

using namespace cuda;

inline constexpr std::size_t kMib = std::size_t{1} << 20;

// The machine that the tests know.
inline const int machine_of_tests = setenv("NVMLKIT_MACHINE", "h100", 1);

// The simulated driver, or the one that NVMLKIT_TEST_CUDA_LIBRARY names: libcuda.so.1 shows what a real one answers.
inline void* library() {
  static const char* const named = std::getenv("NVMLKIT_TEST_CUDA_LIBRARY");
  static void* const handle = dlopen(named ? named : NVMLKIT_TEST_CUDA, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

// Its functions, with the signatures of the registry.
inline const Driver& driver() {
  static const Driver the(library());
  return the;
}

// A struct of the API with a union in it, which api.hpp only declares: the bytes that a test laid out.
template <class Struct, class Bytes>
Struct* as(Bytes* bytes) {
  return reinterpret_cast<Struct*>(bytes);
}

// By name, for tests that go over all functions.
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
  EXPECT_EQ(driver().cuModuleLoadData(&made, code), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuModuleGetFunction(&function, made, name), CUDA_SUCCESS);
  if (module) *module = made;
  return function;
}

// Blocks and threads along x, and arguments of a kernel.
template <class... Args>
CUresult launch_kernel(CUfunction kernel, unsigned blocks, unsigned threads, CUstream stream, Args... args) {
  void* arguments[] = {&args...};
  return driver().cuLaunchKernel(kernel, blocks, 1u, 1u, threads, 1u, 1u, 0u, stream, arguments, nullptr);
}

// A started driver with a context of GPU 0 that is current.
class WithContext : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuCtxGetCurrent(&before_), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuCtxCreate_v2(&context_, 0u, CUdevice{0}), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(driver().cuCtxDestroy_v2(context_), CUDA_SUCCESS);
    CUcontext left = nullptr;
    EXPECT_EQ(driver().cuCtxGetCurrent(&left), CUDA_SUCCESS);
    EXPECT_TRUE(!left || left == before_) << "the next test of this thread begins with a context of this one: " << left;
  }

  CUdeviceptr allocate(std::size_t size) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver().cuMemAlloc_v2(&address, size), CUDA_SUCCESS);
    return address;
  }
  CUresult release(CUdeviceptr address) { return driver().cuMemFree_v2(address); }
  std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(driver().cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    return free;
  }

  CUcontext context_ = nullptr;

 private:
  CUcontext before_ = nullptr;  // a test in the same process may have left one
};

}  // namespace nvmlkit::cuda_test
