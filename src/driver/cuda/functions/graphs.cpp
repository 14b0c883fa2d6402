// Graphs: nodes and edges, whatever the nodes do.
#include <algorithm>
#include <cstdio>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// Writes as many as there is room for, and how many those are; without a place for them, how many there are.
template <class T, class... More>
CUresult hand_out(const std::vector<T>& all, std::size_t* count, T* out) {
  if (!out) {
    *count = all.size();
    return CUDA_SUCCESS;
  }
  const auto room = *count;
  *count = std::min(room, all.size());
  std::copy_n(all.begin(), *count, out);
  std::fill(out + *count, out + room, T{});
  return CUDA_SUCCESS;
}

struct Edges {
  std::vector<CUgraphNode> from, to;
};

Edges edges_of(const Graph& graph) {
  Edges out;
  for (const auto& node : graph.nodes)
    for (const auto need : node->needs) {
      out.from.push_back(need);
      out.to.push_back(node->handle);
    }
  return out;
}

void no_data(CUgraphEdgeData* data, std::size_t count) {
  if (data) std::fill_n(data, count, CUgraphEdgeData{});
}

// Calls change(needs of `to`, `from`) for each pair, of which all have to be nodes of the graph.
template <class Change>
CUresult for_pairs(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, std::size_t count, Change change) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(handle);
  if (!graph || (count > 0 && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (from[i] == to[i] || !graphs::are_nodes_of(*graph, {from + i, 1}) || !graphs::are_nodes_of(*graph, {to + i, 1}))
      return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (!change(graphs::find(to[i])->needs, from[i])) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

}  // namespace

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

CUresult GraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, std::size_t* numEdges) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (!graph || !from != !to) return CUDA_ERROR_INVALID_VALUE;
  const auto edges = edges_of(*graph);
  auto room = *numEdges;
  hand_out(edges.from, numEdges, from);
  return hand_out(edges.to, from ? &room : numEdges, to);
}

CUresult GraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
                          std::size_t* numEdges) {
  const auto room = *numEdges;
  const auto result = GraphGetEdges(hGraph, from, to, numEdges);
  if (result == CUDA_SUCCESS && from) no_data(edgeData, room);
  return result;
}

CUresult GraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies, std::size_t* numDependencies) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  return node ? hand_out(node->needs, numDependencies, dependencies) : CUDA_ERROR_INVALID_VALUE;
}

CUresult GraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
                                     std::size_t* numDependencies) {
  const auto room = *numDependencies;
  const auto result = GraphNodeGetDependencies(hNode, dependencies, numDependencies);
  if (result == CUDA_SUCCESS && dependencies) no_data(edgeData, room);
  return result;
}

CUresult GraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes, std::size_t* numDependentNodes) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(hNode);
  const auto graph = node ? graphs::find(node->graph) : nullptr;
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> all;
  for (const auto& other : graph->nodes)
    if (std::find(other->needs.begin(), other->needs.end(), hNode) != other->needs.end()) all.push_back(other->handle);
  return hand_out(all, numDependentNodes, dependentNodes);
}

CUresult GraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
                                       std::size_t* numDependentNodes) {
  const auto room = *numDependentNodes;
  const auto result = GraphNodeGetDependentNodes(hNode, dependentNodes, numDependentNodes);
  if (result == CUDA_SUCCESS && dependentNodes) no_data(edgeData, room);
  return result;
}

CUresult GraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                              std::size_t numDependencies) {
  return for_pairs(hGraph, from, to, numDependencies, [](auto& needs, CUgraphNode node) {
    if (std::find(needs.begin(), needs.end(), node) != needs.end()) return false;
    needs.push_back(node);
    return true;
  });
}

CUresult GraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData*,
                                 std::size_t numDependencies) {
  return GraphAddDependencies(hGraph, from, to, numDependencies);
}

CUresult GraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                 std::size_t numDependencies) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (graph && numDependencies > 0 && graphs::allocates(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
  return for_pairs(hGraph, from, to, numDependencies,
                   [](auto& needs, CUgraphNode node) { return std::erase(needs, node) > 0; });
}

CUresult GraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                    const CUgraphEdgeData*, std::size_t numDependencies) {
  return GraphRemoveDependencies(hGraph, from, to, numDependencies);
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
