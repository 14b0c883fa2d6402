// Graphs and their nodes, for all kinds of nodes.
#include <cstdio>
#include <string>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/hand_out.hpp"
#include "driver/cuda/launches/host_kernel.hpp"

namespace nvmlkit::cuda::functions {
CUresult GraphCreate(CUgraph* phGraph, unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto guard = graphs::guard();
  *phGraph = graphs::make()->handle;
  return CUDA_SUCCESS;
}

CUresult GraphDestroy(CUgraph hGraph) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  return graph && !graph->is_of_node && graphs::destroy(hGraph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult GraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(originalGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  if (graphs::is_unique(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
  *phGraphClone = graphs::clone(*graph)->handle;
  return CUDA_SUCCESS;
}

CUresult GraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hClonedGraph);
  if (!graph || !hOriginalNode) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& node : graph->nodes)
    if (node->original == hOriginalNode) {
      *phNode = node->handle;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult GraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  *type = type_of(node->work);
  return CUDA_SUCCESS;
}

CUresult GraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, std::size_t* numNodes) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> all;
  for (const auto& node : graph->nodes) all.push_back(node->handle);
  return hand_out(all, numNodes, nodes);
}

CUresult GraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, std::size_t* numRootNodes) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> all;
  for (const auto& node : graph->nodes)
    if (node->needs.empty()) all.push_back(node->handle);
  return hand_out(all, numRootNodes, rootNodes);
}

CUresult GraphDestroyNode(CUgraphNode hNode) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  const auto graph = node ? graphs::find(node->graph) : nullptr;
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  if (graphs::allocates(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
  graphs::remove(*node);
  return CUDA_SUCCESS;
}

namespace {

// What stands in a node: its kind, and of a kernel its name. With flags, how it is launched.
std::string label_of(const Node& node, unsigned flags) {
  static constexpr const char* kNames[] = {"kernel", "memcpy", "memset", "host",       "graph",
                                           "empty",  "wait",   "record", "signal",     "wait for semaphores",
                                           "alloc",  "free",   "batch",  "conditional"};
  std::string out = kNames[node.work.index()];
  const auto* const kernel = std::get_if<KernelWork>(&node.work);
  if (!kernel) return out;
  const char* name = nullptr;
  if (kernel->of_host)
    name = kernel->of_host->name();
  else if (FuncGetName(&name, kernel->function) != CUDA_SUCCESS)
    return out;
  out += std::string("\\n") + name;
  if ((flags & (CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE | CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) == 0) return out;
  const auto in_three = [](const unsigned(&size)[3]) {
    return '(' + std::to_string(size[0]) + ',' + std::to_string(size[1]) + ',' + std::to_string(size[2]) + ')';
  };
  const auto& shape = kernel->shape;
  return out + "<<<" + in_three(shape.grid) + ',' + in_three(shape.block) + ',' + std::to_string(shape.dynamic_shared) +
         ">>>";
}

}  // namespace

CUresult GraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::FILE* const file = std::fopen(path, "we");
  if (!file) return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(file, "digraph {\n");
  for (const auto& node : graph->nodes) {
    std::fprintf(file, "  \"%p\" [label=\"%s\"];\n", static_cast<void*>(node->handle), label_of(*node, flags).c_str());
    for (const auto need : node->needs)
      std::fprintf(file, "  \"%p\" -> \"%p\";\n", static_cast<void*>(need), static_cast<void*>(node->handle));
  }
  std::fprintf(file, "}\n");
  return std::fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

}  // namespace nvmlkit::cuda::functions
