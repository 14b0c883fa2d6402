#include "driver/cuda/graphs/node_work.hpp"

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/sanitize/work_order.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda {
namespace {

// Does all steps of a graph in the calling thread.
void perform_steps(Context& context, const Executable& executable) {
  std::vector<Task> tasks;
  if (const auto result = graphs::plan(context, executable, tasks); result != CUDA_SUCCESS) context.fail(result);
  for (const auto& task : tasks)
    if (task.work && context.failure() == CUDA_SUCCESS) task.work(CUDA_SUCCESS);
}

void decide(Context& context, const ConditionalWork& work) {
  const auto& value = work.condition->value;
  const auto do_body = [&](std::size_t which) {
    if (which < work.ready.size()) perform_steps(context, *work.ready[which]);
  };
  if (work.type == CU_GRAPH_COND_TYPE_SWITCH) return do_body(value);
  if (work.type == CU_GRAPH_COND_TYPE_IF) return do_body(value != 0 ? 0 : 1);
  while (value != 0 && context.failure() == CUDA_SUCCESS) do_body(0);
}

struct NodePlanner {
  Context& context;
  std::vector<Task>& out;

  CUresult operator()(const GraphWork& w) const {
    return w.ready ? graphs::plan(context, *w.ready, out) : CUDA_ERROR_INVALID_VALUE;
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
  CUresult operator()(const SignalWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
  CUresult operator()(const SemaphoreWork&) const { return CUDA_ERROR_NOT_SUPPORTED; }
  // Every other kind is what a stream can be handed.
  template <class Kind>
  CUresult operator()(const Kind& w) const {
    return cuda::plan(context, w, out);
  }
};

}  // namespace

NodeWork as_node(StreamWork work) {
  return std::visit([](auto&& kind) { return NodeWork(std::move(kind)); }, std::move(work));
}

CUresult graphs::plan(Context& context, const NodeWork& work, std::vector<Task>& out) {
  return std::visit(NodePlanner{context, out}, work);
}

CUresult graphs::plan(Context& context, const Executable& executable, std::vector<Task>& out) {
  for (const auto& condition : executable.conditions) {
    if (!condition->is_set_at_launch) continue;
    out.push_back(task_of(context));
    out.back().by = Task::By::lock;
    out.back().work = [condition](CUresult) { condition->value = condition->at_launch; };
  }
  const auto run = sanitizer::work_order::is_on() ? sanitizer::work_order::new_run() : 0;
  for (std::size_t k = 0; k < executable.steps.size(); ++k) {
    const auto& step = executable.steps[k];
    const auto first = out.size();
    if (step.is_enabled)
      if (const auto result = plan(context, step.work, out); result != CUDA_SUCCESS) return result;
    if (run == 0) continue;
    // A node without work still orders others.
    if (out.size() == first) cuda::plan(context, NoWork{}, out);
    const auto place =
        std::make_shared<const sanitizer::work_order::Step>(sanitizer::work_order::Step{run, k, step.needs});
    for (auto task = first; task < out.size(); ++task) out[task].step = place;
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda
