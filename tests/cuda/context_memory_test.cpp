// The memory that a context itself takes, and the runtime in a child of a process that has used it.
#include <sys/wait.h>
#include <unistd.h>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST_F(WithContext, TakesMemoryItself) {
  const auto before = free_memory();
  CUcontext second = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&second, 0u, CUdevice{0}), CUDA_SUCCESS);
  const auto beside = free_memory();
  // An H100: some 500 MiB are reported.
  EXPECT_GT(before - beside, 400 * kMib);
  EXPECT_LT(before - beside, 600 * kMib);
  ASSERT_EQ(driver().cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(free_memory(), before);
}

TEST_F(WithContext, LeavesLessThanAllMemoryFree) {
  std::size_t free = 0, total = 0;
  ASSERT_EQ(driver().cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_GT(total - free, 400 * kMib);
}

TEST_F(WithContext, NeedsMemory) {
  // All but less than a context has.
  const auto left = allocate(free_memory() - 100 * kMib);
  CUcontext second = nullptr;
  EXPECT_EQ(driver().cuCtxCreate_v2(&second, 0u, CUdevice{0}), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(release(left), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&second, 0u, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxDestroy_v2(second), CUDA_SUCCESS);
}

// Reports from the field name the error of calls in such a child: the initialization error, as it is the driver's.
TEST(CudaRuntimeFork, AChildHasNoRuntime) {
  if (!has_own_process()) return;
  void* const library = dlopen((std::string(NVMLKIT_TEST_CUDART) + "12").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto free_memory = reinterpret_cast<int (*)(void*)>(dlsym(library, "cudaFree"));
  const auto device_count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cudaGetDeviceCount"));
  const auto set_device = reinterpret_cast<int (*)(int)>(dlsym(library, "cudaSetDevice"));
  constexpr int kInitializationError = 3;
  const auto in_child = [&](int expected) {
    const pid_t child = fork();
    if (child == 0) {
      int count = 0;
      _exit(free_memory(nullptr) == expected && set_device(0) == expected && device_count(&count) == expected ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "a call did not answer " << expected;
  };
  in_child(0);  // before its parent has used the runtime
  ASSERT_EQ(free_memory(nullptr), 0);
  in_child(kInitializationError);
  EXPECT_EQ(free_memory(nullptr), 0);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
