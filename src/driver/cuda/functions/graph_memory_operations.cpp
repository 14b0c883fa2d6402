// Nodes of graphs that wait for memory and write it.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/node_params.hpp"

namespace nvmlkit::cuda::functions {

CUresult GraphAddBatchMemOpNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                std::size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return node_params::add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(*nodeParams));
}

CUresult GraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return node_params::get<BatchWork>(hNode, [&](Node& node, const BatchWork& work) {
    auto& operations = std::get<BatchWork>(node.work).operations;  // the program gets them where they lie
    void* const list = operations.data();
    *nodeParams_out = {work.context, static_cast<unsigned>(operations.size()),
                       static_cast<CUstreamBatchMemOpParams*>(list), 0};
  });
}

CUresult GraphBatchMemOpNodeSetParams(Context&, CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return node_params::set(hNode, node_params::work_of(*nodeParams));
}

CUresult GraphExecBatchMemOpNodeSetParams(Context&, CUgraphExec hGraphExec, CUgraphNode hNode,
                                          const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return node_params::set(hGraphExec, hNode, node_params::work_of(*nodeParams));
}

}  // namespace nvmlkit::cuda::functions
