// Instantiation, update and launch of graphs.
#include <cstdio>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/capture.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr unsigned long long kFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

}  // namespace

CUresult GraphInstantiateWithFlags(Context&, CUgraphExec* phGraphExec, CUgraph hGraph, unsigned long long flags) {
  *phGraphExec = nullptr;
  if (flags == CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) return CUDA_ERROR_NOT_SUPPORTED;
  if ((flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph || graph->is_of_node) return CUDA_ERROR_INVALID_VALUE;
  if (!graph->ready.expired()) return CUDA_ERROR_NOT_SUPPORTED;  // memory has one place
  auto ready = graphs::ready(*graph);
  if (!ready) return CUDA_ERROR_INVALID_VALUE;
  ready->flags = flags;
  if (graphs::allocates(*graph)) graph->ready = ready;
  *phGraphExec = graphs::add(std::move(ready));
  return CUDA_SUCCESS;
}

CUresult GraphInstantiateWithParams(Context& context, CUgraphExec* phGraphExec, CUgraph hGraph,
                                    CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  const auto result = GraphInstantiateWithFlags(context, phGraphExec, hGraph, instantiateParams->flags);
  instantiateParams->hErrNode_out = nullptr;
  instantiateParams->result_out =
      result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  return result;
}

CUresult GraphInstantiate_v2(Context& context, CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                             char* logBuffer, std::size_t bufferSize) {
  if (phErrorNode) *phErrorNode = nullptr;
  const auto result = GraphInstantiateWithFlags(context, phGraphExec, hGraph, 0);
  if (logBuffer && bufferSize > 0)
    std::snprintf(logBuffer, bufferSize, "%s", result == CUDA_SUCCESS ? "" : "not a graph without circles");
  return result;
}

CUresult GraphInstantiate(Context& context, CUgraphExec* phGraphExec, CUgraph hGraph, CUgraphNode* phErrorNode,
                          char* logBuffer, std::size_t bufferSize) {
  return GraphInstantiate_v2(context, phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult GraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
  const auto guard = graphs::guard();
  const auto executable = graphs::find(hGraphExec);
  if (!executable) return CUDA_ERROR_INVALID_VALUE;
  *flags = executable->flags;
  return CUDA_SUCCESS;
}

CUresult GraphExecDestroy(CUgraphExec hGraphExec) {
  const auto guard = graphs::guard();
  return graphs::remove(hGraphExec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult GraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo) {
  *resultInfo = {};
  const auto guard = graphs::guard();
  const auto executable = graphs::find(hGraphExec);
  const auto graph = graphs::find(hGraph);
  if (!executable || !graph) return CUDA_ERROR_INVALID_VALUE;
  const auto ready = graphs::ready(*graph);
  resultInfo->result = ready ? graphs::update(*executable, *ready, resultInfo->errorNode) : CU_GRAPH_EXEC_UPDATE_ERROR;
  return resultInfo->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult GraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode* hErrorNode_out,
                         CUgraphExecUpdateResult* updateResult_out) {
  CUgraphExecUpdateResultInfo info{};
  const auto result = GraphExecUpdate_v2(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  *updateResult_out = info.result;
  return result;
}

CUresult GraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  const auto guard = graphs::guard();
  const auto executable = graphs::find(hGraphExec);
  auto* const step = executable ? graphs::step_of(*executable, hNode) : nullptr;
  if (!step || type_of(step->work) > CU_GRAPH_NODE_TYPE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
  step->is_enabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

CUresult GraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
  const auto guard = graphs::guard();
  const auto executable = graphs::find(hGraphExec);
  const auto* const step = executable ? graphs::step_of(*executable, hNode) : nullptr;
  if (!step || type_of(step->work) > CU_GRAPH_NODE_TYPE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
  *isEnabled = step->is_enabled;
  return CUDA_SUCCESS;
}

CUresult GraphUpload(Context& context, CUgraphExec hGraphExec, CUstream hStream) {
  const auto guard = graphs::guard();
  if (!graphs::find(hGraphExec)) return CUDA_ERROR_INVALID_VALUE;
  return streams::find(hStream, context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult GraphLaunch(Context& context, CUgraphExec hGraphExec, CUstream hStream) {
  std::shared_ptr<Executable> executable;
  Executable copy;  // what is looked up for it needs other locks
  {
    const auto guard = graphs::guard();
    executable = graphs::find(hGraphExec);
    if (!executable) return CUDA_ERROR_INVALID_VALUE;
    copy = *executable;
  }
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get()) return capture->refuse();
  if (const auto result = captures::check_uncaptured(*stream); result != CUDA_SUCCESS) return result;
  if (graphs::allocates(copy)) {  // the remains of the last launch are known at its end
    auto before = schedule::before(*stream);
    if (copy.turn.stream) before.push_back(copy.turn);
    if (const auto result = schedule::wait(context, before); result != CUDA_SUCCESS) return result;
    if (!graphs::free_before_launch(copy)) return CUDA_ERROR_INVALID_VALUE;
  }
  std::vector<Task> tasks;
  if (const auto result = graphs::plan(context, copy, tasks); result != CUDA_SUCCESS) return result;
  // It may be destroyed while it is done: what it holds stays until then.
  tasks.push_back(task_of(context));
  tasks.back().work = [executable](CUresult) {};
  const auto guard = graphs::guard();
  return schedule::hand_over_in_turn(*stream, std::move(tasks), executable->turn);
}

}  // namespace nvmlkit::cuda::functions
