// Streams.
#include "driver/cuda/streams/streams.hpp"

#include <algorithm>
#include <utility>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/enqueue.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// To the legacy default stream, work of blocking streams counts as its own.
std::vector<Point> work_of(Stream& stream) {
  if (stream.kind == Stream::Kind::legacy) return schedule::before(stream);
  return {schedule::end_of(stream)};
}

}  // namespace

CUresult StreamCreateWithPriority(Context& context, CUstream* phStream, unsigned int flags, int priority) {
  if (flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *phStream = streams::add(context, flags, std::clamp(priority, streams::kGreatestPriority, streams::kLeastPriority));
  return CUDA_SUCCESS;
}

CUresult StreamCreate(Context& context, CUstream* phStream, unsigned int Flags) {
  return StreamCreateWithPriority(context, phStream, Flags, 0);
}

CUresult StreamDestroy_v2(CUstream hStream) {
  if (const auto failed = contexts::failure_of_current(); failed != CUDA_SUCCESS) return failed;
  return streams::remove(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult StreamDestroy(CUstream hStream) { return StreamDestroy_v2(hStream); }

CUresult StreamGetPriority(Context& context, CUstream hStream, int* priority) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

CUresult StreamGetFlags(Context& context, CUstream hStream, unsigned int* flags) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

CUresult StreamGetId(Context& context, CUstream hStream, unsigned long long* streamId) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *streamId = stream->id;
  return CUDA_SUCCESS;
}

CUresult StreamGetCtx(Context& context, CUstream hStream, CUcontext* pctx) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *pctx = stream->context;
  return CUDA_SUCCESS;
}

CUresult StreamGetCtx_v2(Context& context, CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  if (pGreenCtx) *pGreenCtx = nullptr;
  return StreamGetCtx(context, hStream, pCtx);
}

CUresult StreamGetDevice(Context& context, CUstream hStream, CUdevice* device) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  const auto owner = contexts::find(stream->context);
  return owner ? CtxGetDevice(*owner, device) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult StreamQuery(Context& context, CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get()) return capture->refuse();
  if (const auto result = captures::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  for (const auto& point : work_of(*stream))
    if (!schedule::is_reached(point)) return CUDA_ERROR_NOT_READY;
  return CUDA_SUCCESS;
}

CUresult StreamSynchronize(Context& context, CUstream hStream) {
  const auto result = StreamQuery(context, hStream);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) return result;
  const auto stream = streams::find(hStream, context);
  return stream ? schedule::wait(context, work_of(*stream)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult StreamWaitEvent(Context& context, CUstream hStream, CUevent hEvent, unsigned int Flags) {
  if (Flags > CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  const auto event = streams::find_event(hEvent);
  const auto stream = streams::find(hStream, context);
  if (!event || !stream) return CUDA_ERROR_INVALID_HANDLE;
  const bool is_external = stream->capture && Flags == CU_EVENT_WAIT_EXTERNAL;  // a node that waits
  if (!is_external && (stream->capture || event->captured)) return capture::wait(stream, *event);
  return enqueue(context, hStream, WaitWork{hEvent});
}

CUresult LaunchHostFunc(Context& context, CUstream hStream, CUhostFn fn, void* userData) {
  if (!fn) return CUDA_ERROR_INVALID_VALUE;
  return enqueue(context, hStream, HostWork{fn, userData});
}

CUresult StreamAddCallback(Context& context, CUstream hStream, CUstreamCallback callback, void* userData,
                           unsigned int flags) {
  if (!callback || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get()) return capture->refuse();
  if (const auto result = captures::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  auto task = task_of(context);
  task.by = Task::By::worker;
  task.work = [=, &context](CUresult failure) {
    context.printed().flush();
    callback(hStream, failure, userData);
  };
  std::vector<Task> tasks;
  tasks.push_back(std::move(task));
  return schedule::hand_over(*stream, std::move(tasks));
}

CUresult ThreadExchangeStreamCaptureMode(Context&, CUstreamCaptureMode* mode) {
  if (*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  *mode = captures::exchange_mode(*mode);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
