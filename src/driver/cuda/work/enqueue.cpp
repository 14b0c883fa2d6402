#include "driver/cuda/work/enqueue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/capture.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda {
namespace {

bool waits_for_launches() {
  static const bool does = [] {
    const char* const word = std::getenv("CUDA_LAUNCH_BLOCKING");
    return word && std::strcmp(word, "1") == 0;
  }();
  return does;
}

CUresult hand_over_and_wait(Context& context, Stream& stream, std::vector<Task> tasks) {
  Point end;
  if (const auto result = schedule::hand_over(stream, std::move(tasks), &end); result != CUDA_SUCCESS) return result;
  return end.stream ? schedule::wait(context, {end}) : CUDA_SUCCESS;
}

// Documented: a copy between GPUs in a default stream comes behind what both were handed, and before what they are
// handed later. The other contexts than that of the stream, by id.
std::vector<unsigned long long> other_contexts(const Stream& stream, const Copy& copy) {
  std::vector<unsigned long long> out;
  if (stream.kind != Stream::Kind::legacy) return out;
  for (const auto handle : copy.contexts_of_gpus())
    if (const auto context = contexts::find(handle); context && context->id != stream.context_id)
      out.push_back(context->id);
  return out;
}

// Documented: memory that the program may use again at once is copied aside, and what it may look at is there.
CUresult enqueue_copy(Context& context, Stream& stream, const CopyWork& work, bool in_call) {
  Copy copy;
  if (const auto result = copy.find(work.copy); result != CUDA_SUCCESS) return result;
  if (!copy.fits()) return CUDA_ERROR_OUT_OF_MEMORY;
  bool waits = copy.is_to_pageable() || (copy.is_from_host() && copy.is_to_host());
  if (!waits && copy.is_from_pageable()) {
    if (schedule::is_idle(stream))
      waits = true;
    else
      copy.stage();
  }
  const auto others = other_contexts(stream, copy);
  std::vector<Task> tasks;
  tasks.push_back(copy_task(context, std::move(copy)));
  if (in_call) tasks.front().is_short = true;
  if (!others.empty()) {
    tasks.front().behind = schedule::ends(
        [&](const Stream& s) { return std::find(others.begin(), others.end(), s.context_id) != others.end(); });
    Point end;
    const auto result = schedule::hand_over(stream, std::move(tasks), &end);
    if (result == CUDA_SUCCESS)
      for (const auto id : others) schedule::await(id, end);
    return result;
  }
  return waits ? hand_over_and_wait(context, stream, std::move(tasks)) : schedule::hand_over(stream, std::move(tasks));
}

}  // namespace

CUresult enqueue(Context& context, CUstream handle, StreamWork work, bool in_call) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (auto* const kernel = std::get_if<KernelWork>(&work); kernel && sanitizer::is_on())
    kernel->origin = sanitizer::here();
  if (const auto capture = stream->capture.get()) return capture->add(*stream, std::move(work));
  if (const auto result = captures::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  if (const auto* const copy = std::get_if<CopyWork>(&work)) return enqueue_copy(context, *stream, *copy, in_call);
  std::vector<Task> tasks;
  if (const auto result = plan(context, work, tasks); result != CUDA_SUCCESS) return result;
  if (in_call) tasks.front().is_short = true;
  const bool waits = std::holds_alternative<KernelWork>(work) && waits_for_launches();
  return waits ? hand_over_and_wait(context, *stream, std::move(tasks))
               : schedule::hand_over(*stream, std::move(tasks));
}

CUresult copy_now(Context& context, const CopyWork& work) {
  Copy copy;
  if (const auto result = copy.find(work.copy); result != CUDA_SUCCESS) return result;
  if (!copy.fits()) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!copy.is_from_host() && !copy.is_to_host() && !copy.is_synchronous())
    return enqueue(context, OfThread::default_stream(), work, true);
  const auto stream = streams::find(OfThread::default_stream(), context);
  if (const auto result = schedule::wait(context, schedule::before(*stream)); result != CUDA_SUCCESS) return result;
  copy.perform();
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda
