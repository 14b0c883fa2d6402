// Streams, events, host functions.
#include <unistd.h>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaStreams : public WithContext {};

TEST_F(CudaStreams, TellWhatTheyAre) {
  CUstream stream = nullptr;
  ASSERT_EQ(call("cuStreamCreateWithPriority", &stream, unsigned{CU_STREAM_NON_BLOCKING}, -100), CUDA_SUCCESS);
  unsigned flags = 0;
  int priority = 0, least = 9, greatest = 9;
  CUcontext owner = nullptr;
  EXPECT_EQ(call("cuStreamGetFlags", stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(call("cuCtxGetStreamPriorityRange", &least, &greatest), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamGetPriority", stream, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(call("cuStreamGetCtx", stream, &owner), CUDA_SUCCESS);
  EXPECT_EQ(owner, context_);
  EXPECT_EQ(call("cuStreamQuery", stream), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamDestroy_v2", stream), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamQuery", stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(call("cuStreamDestroy_v2", CUstream{}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaStreams, DefaultStreamsAreAlwaysThere) {
  for (const auto standing : {0, 1, 2})
    EXPECT_EQ(call("cuStreamSynchronize", reinterpret_cast<CUstream>(standing)), CUDA_SUCCESS);
  unsigned long long legacy = 0, own = 0;
  EXPECT_EQ(call("cuStreamGetId", CUstream{}, &legacy), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamGetId_ptsz", CUstream{}, &own), CUDA_SUCCESS);
  EXPECT_EQ(legacy, 1u);
  EXPECT_EQ(own, 2u);
}

TEST_F(CudaStreams, EventsMeasureTime) {
  CUevent start = nullptr, end = nullptr;
  ASSERT_EQ(call("cuEventCreate", &start, 0u), CUDA_SUCCESS);
  ASSERT_EQ(call("cuEventCreate", &end, 0u), CUDA_SUCCESS);
  float elapsed = -1;
  EXPECT_EQ(call("cuEventElapsedTime", &elapsed, start, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(call("cuEventRecord", start, CUstream{}), CUDA_SUCCESS);
  usleep(20000);
  EXPECT_EQ(call("cuEventRecord", end, CUstream{}), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventSynchronize", end), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventElapsedTime", &elapsed, start, end), CUDA_SUCCESS);
  EXPECT_GE(elapsed, 20.0f);
  EXPECT_LT(elapsed, 20000.0f);
  EXPECT_EQ(call("cuStreamWaitEvent", CUstream{}, end, 0u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventDestroy_v2", end), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventQuery", end), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaStreams, EventsWithoutTime) {
  CUevent event = nullptr;
  EXPECT_EQ(call("cuEventCreate", &event, unsigned{CU_EVENT_INTERPROCESS}), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call("cuEventCreate", &event, unsigned{CU_EVENT_DISABLE_TIMING}), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventRecord", event, CUstream{}), CUDA_SUCCESS);
  float elapsed = 0;
  EXPECT_EQ(call("cuEventElapsedTime", &elapsed, event, event), CUDA_ERROR_INVALID_HANDLE);
}

void set(void* flag) { *static_cast<bool*>(flag) = true; }
void set_from_stream(CUstream, CUresult status, void* flag) { *static_cast<bool*>(flag) = status == CUDA_SUCCESS; }

TEST_F(CudaStreams, HostFunctionsAreCalled) {
  bool called = false;
  EXPECT_EQ(call("cuLaunchHostFunc", CUstream{}, &set, static_cast<void*>(&called)), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamSynchronize", CUstream{}), CUDA_SUCCESS);
  EXPECT_TRUE(called);
  called = false;
  EXPECT_EQ(call("cuStreamAddCallback", CUstream{}, &set_from_stream, static_cast<void*>(&called), 0u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamSynchronize", CUstream{}), CUDA_SUCCESS);
  EXPECT_TRUE(called);
}

// What is asynchronous, with kernels that wait until they are let go.

}  // namespace
}  // namespace nvmlkit::cuda_test
