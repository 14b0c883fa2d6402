#include "driver/cuda/work/plan.hpp"

#include "driver/cuda/memory/fills.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda {
namespace {

// Calls plan(context) with the context that the work was made for.
template <class Plan>
CUresult in_context(Context& current, CUcontext handle, Plan plan) {
  if (!handle || handle == current.handle()) return plan(current);
  const auto context = contexts::find(handle);
  return context ? plan(*context) : CUDA_ERROR_INVALID_CONTEXT;
}

// Work that takes less than handing it to another thread.
constexpr std::size_t kShort = 64 * 1024;

}  // namespace

Task task_of(Context& context) {
  Task out;
  out.context = context.shared_from_this();
  return out;
}

Task copy_task(Context& context, Copy copy) {
  auto task = task_of(context);
  task.is_short = copy.size() <= kShort;
  task.work = [copy = std::move(copy)](CUresult failure) {
    if (failure == CUDA_SUCCESS) copy.perform();
  };
  return task;
}

CUresult plan(Context& context, const StreamWork& work, std::vector<Task>& out) {
  return std::visit([&](const auto& kind) { return plan(context, kind, out); }, work);
}

CUresult plan(Context& context, const KernelWork& w, std::vector<Task>& out) {
  return in_context(context, w.context, [&](Context& own) {
    auto result = CUDA_SUCCESS;
    if (w.of_host) {
      if (skips_kernels()) return result;
      out.push_back(task_of(own));
      out.back().work = [&own, kernel = w.of_host](CUresult failure) {
        if (failure == CUDA_SUCCESS) kernel->run(own);
      };
      return result;
    }
    Launch launch{modules::find_function(w.function, &own.device, own.handle(), result),
                  w.shape,
                  w.arguments,
                  w.of_many,
                  w.place_in_many,
                  w.origin};
    if (!launch.function) return result;
    if (result = check_launch(own, launch); result != CUDA_SUCCESS || skips_kernels()) return result;
    out.push_back(task_of(own));
    out.back().work = [&own, launch = std::move(launch)](CUresult failure) {
      if (failure == CUDA_SUCCESS) run_launch(own, launch);
    };
    return result;
  });
}

CUresult plan(Context& context, const CopyWork& w, std::vector<Task>& out) {
  return in_context(context, w.context, [&](Context& own) {
    Copy copy;
    if (const auto result = copy.find(w.copy); result != CUDA_SUCCESS) return result;
    if (!copy.fits()) return CUDA_ERROR_OUT_OF_MEMORY;
    out.push_back(copy_task(own, std::move(copy)));
    return CUDA_SUCCESS;
  });
}

CUresult plan(Context& context, const FillWork& w, std::vector<Task>& out) {
  return in_context(context, w.context, [&](Context& own) {
    Fill fill;
    if (const auto result = fill.find(w.fill); result != CUDA_SUCCESS) return result;
    if (!fill.fits()) return CUDA_ERROR_OUT_OF_MEMORY;
    out.push_back(task_of(own));
    out.back().is_short = fill.size() <= kShort;
    out.back().work = [fill](CUresult failure) {
      if (failure == CUDA_SUCCESS) fill.perform();
    };
    return CUDA_SUCCESS;
  });
}

CUresult plan(Context& context, const HostWork& w, std::vector<Task>& out) {
  out.push_back(task_of(context));
  out.back().by = Task::By::worker;
  out.back().work = [w](CUresult failure) {
    if (failure == CUDA_SUCCESS) w.function(w.data);
  };
  return CUDA_SUCCESS;
}

CUresult plan(Context& context, const NoWork&, std::vector<Task>& out) {
  out.push_back(task_of(context));
  out.back().by = Task::By::lock;
  return CUDA_SUCCESS;
}

CUresult plan(Context& context, const WaitWork& w, std::vector<Task>& out) {
  const auto event = streams::find_event(w.event);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  const auto point = schedule::point_of(*event);
  plan(context, NoWork{}, out);
  if (point.stream) out.back().behind.push_back(point);
  return CUDA_SUCCESS;
}

CUresult plan(Context& context, const RecordWork& w, std::vector<Task>& out) {
  const auto event = streams::find_event(w.event);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  plan(context, NoWork{}, out);
  out.back().event = event;
  return CUDA_SUCCESS;
}

CUresult plan(Context& context, const BatchWork& w, std::vector<Task>& out) {
  for (const auto& operation : w.operations) {
    plan(context, NoWork{}, out);
    if (const auto result = memory_operations::plan(operation, out.back()); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda
