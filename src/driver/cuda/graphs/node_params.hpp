// What programs hand over to say what a node does, read into work and back.
#pragma once

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/streams.hpp"

namespace nvmlkit::cuda::node_params {

struct Read {
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  Work work = NoWork{};
};

Read read(const CUDA_KERNEL_NODE_PARAMS& params);
Read read(const CUDA_MEMSET_NODE_PARAMS& params, CUcontext context);
Read read(const CUDA_HOST_NODE_PARAMS& params);
// Of a CUgraphNodeParams, of whatever type it names.
Read read_any(const void* params);

template <class EventWork>
Read read(CUevent event) {
  if (!streams::find_event(event)) return {};
  return {CUDA_SUCCESS, EventWork{event}};
}

CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1& params);
CUDA_KERNEL_NODE_PARAMS_v1 older(const CUDA_KERNEL_NODE_PARAMS& params);

// Pointers to the arguments lie in the node.
CUDA_KERNEL_NODE_PARAMS kernel_of(Node& node);

}  // namespace nvmlkit::cuda::node_params
