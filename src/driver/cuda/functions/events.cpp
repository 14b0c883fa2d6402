// Events.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {

CUresult EventCreate(Context& context, CUevent* phEvent, unsigned int Flags) {
  constexpr unsigned kKnown = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if ((Flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  *phEvent = streams::add_event(context.handle(), Flags);
  return CUDA_SUCCESS;
}

CUresult EventRecordWithFlags(Context& context, CUevent hEvent, CUstream hStream, unsigned int flags) {
  if (flags > CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  const auto event = streams::find_event(hEvent);
  const auto stream = streams::find(hStream, context);
  if (!event || !stream || stream->context != event->context) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get())
    return flags == CU_EVENT_RECORD_EXTERNAL ? capture->add(*stream, RecordWork{hEvent})
                                             : capture::record(*stream, *event);
  event->captured.set(nullptr);
  std::vector<Task> tasks;
  if (const auto result = plan(context, RecordWork{hEvent}, tasks); result != CUDA_SUCCESS) return result;
  const auto result = schedule::hand_over(*stream, std::move(tasks));
  // The record signals other processes; they find the event complete.
  const bool waits = result == CUDA_SUCCESS && (event->flags & CU_EVENT_INTERPROCESS);
  return waits ? schedule::wait(context, {schedule::point_of(*event)}) : result;
}

CUresult EventRecord(Context& context, CUevent hEvent, CUstream hStream) {
  return EventRecordWithFlags(context, hEvent, hStream, 0);
}

CUresult EventQuery(Context&, CUevent hEvent) {
  const auto event = streams::find_event(hEvent);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->captured) return capture::refuse(*event);
  if (const auto result = captures::check_unsafe(); result != CUDA_SUCCESS) return result;
  return schedule::is_reached(schedule::point_of(*event)) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult EventSynchronize(Context& context, CUevent hEvent) {
  const auto result = EventQuery(context, hEvent);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) return result;
  const auto event = streams::find_event(hEvent);
  return event ? schedule::wait(context, {schedule::point_of(*event)}) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult EventDestroy_v2(CUevent hEvent) {
  if (const auto failed = contexts::failure_of_current(); failed != CUDA_SUCCESS) return failed;
  return streams::remove_event(hEvent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult EventDestroy(CUevent hEvent) { return EventDestroy_v2(hEvent); }

CUresult EventElapsedTime(Context&, float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  const auto start = streams::find_event(hStart), end = streams::find_event(hEnd);
  if (!start || !end || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_HANDLE;
  const auto from = schedule::point_of(*start), to = schedule::point_of(*end);
  if (!from.stream || !to.stream) return CUDA_ERROR_INVALID_HANDLE;
  if (!schedule::is_reached(from) || !schedule::is_reached(to)) return CUDA_ERROR_NOT_READY;
  *pMilliseconds = static_cast<float>(static_cast<double>(end->recorded_ns - start->recorded_ns) / 1e6);
  return CUDA_SUCCESS;
}

CUresult EventElapsedTime_v2(Context& context, float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return EventElapsedTime(context, pMilliseconds, hStart, hEnd);
}

}  // namespace nvmlkit::cuda::functions
