// Conditional handles. cuGraphAddNode makes their nodes.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/launches/conditions.hpp"

namespace nvmlkit::cuda::functions {

CUresult GraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph, CUcontext ctx,
                                      unsigned int defaultLaunchValue, unsigned int flags) {
  constexpr unsigned kAssignDefault = 1;  // CU_GRAPH_COND_ASSIGN_DEFAULT
  if ((flags & ~kAssignDefault) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (ctx && !contexts::find(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  graph->conditions.push_back(conditions::make(defaultLaunchValue, flags == kAssignDefault));
  *pHandle_out = graph->conditions.back()->handle;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
