// Streams, events, host functions.
#include <unistd.h>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaStreams : public WithContext {};

TEST_F(CudaStreams, TellWhatTheyAre) {
  CUstream stream = nullptr;
  ASSERT_EQ(driver().cuStreamCreateWithPriority(&stream, unsigned{CU_STREAM_NON_BLOCKING}, -100), CUDA_SUCCESS);
  unsigned flags = 0;
  int priority = 0, least = 9, greatest = 9;
  CUcontext owner = nullptr;
  EXPECT_EQ(driver().cuStreamGetFlags(stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(driver().cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamGetPriority(stream, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(driver().cuStreamGetCtx(stream, &owner), CUDA_SUCCESS);
  EXPECT_EQ(owner, context_);
  EXPECT_EQ(driver().cuStreamQuery(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuStreamDestroy_v2(CUstream{}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaStreams, DefaultStreamsAreAlwaysThere) {
  for (const auto standing : {0, 1, 2})
    EXPECT_EQ(driver().cuStreamSynchronize(reinterpret_cast<CUstream>(standing)), CUDA_SUCCESS);
  unsigned long long legacy = 0, own = 0;
  EXPECT_EQ(driver().cuStreamGetId(CUstream{}, &legacy), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamGetId_ptsz(CUstream{}, &own), CUDA_SUCCESS);
  EXPECT_EQ(legacy, 1u);
  EXPECT_EQ(own, 2u);
}

TEST_F(CudaStreams, EventsMeasureTime) {
  CUevent start = nullptr, end = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&start, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventCreate(&end, 0u), CUDA_SUCCESS);
  float elapsed = -1;
  EXPECT_EQ(driver().cuEventElapsedTime(&elapsed, start, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuEventRecord(start, CUstream{}), CUDA_SUCCESS);
  usleep(20000);
  EXPECT_EQ(driver().cuEventRecord(end, CUstream{}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventElapsedTime(&elapsed, start, end), CUDA_SUCCESS);
  EXPECT_GE(elapsed, 20.0f);
  EXPECT_LT(elapsed, 20000.0f);
  EXPECT_EQ(driver().cuStreamWaitEvent(CUstream{}, end, 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventDestroy_v2(end), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(end), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaStreams, EventsWithoutTime) {
  CUevent event = nullptr;
  EXPECT_EQ(driver().cuEventCreate(&event, unsigned{CU_EVENT_INTERPROCESS}), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuEventCreate(&event, unsigned{CU_EVENT_DISABLE_TIMING}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventRecord(event, CUstream{}), CUDA_SUCCESS);
  float elapsed = 0;
  EXPECT_EQ(driver().cuEventElapsedTime(&elapsed, event, event), CUDA_ERROR_INVALID_HANDLE);
}

void set(void* flag) { *static_cast<bool*>(flag) = true; }
void set_from_stream(CUstream, CUresult status, void* flag) { *static_cast<bool*>(flag) = status == CUDA_SUCCESS; }

TEST_F(CudaStreams, HostFunctionsAreCalled) {
  bool called = false;
  EXPECT_EQ(driver().cuLaunchHostFunc(CUstream{}, &set, &called), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamSynchronize(CUstream{}), CUDA_SUCCESS);
  EXPECT_TRUE(called);
  called = false;
  EXPECT_EQ(driver().cuStreamAddCallback(CUstream{}, &set_from_stream, &called, 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamSynchronize(CUstream{}), CUDA_SUCCESS);
  EXPECT_TRUE(called);
}

// What is asynchronous, with kernels that wait until they are let go.

}  // namespace
}  // namespace nvmlkit::cuda_test
