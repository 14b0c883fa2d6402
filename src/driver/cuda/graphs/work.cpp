#include "driver/cuda/graphs/work.hpp"

#include <cstdlib>
#include <cstring>

#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/graphs/conditions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/memory/copies.hpp"
#include "driver/cuda/memory/fills.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda {
namespace {

// Calls work(context) in the context that a node was made for.
template <class F>
CUresult in_context(Context& current, CUcontext handle, F work) {
  if (!handle || handle == current.handle()) return work(current);
  const auto context = contexts::find(handle);
  return context ? work(*context) : CUDA_ERROR_INVALID_CONTEXT;
}

// Work that takes less than handing it to another thread.
constexpr std::size_t kShort = 64 * 1024;

bool waits_for_launches() {
  static const bool does = [] {
    const char* const word = std::getenv("CUDA_LAUNCH_BLOCKING");
    return word && std::strcmp(word, "1") == 0;
  }();
  return does;
}

Task copying(Context& context, Copy copy) {
  auto task = task_of(context);
  task.is_short = copy.size() <= kShort;
  task.work = [copy = std::move(copy)](CUresult failure) {
    if (failure == CUDA_SUCCESS) copy.run();
  };
  return task;
}

// Does all steps of a graph in the calling thread.
void perform(Context& context, const Executable& executable) {
  std::vector<Task> tasks;
  if (const auto result = graphs::plan(context, executable, tasks); result != CUDA_SUCCESS) context.fail(result);
  for (const auto& task : tasks)
    if (task.work && context.failure() == CUDA_SUCCESS) task.work(CUDA_SUCCESS);
}

void decide(Context& context, const ConditionalWork& work) {
  const auto& value = work.condition->value;
  const auto do_body = [&](std::size_t which) {
    if (which < work.ready.size()) perform(context, *work.ready[which]);
  };
  if (work.type == CU_GRAPH_COND_TYPE_SWITCH) return do_body(value);
  if (work.type == CU_GRAPH_COND_TYPE_IF) return do_body(value != 0 ? 0 : 1);
  while (value != 0 && context.failure() == CUDA_SUCCESS) do_body(0);
}

struct Planner {
  Context& context;
  std::vector<Task>& out;

  CUresult operator()(const KernelWork& w) const {
    return in_context(context, w.context, [&](Context& own) {
      auto result = CUDA_SUCCESS;
      Launch launch{modules::find_function(w.function, &own.device, own.handle(), result), w.shape, w.arguments,
                    w.of_many, w.place_in_many};
      if (!launch.function) return result;
      if (result = check(own, launch); result != CUDA_SUCCESS || skips_kernels()) return result;
      out.push_back(task_of(own));
      out.back().work = [&own, launch = std::move(launch)](CUresult failure) {
        if (failure == CUDA_SUCCESS) run(own, launch);
      };
      return result;
    });
  }
  CUresult operator()(const CopyWork& w) const {
    return in_context(context, w.context, [&](Context& own) {
      Copy copy;
      if (const auto result = copy.find(w.copy); result != CUDA_SUCCESS) return result;
      out.push_back(copying(own, std::move(copy)));
      return CUDA_SUCCESS;
    });
  }
  CUresult operator()(const FillWork& w) const {
    return in_context(context, w.context, [&](Context& own) {
      Fill fill;
      if (const auto result = fill.find(w.fill); result != CUDA_SUCCESS) return result;
      out.push_back(task_of(own));
      out.back().is_short = fill.size() <= kShort;
      out.back().work = [fill](CUresult failure) {
        if (failure == CUDA_SUCCESS) fill.run();
      };
      return CUDA_SUCCESS;
    });
  }
  CUresult operator()(const HostWork& w) const {
    out.push_back(task_of(context));
    out.back().by = Task::By::worker;
    out.back().work = [w](CUresult failure) {
      if (failure == CUDA_SUCCESS) w.function(w.data);
    };
    return CUDA_SUCCESS;
  }
  CUresult operator()(const GraphWork& w) const {
    return w.ready ? graphs::plan(context, *w.ready, out) : CUDA_ERROR_INVALID_VALUE;
  }
  CUresult operator()(const NoWork&) const {
    out.push_back(task_of(context));
    out.back().by = Task::By::lock;
    return CUDA_SUCCESS;
  }
  CUresult operator()(const WaitWork& w) const {
    const auto event = streams::find_event(w.event);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    const auto point = schedule::point_of(*event);
    (*this)(NoWork{});
    if (point.stream) out.back().behind.push_back(point);
    return CUDA_SUCCESS;
  }
  CUresult operator()(const RecordWork& w) const {
    const auto event = streams::find_event(w.event);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    (*this)(NoWork{});
    out.back().event = event;
    return CUDA_SUCCESS;
  }
  // It is there from the launch on, so that what is handed over later can name it.
  CUresult operator()(const AllocWork& w) const { return graph_memory::allocate(w); }
  CUresult operator()(const FreeWork& w) const {
    if (!memory::find(w.address)) return CUDA_ERROR_INVALID_VALUE;
    out.push_back(task_of(context));
    out.back().is_short = true;
    out.back().work = [w](CUresult) { graph_memory::release(w.address); };
    return CUDA_SUCCESS;
  }
  CUresult operator()(const ConditionalWork& w) const {
    if (w.ready.size() != w.bodies.size()) return CUDA_ERROR_INVALID_VALUE;
    out.push_back(task_of(context));
    out.back().work = [&context = context, w](CUresult failure) {
      if (failure == CUDA_SUCCESS) decide(context, w);
    };
    return CUDA_SUCCESS;
  }
  CUresult operator()(const BatchWork& w) const {
    for (const auto& operation : w.operations) {
      (*this)(NoWork{});
      if (const auto result = memory_operations::plan(operation, out.back()); result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
  }
  CUresult operator()(const SignalWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
  CUresult operator()(const SemaphoreWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
};

CUresult hand_over_and_wait(Context& context, Stream& stream, std::vector<Task> tasks) {
  Point end;
  if (const auto result = schedule::hand_over(stream, std::move(tasks), &end); result != CUDA_SUCCESS) return result;
  return end.stream ? schedule::wait(context, {end}) : CUDA_SUCCESS;
}

// Documented: memory that the program may use again at once is copied aside, and what it may look at is there.
CUresult enqueue_copy(Context& context, Stream& stream, const CopyWork& work) {
  Copy copy;
  if (const auto result = copy.find(work.copy); result != CUDA_SUCCESS) return result;
  bool waits = copy.is_to_pageable() || (copy.is_from_host() && copy.is_to_host());
  if (!waits && copy.is_from_pageable()) {
    if (schedule::is_idle(stream))
      waits = true;
    else
      copy.stage();
  }
  std::vector<Task> tasks;
  tasks.push_back(copying(context, std::move(copy)));
  return waits ? hand_over_and_wait(context, stream, std::move(tasks)) : schedule::hand_over(stream, std::move(tasks));
}

}  // namespace

Task task_of(Context& context) {
  Task out;
  out.context = context.shared_from_this();
  return out;
}

CUresult plan(Context& context, const Work& work, std::vector<Task>& out) {
  return std::visit(Planner{context, out}, work);
}

CUresult enqueue(Context& context, CUstream handle, Work work) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->is_captured) return capture::add(*stream, std::move(work));
  if (const auto result = capture::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  if (const auto* const copy = std::get_if<CopyWork>(&work)) return enqueue_copy(context, *stream, *copy);
  std::vector<Task> tasks;
  if (const auto result = plan(context, work, tasks); result != CUDA_SUCCESS) return result;
  const bool waits = std::holds_alternative<KernelWork>(work) && waits_for_launches();
  return waits ? hand_over_and_wait(context, *stream, std::move(tasks))
               : schedule::hand_over(*stream, std::move(tasks));
}

CUresult copy_now(Context& context, const CopyWork& work) {
  Copy copy;
  if (const auto result = copy.find(work.copy); result != CUDA_SUCCESS) return result;
  if (!copy.is_from_host() && !copy.is_to_host() && !copy.is_synchronous())
    return enqueue(context, OfThread::default_stream(), work);
  const auto stream = streams::find(OfThread::default_stream(), context);
  if (const auto result = schedule::wait(context, schedule::before(*stream)); result != CUDA_SUCCESS) return result;
  copy.run();
  return CUDA_SUCCESS;
}

CopyWork row_copy(const Context& context, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                  CUmemorytype from_type, std::size_t size) {
  CopyWork out;
  out.context = context.handle();
  auto& c = out.copy;
  c.dstMemoryType = to_type;
  c.dstHost = reinterpret_cast<void*>(to);
  c.dstDevice = to;
  c.srcMemoryType = from_type;
  c.srcHost = reinterpret_cast<const void*>(from);
  c.srcDevice = from;
  c.WidthInBytes = size;
  c.Height = c.Depth = 1;
  return out;
}

}  // namespace nvmlkit::cuda
