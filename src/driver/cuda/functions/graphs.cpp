// Graphs and their nodes, for all kinds of nodes.
#include <cstdio>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/hand_out.hpp"

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

CUresult GraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int) {
  static constexpr const char* kNames[] = {"kernel", "memcpy", "memset", "host",       "graph",
                                           "empty",  "wait",   "record", "signal",     "wait for semaphores",
                                           "alloc",  "free",   "batch",  "conditional"};
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::FILE* const file = std::fopen(path, "we");
  if (!file) return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(file, "digraph {\n");
  for (const auto& node : graph->nodes) {
    std::fprintf(file, "  \"%p\" [label=\"%s\"];\n", static_cast<void*>(node->handle), kNames[node->work.index()]);
    for (const auto need : node->needs)
      std::fprintf(file, "  \"%p\" -> \"%p\";\n", static_cast<void*>(need), static_cast<void*>(node->handle));
  }
  std::fprintf(file, "}\n");
  return std::fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

}  // namespace nvmlkit::cuda::functions
