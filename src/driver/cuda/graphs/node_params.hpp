// Converts the node parameters of the API to work, and back.
#pragma once

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/streams/streams.hpp"

namespace nvmlkit::cuda::node_params {

struct WorkOfParams {
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  NodeWork work = NoWork{};
};

WorkOfParams work_of(const CUDA_KERNEL_NODE_PARAMS& params);
WorkOfParams work_of(const CUDA_MEMSET_NODE_PARAMS& params, CUcontext context);
WorkOfParams work_of(const CUDA_HOST_NODE_PARAMS& params);
WorkOfParams work_of(const CUDA_MEM_ALLOC_NODE_PARAMS& params);
WorkOfParams work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS& params);
// Of a CUgraphNodeParams, of whatever type it names.
WorkOfParams work_of_any(const void* params);
// Writes into a CUgraphNodeParams what the program gets of a node that was made of it.
void tell_made(CUgraphNode node, void* params);

template <class EventWork>
WorkOfParams work_of(CUevent event) {
  if (!streams::find_event(event)) return {};
  return {CUDA_SUCCESS, EventWork{event}};
}

CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1& params);
CUDA_KERNEL_NODE_PARAMS_v1 older(const CUDA_KERNEL_NODE_PARAMS& params);

// Makes a node behind others, or changes one, in a graph or in what was made ready of it.
CUresult add(CUgraphNode* out, CUgraph graph, const CUgraphNode* needs, std::size_t count, WorkOfParams params,
             const CUgraphEdgeData* edges = nullptr);
CUresult set(CUgraphNode node, WorkOfParams params);
CUresult set(CUgraphExec executable, CUgraphNode node, WorkOfParams params);

// write(node, work) where the node's work is of the type.
template <class Type, class Write>
CUresult get(CUgraphNode handle, Write write) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(handle);
  const auto* const work = node ? std::get_if<Type>(&node->work) : nullptr;
  if (!work) return CUDA_ERROR_INVALID_VALUE;
  write(*node, *work);
  return CUDA_SUCCESS;
}

// Pointers to the arguments lie in the node.
CUDA_KERNEL_NODE_PARAMS kernel_of(Node& node);

}  // namespace nvmlkit::cuda::node_params
