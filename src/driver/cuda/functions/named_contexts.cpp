// Calls that name a context, where older ones take the current one.
#include <algorithm>
#include <set>

#include "driver/cuda/call.hpp"
#include "driver/cuda/context/green_contexts.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// Drivers before CUDA 13 have no cuCtxGetDevice_v2 and no cuCtxSynchronize_v2. Who finds them there by their ending
// means the older functions, and passes no context.
bool has_names_of_contexts() {
  int version = 0;
  return DriverGetVersion(&version) == CUDA_SUCCESS && version >= 13000;
}

// work(context), of a named context or of the current one.
template <class Work>
CUresult in_context(CUcontext handle, Work work) {
  if (!handle || !has_names_of_contexts()) {
    const Current current;
    return current ? work(*current) : current.refusal();
  }
  if (schedule::is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const auto context = contexts::find(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const auto failure = context->look_for_failure();
  return failure == CUDA_SUCCESS ? work(*context) : failure;
}

// A context, and the green ones of its GPU if it is the primary one.
struct Family {
  explicit Family(Context& context) : ids{context.id}, handles{context.handle()} {
    if (!context.is_primary) return;
    for (const auto& green : green_contexts::all_of(context.device)) {
      ids.insert(green->id);
      handles.insert(green->handle());
    }
  }
  std::set<unsigned long long> ids;
  std::set<CUcontext> handles;
};

}  // namespace

CUresult CtxGetDevice_v2(CUdevice* device, CUcontext ctx) {
  return in_context(ctx, [&](Context& context) { return CtxGetDevice(context, device); });
}

CUresult CtxSynchronize_v2(CUcontext ctx) {
  return in_context(ctx, [](Context& context) { return CtxSynchronize(context); });
}

// The record is in a stream of its own, so that no other stream waits for it.
CUresult CtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  const auto context = contexts::find(hCtx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const auto event = streams::find_event(hEvent);
  if (!event || event->context != hCtx) return CUDA_ERROR_INVALID_HANDLE;
  const Family family(*context);
  if (captures::invalidate_of(family.handles)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (const auto failure = context->look_for_failure(); failure != CUDA_SUCCESS) return failure;
  event->captured.set(nullptr);
  std::vector<Task> tasks;
  if (const auto result = plan(*context, RecordWork{hEvent}, tasks); result != CUDA_SUCCESS) return result;
  tasks.front().behind = schedule::ends([&](const Stream& s) { return family.ids.count(s.context_id) != 0; });
  const auto stream = streams::standing(*context, Stream::Kind::made);
  stream->flags = CU_STREAM_NON_BLOCKING;
  return schedule::hand_over(*stream, std::move(tasks));
}

CUresult CtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  const auto context = contexts::find(hCtx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  const auto event = streams::find_event(hEvent);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto place = event->captured.get()) {
    const auto capture = place->capture.lock();
    return capture ? capture->refuse() : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  const Family family(*context);
  if (captures::invalidate_of(family.handles)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (const auto failure = context->look_for_failure(); failure != CUDA_SUCCESS) return failure;
  const auto point = schedule::point_of(*event);
  for (const auto id : family.ids) schedule::await(id, point);
  return CUDA_SUCCESS;
}

CUresult GreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags, int priority) {
  const auto green = green_contexts::find(greenCtx);
  if (!green) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  return StreamCreateWithPriority(*green->context, phStream, flags, priority);
}

CUresult GreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
  const auto green = green_contexts::find(greenCtx ? greenCtx : green_contexts::of(contexts::top()));
  if (!green) return greenCtx ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
  *greenCtxId = green->context->id;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
