// Nodes that allocate and free, and the memory of graphs on a GPU.
#include "driver/cuda/graphs/graph_memory.hpp"

#include "driver/cuda/attribute_values.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/node_params.hpp"

namespace nvmlkit::cuda::functions {

CUresult GraphAddMemAllocNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              std::size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  const auto result =
      node_params::add(phGraphNode, hGraph, dependencies, numDependencies, node_params::work_of(*nodeParams));
  return result == CUDA_SUCCESS ? GraphMemAllocNodeGetParams(*phGraphNode, nodeParams) : result;
}

CUresult GraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return node_params::get<AllocWork>(
      hNode, [&](Node&, const AllocWork& work) { *params_out = graph_memory::params_of(work); });
}

CUresult GraphAddMemFreeNode(Context&, CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             std::size_t numDependencies, CUdeviceptr dptr) {
  return node_params::add(phGraphNode, hGraph, dependencies, numDependencies, {CUDA_SUCCESS, FreeWork{dptr}});
}

CUresult GraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return node_params::get<FreeWork>(hNode, [&](Node&, const FreeWork& work) { *dptr_out = work.address; });
}

CUresult DeviceGraphMemTrim(CUdevice device) {
  auto* const own = find_device(device);
  if (!own) return CUDA_ERROR_INVALID_DEVICE;
  graph_memory::of(*own).trim(0);
  return CUDA_SUCCESS;
}

CUresult DeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  auto* const own = find_device(device);
  if (!own) return CUDA_ERROR_INVALID_DEVICE;
  const auto usage = graph_memory::of(*own).usage();
  switch (attr) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      return write_value(value, usage.used);
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return write_value(value, usage.used_high);
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return write_value(value, usage.reserved);
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return write_value(value, usage.reserved_high);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult DeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  auto* const own = find_device(device);
  if (!own) return CUDA_ERROR_INVALID_DEVICE;
  const bool is_used = attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
  // Only what was most can be set, and only back to what is now.
  if ((!is_used && attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) || read_value<std::uint64_t>(value) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  auto& reserve = graph_memory::of(*own);
  is_used ? reserve.forget_used_high() : reserve.forget_reserved_high();
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
