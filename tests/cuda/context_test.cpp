// Contexts and the stack of a thread.
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaContexts : public WithContext {
 protected:
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver().cuCtxGetCurrent(&context), CUDA_SUCCESS);
    return context;
  }
};

TEST_F(CudaContexts, StackOfAThread) {
  CUcontext second = nullptr, popped = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&second, 0u, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_EQ(current(), second);
  CUdevice device = -1;
  EXPECT_EQ(driver().cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), context_);
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(driver().cuCtxPushCurrent_v2(second), CUDA_SUCCESS);
    EXPECT_EQ(current(), second);
  }).join();
  EXPECT_EQ(driver().cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver().cuCtxPushCurrent_v2(second), CUDA_ERROR_INVALID_CONTEXT);
}

// What CUDA 13's header makes of cuCtxCreate. Before CUDA 13, cuCtxGetDevice_v2 and cuCtxSynchronize_v2
// take no context: some programs take whatever has that ending in place of the older function.
TEST_F(CudaContexts, OfCuda13) {
  CUcontext second = nullptr, owner = nullptr;
  CUctxCreateParams parameters{};
  ASSERT_EQ(driver().cuCtxCreate_v4(&second, &parameters, 0u, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_EQ(current(), second);
  CUdevice device = -1;
  const auto garbage = reinterpret_cast<CUcontext>(0x1234);
  EXPECT_EQ(driver().cuCtxGetDevice_v2(&device, garbage), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(driver().cuCtxSynchronize_v2(garbage), CUDA_SUCCESS);
  CUstream stream = nullptr;
  CUgreenCtx green = reinterpret_cast<CUgreenCtx>(1);
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamGetCtx_v2(stream, &owner, &green), CUDA_SUCCESS);
  EXPECT_EQ(owner, second);
  EXPECT_EQ(green, nullptr);
  EXPECT_EQ(driver().cuStreamGetDevice(stream, &device), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(driver().cuCtxDestroy_v2(second), CUDA_SUCCESS);
  parameters.numExecAffinityParams = 1;
  EXPECT_EQ(driver().cuCtxCreate_v4(&second, &parameters, 0u, CUdevice{1}), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

TEST_F(CudaContexts, AThreadIsToldThatItsContextIsGone) {
  CUcontext second = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&second, 0u, CUdevice{1}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxPushCurrent_v2(context_), CUDA_SUCCESS);
  std::thread([&] { EXPECT_EQ(driver().cuCtxDestroy_v2(second), CUDA_SUCCESS); }).join();
  CUcontext popped = nullptr;
  EXPECT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(driver().cuCtxGetDevice(&device), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxGetDevice(&device), CUDA_SUCCESS);
}

TEST_F(CudaContexts, PrimaryIsSharedAndCounted) {
  CUcontext one = nullptr, two = nullptr;
  unsigned flags = 9;
  int active = 9;
  EXPECT_EQ(driver().cuDevicePrimaryCtxGetState(CUdevice{2}, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(driver().cuDevicePrimaryCtxSetFlags_v2(CUdevice{2}, unsigned{CU_CTX_SCHED_BLOCKING_SYNC}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRetain(&one, CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRetain(&two, CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(one, two);
  EXPECT_EQ(driver().cuDevicePrimaryCtxGetState(CUdevice{2}, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_BLOCKING_SYNC});
  EXPECT_EQ(driver().cuCtxDestroy_v2(one), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxPushCurrent_v2(one), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{2}), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRetain(&two, CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{2}), CUDA_SUCCESS);
  CUcontext popped = nullptr;
  EXPECT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
}

TEST_F(CudaContexts, ResetFreesWhatThePrimaryOwns) {
  CUcontext primary = nullptr;
  ASSERT_EQ(driver().cuDevicePrimaryCtxRetain(&primary, CUdevice{3}), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxPushCurrent_v2(primary), CUDA_SUCCESS);
  const auto before = free_memory();
  const auto address = allocate(1 << 20);
  EXPECT_EQ(free_memory(), before - (2 << 20));
  EXPECT_EQ(driver().cuDevicePrimaryCtxReset_v2(CUdevice{3}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CUcontext again = nullptr;
  ASSERT_EQ(driver().cuDevicePrimaryCtxRetain(&again, CUdevice{3}), CUDA_SUCCESS);
  EXPECT_EQ(again, primary);
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(release(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{3}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDevicePrimaryCtxRelease_v2(CUdevice{3}), CUDA_SUCCESS);
  CUcontext popped = nullptr;
  EXPECT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
}

TEST_F(CudaContexts, LimitsAndFlagsAreKept) {
  std::size_t value = 0;
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(driver().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, std::size_t{4096}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(driver().cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, std::size_t{1}), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(driver().cuCtxSetLimit(CU_LIMIT_MAX, std::size_t{1}), CUDA_ERROR_INVALID_VALUE);
  unsigned flags = 0;
  EXPECT_EQ(driver().cuCtxSetFlags(3u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuCtxSetFlags(unsigned{CU_CTX_SCHED_SPIN}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxGetFlags(&flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_SPIN});
}

// As an H100 with driver 580 answers.
TEST_F(CudaContexts, LimitsAreRoundedAndBounded) {
  const auto refused = std::numeric_limits<std::size_t>::max();
  const auto after = [&](CUlimit limit, std::size_t value) {
    if (driver().cuCtxSetLimit(limit, value) != CUDA_SUCCESS) return refused;
    std::size_t now = 0;
    EXPECT_EQ(driver().cuCtxGetLimit(&now, limit), CUDA_SUCCESS);
    return now;
  };
  const std::size_t mib = 1 << 20, tib = std::size_t{1} << 40;
  std::size_t value = 0;
  EXPECT_EQ(after(CU_LIMIT_STACK_SIZE, 1), 16u);
  EXPECT_EQ(after(CU_LIMIT_STACK_SIZE, 1000), 1008u);
  EXPECT_EQ(after(CU_LIMIT_STACK_SIZE, mib), refused);
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 8650752u);
  EXPECT_EQ(after(CU_LIMIT_PRINTF_FIFO_SIZE, 0), mib / 2);
  EXPECT_EQ(after(CU_LIMIT_PRINTF_FIFO_SIZE, tib), 2048 * mib);
  EXPECT_EQ(after(CU_LIMIT_MALLOC_HEAP_SIZE, 1000), 4 * mib);
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(after(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 1), 32u);
  EXPECT_EQ(after(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128), 128u);
  EXPECT_EQ(after(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), refused);
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 9830400u);
  EXPECT_EQ(after(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1), 3276800u);
  EXPECT_EQ(after(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1024 * mib), refused);
  EXPECT_EQ(driver().cuCtxGetLimit(&value, CU_LIMIT_SHMEM_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 232448u);
}

TEST_F(CudaContexts, PeerAccess) {
  CUcontext peer = nullptr;
  ASSERT_EQ(driver().cuCtxCreate_v2(&peer, 0u, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxEnablePeerAccess(context_, 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxEnablePeerAccess(context_, 0u), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(driver().cuCtxEnablePeerAccess(peer, 0u), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_EQ(driver().cuCtxDisablePeerAccess(context_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxDisablePeerAccess(context_), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(driver().cuCtxDestroy_v2(peer), CUDA_SUCCESS);
}

// A child has none of the parent's GPUs and can start none, as with the real driver.
TEST_F(CudaContexts, AForkedChildHasNoDriver) {
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    const bool right = driver().cuInit(0u) == CUDA_ERROR_NOT_INITIALIZED &&
                       driver().cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                       driver().cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CudaForkBeforeInit, AChildCanStart) {
  if (!has_own_process()) return;
  const pid_t child = fork();
  if (child == 0) _exit(driver().cuInit(0u) == CUDA_SUCCESS ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
