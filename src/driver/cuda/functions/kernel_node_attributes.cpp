// Attributes of the launches in nodes of graphs.
#include <algorithm>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_of_nodes(CUkernelNodeAttrID which) {
  switch (which) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return true;
    default:
      return false;
  }
}

// Two attributes are what the launch itself keeps.
void read_shape(const LaunchShape& shape, CUkernelNodeAttrID which, AttributeBytes& bytes) {
  if (which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    const int is_cooperative = shape.cooperative;
    std::memcpy(bytes.data(), &is_cooperative, sizeof is_cooperative);
  }
  if (which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) std::memcpy(bytes.data(), shape.cluster, sizeof shape.cluster);
}

void write_shape(LaunchShape& shape, CUkernelNodeAttrID which, const AttributeBytes& bytes) {
  if (which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    int is_cooperative = 0;
    std::memcpy(&is_cooperative, bytes.data(), sizeof is_cooperative);
    shape.cooperative = is_cooperative != 0;
  }
  if (which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) std::memcpy(shape.cluster, bytes.data(), sizeof shape.cluster);
}

KernelWork* kernel_of(Node* node) { return node ? std::get_if<KernelWork>(&node->work) : nullptr; }

}  // namespace

CUresult GraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue* value_out) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  const auto* const work = kernel_of(node.get());
  if (!work || !is_of_nodes(attr)) return CUDA_ERROR_INVALID_VALUE;
  const auto at = node->attributes.find(attr);
  auto value = at == node->attributes.end() ? attribute_default(attr) : at->second;
  read_shape(work->shape, attr, value);
  std::memcpy(static_cast<void*>(value_out), value.data(), value.size());
  return CUDA_SUCCESS;
}

CUresult GraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue* value) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  auto* const work = kernel_of(node.get());
  if (!work || !is_of_nodes(attr)) return CUDA_ERROR_INVALID_VALUE;
  AttributeBytes bytes;
  std::memcpy(bytes.data(), static_cast<const void*>(value), bytes.size());
  const auto context = contexts::find(work->context);
  if (context && !is_attribute_value(context->device, attr, bytes)) return CUDA_ERROR_INVALID_VALUE;
  write_shape(work->shape, attr, bytes);
  node->attributes[attr] = bytes;
  return CUDA_SUCCESS;
}

CUresult GraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  const auto guard = graphs::guard();
  const auto to = graphs::find(dst), from = graphs::find(src);
  auto *const to_work = kernel_of(to.get()), *const from_work = kernel_of(from.get());
  if (!to_work || !from_work) return CUDA_ERROR_INVALID_VALUE;
  to->attributes = from->attributes;
  to_work->shape.cooperative = from_work->shape.cooperative;
  std::copy_n(from_work->shape.cluster, 3, to_work->shape.cluster);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
