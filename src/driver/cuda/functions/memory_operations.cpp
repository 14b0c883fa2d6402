// Waits and writes of memory in streams.
#include <atomic>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/memory.hpp"
#include "driver/cuda/schedule.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// CUstreamBatchMemOpParams: what is to be done, with a value that is 32 or 64 bits wide.
struct Operation {
  unsigned type;
  CUdeviceptr address;
  std::uint64_t value;
  unsigned flags;
  CUdeviceptr alias;
  std::uint64_t reserved;
};
static_assert(sizeof(Operation) == 48);
// Barriers have flags where the others have padding.
constexpr std::size_t kBarrierFlags = 4;

constexpr unsigned kMostOperations = 255;

template <class T>
T& word(const Span& span) {
  return *reinterpret_cast<T*>(span.bytes);
}

template <class T>
bool compares(T is, T wanted, unsigned how) {
  switch (how) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(is - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return is == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (is & wanted) != 0;
    default:
      return static_cast<T>(~(is | wanted)) != 0;
  }
}

template <class T>
CUresult plan_wait(const Operation& o, Task& task) {
  if (o.flags & CU_STREAM_WAIT_VALUE_FLUSH) return CUDA_ERROR_NOT_SUPPORTED;
  if (o.flags > CU_STREAM_WAIT_VALUE_NOR || o.address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto span = memory::known(o.address, sizeof(T));
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  task.is_due = [span, wanted = static_cast<T>(o.value), how = o.flags] {
    return compares(std::atomic_ref(word<T>(span)).load(), wanted, how);
  };
  return CUDA_SUCCESS;
}

template <class T>
CUresult plan_write(const Operation& o, Task& task) {
  if (o.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER || o.address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto span = memory::known(o.address, sizeof(T));
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  task.work = [span, value = static_cast<T>(o.value)](CUresult) { std::atomic_ref(word<T>(span)).store(value); };
  return CUDA_SUCCESS;
}

CUresult plan(const Operation& o, Task& task) {
  switch (o.type) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return plan_wait<std::uint32_t>(o, task);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return plan_wait<std::uint64_t>(o, task);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return plan_write<std::uint32_t>(o, task);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return plan_write<std::uint64_t>(o, task);
    case CU_STREAM_MEM_OP_BARRIER: {  // tasks are ordered as they are
      unsigned flags = 0;
      std::memcpy(&flags, reinterpret_cast<const char*>(&o) + kBarrierFlags, sizeof flags);
      return flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// All of them, or none.
CUresult enqueue(Context& context, CUstream handle, const Operation* operations, unsigned count) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  std::vector<Task> tasks(count);
  for (unsigned i = 0; i < count; ++i) {
    tasks[i] = task_of(context);
    tasks[i].by = Task::By::lock;
    if (const auto result = plan(operations[i], tasks[i]); result != CUDA_SUCCESS) return result;
  }
  if (stream->is_captured) return capture::refuse(*stream);
  if (const auto result = capture::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  return schedule::hand_over(*stream, std::move(tasks));
}

CUresult enqueue(Context& context, CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                 std::uint64_t value, unsigned flags) {
  const Operation operation{type, address, value, flags, 0, 0};
  return enqueue(context, stream, &operation, 1);
}

}  // namespace

CUresult StreamBatchMemOp_v2(Context& context, CUstream stream, unsigned int count,
                             CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  if (count > kMostOperations || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Operation> operations(count);
  if (count > 0) std::memcpy(operations.data(), paramArray, count * sizeof(Operation));
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
