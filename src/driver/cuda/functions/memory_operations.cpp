// Waits and writes of memory in streams.
#include "driver/cuda/memory/memory_operations.hpp"

#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/capture.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// All of them, or none.
CUresult enqueue(Context& context, CUstream handle, const MemoryOperation* operations, unsigned count) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  std::vector<Task> tasks(count);
  for (unsigned i = 0; i < count; ++i) {
    tasks[i] = task_of(context);
    tasks[i].by = Task::By::lock;
    if (const auto result = memory_operations::plan(operations[i], tasks[i]); result != CUDA_SUCCESS) return result;
  }
  if (const auto capture = stream->capture.get())
    return capture->add(*stream, BatchWork{context.handle(), {operations, operations + count}});
  if (const auto result = captures::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  return schedule::hand_over(*stream, std::move(tasks));
}

CUresult enqueue(Context& context, CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                 std::uint64_t value, unsigned flags) {
  const MemoryOperation operation{type, address, value, flags, 0, 0};
  return enqueue(context, stream, &operation, 1);
}

}  // namespace

CUresult StreamBatchMemOp_v2(Context& context, CUstream stream, unsigned int count,
                             CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  if (count > memory_operations::kMost || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  std::vector<MemoryOperation> operations(count);
  if (count > 0) std::memcpy(static_cast<void*>(operations.data()), paramArray, count * sizeof(MemoryOperation));
  return enqueue(context, stream, operations.data(), count);
}

CUresult StreamWaitValue32_v2(Context& context, CUstream stream, CUdeviceptr addr, cuuint32_t value,
                              unsigned int flags) {
  return enqueue(context, stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}
CUresult StreamWaitValue64_v2(Context& context, CUstream stream, CUdeviceptr addr, cuuint64_t value,
                              unsigned int flags) {
  return enqueue(context, stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}
CUresult StreamWriteValue32_v2(Context& context, CUstream stream, CUdeviceptr addr, cuuint32_t value,
                               unsigned int flags) {
  return enqueue(context, stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}
CUresult StreamWriteValue64_v2(Context& context, CUstream stream, CUdeviceptr addr, cuuint64_t value,
                               unsigned int flags) {
  return enqueue(context, stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

// The older ones do the same.
CUresult StreamBatchMemOp(Context& context, CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                          unsigned int flags) {
  return StreamBatchMemOp_v2(context, stream, count, paramArray, flags);
}
CUresult StreamWaitValue32(Context& context, CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return StreamWaitValue32_v2(context, stream, addr, value, flags);
}
CUresult StreamWaitValue64(Context& context, CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return StreamWaitValue64_v2(context, stream, addr, value, flags);
}
CUresult StreamWriteValue32(Context& context, CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return StreamWriteValue32_v2(context, stream, addr, value, flags);
}
CUresult StreamWriteValue64(Context& context, CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return StreamWriteValue64_v2(context, stream, addr, value, flags);
}

}  // namespace nvmlkit::cuda::functions
