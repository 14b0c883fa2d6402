// Parameters of nodes, in graphs and in instantiated graphs.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/node_params.hpp"

namespace nvmlkit::cuda::functions {
using node_params::add;
using node_params::get;
using node_params::set;

CUresult GraphAddKernelNode_v2(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                               std::size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(*nodeParams));
}

CUresult GraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return get<KernelWork>(hNode, [&](Node& node, const KernelWork&) { *nodeParams = node_params::kernel_of(node); });
}

CUresult GraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return set(hNode, node_params::work_of(*nodeParams));
}

CUresult GraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                         const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, node_params::work_of(*nodeParams));
}

CUresult GraphAddKernelNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            std::size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(node_params::newer(*nodeParams)));
}

CUresult GraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return get<KernelWork>(
      hNode, [&](Node& node, const KernelWork&) { *nodeParams = node_params::older(node_params::kernel_of(node)); });
}

CUresult GraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return set(hNode, node_params::work_of(node_params::newer(*nodeParams)));
}

CUresult GraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return set(hGraphExec, hNode, node_params::work_of(node_params::newer(*nodeParams)));
}

CUresult GraphAddMemcpyNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            std::size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, {CUDA_SUCCESS, CopyWork{*copyParams, ctx}});
}

CUresult GraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return get<CopyWork>(hNode, [&](Node&, const CopyWork& work) { *nodeParams = work.copy; });
}

CUresult GraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return set(hNode, {CUDA_SUCCESS, CopyWork{*nodeParams, contexts::top()}});
}

CUresult GraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
                                      CUcontext ctx) {
  return set(hGraphExec, hNode, {CUDA_SUCCESS, CopyWork{*copyParams, ctx}});
}

CUresult GraphAddMemsetNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            std::size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(*memsetParams, ctx));
}

CUresult GraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return get<FillWork>(hNode, [&](Node&, const FillWork& work) { *nodeParams = work.fill; });
}

CUresult GraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return set(hNode, node_params::work_of(*nodeParams, contexts::top()));
}

CUresult GraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  return set(hGraphExec, hNode, node_params::work_of(*memsetParams, ctx));
}

CUresult GraphAddHostNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                          std::size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(*nodeParams));
}

CUresult GraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return get<HostWork>(hNode, [&](Node&, const HostWork& work) { *nodeParams = {work.function, work.data}; });
}

CUresult GraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return set(hNode, node_params::work_of(*nodeParams));
}

CUresult GraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return set(hGraphExec, hNode, node_params::work_of(*nodeParams));
}

CUresult GraphAddChildGraphNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                std::size_t numDependencies, CUgraph childGraph) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, {CUDA_SUCCESS, GraphWork{childGraph, false, nullptr}});
}

CUresult GraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return get<GraphWork>(hNode, [&](Node&, const GraphWork& work) { *phGraph = work.graph; });
}

CUresult GraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
  const auto guard = graphs::guard();
  const auto executable = graphs::find(hGraphExec);
  auto* const step = executable ? graphs::step_of(*executable, hNode) : nullptr;
  auto* const child = step ? std::get_if<GraphWork>(&step->work) : nullptr;
  const auto graph = graphs::find(childGraph);
  const auto ready = graph ? graphs::ready(*graph) : nullptr;
  CUgraphNode culprit = nullptr;
  if (!child || !ready || graphs::update(*child->ready, *ready, culprit) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult GraphAddEmptyNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                           std::size_t numDependencies) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, {CUDA_SUCCESS, NoWork{}});
}

CUresult GraphAddEventRecordNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 std::size_t numDependencies, CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of<RecordWork>(event));
}

CUresult GraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get<RecordWork>(hNode, [&](Node&, const RecordWork& work) { *event_out = work.event; });
}

CUresult GraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, node_params::work_of<RecordWork>(event));
}

CUresult GraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return set(hGraphExec, hNode, node_params::work_of<RecordWork>(event));
}

CUresult GraphAddEventWaitNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                               std::size_t numDependencies, CUevent event) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of<WaitWork>(event));
}

CUresult GraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return get<WaitWork>(hNode, [&](Node&, const WaitWork& work) { *event_out = work.event; });
}

CUresult GraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return set(hNode, node_params::work_of<WaitWork>(event));
}

CUresult GraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return set(hGraphExec, hNode, node_params::work_of<WaitWork>(event));
}

CUresult GraphAddNode_v2(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                         const CUgraphEdgeData* dependencyData, std::size_t numDependencies,
                         CUgraphNodeParams* nodeParams) {
  const auto result =
      add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of_any(nodeParams), dependencyData);
  if (result == CUDA_SUCCESS) node_params::tell_made(*phGraphNode, nodeParams);
  return result;
}

CUresult GraphAddNode(Context& context, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                      std::size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return GraphAddNode_v2(context, phGraphNode, hGraph, dependencies, nullptr, numDependencies, nodeParams);
}

CUresult GraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return set(hNode, node_params::work_of_any(nodeParams));
}

CUresult GraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return set(hGraphExec, hNode, node_params::work_of_any(nodeParams));
}

}  // namespace nvmlkit::cuda::functions
