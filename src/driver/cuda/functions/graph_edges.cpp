// Edges of graphs: the order of nodes, and the data of edges.
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/hand_out.hpp"

namespace nvmlkit::cuda::functions {
namespace {

struct Edges {
  std::vector<CUgraphNode> from, to;
  std::vector<CUgraphEdgeData> data;

  void add(CUgraphNode need, const Node& node) {
    from.push_back(need);
    to.push_back(node.handle);
    const auto at = node.edges.find(need);
    data.push_back(at == node.edges.end() ? CUgraphEdgeData{} : at->second);
  }
  bool has_data(const CUgraphEdgeData* place) const {
    return place || std::all_of(data.begin(), data.end(), [](const auto& one) { return graphs::is_plain(one); });
  }
};

// One list of the edges, and their data where there is a place for it. Without one, there must be none.
CUresult hand_out_side(const Edges& edges, const std::vector<CUgraphNode>& side, std::size_t* count, CUgraphNode* out,
                       CUgraphEdgeData* data) {
  if (!out) return hand_out(side, count, out);
  if (!edges.has_data(data)) return CUDA_ERROR_LOSSY_QUERY;
  auto room = *count;
  if (data) hand_out(edges.data, &room, data);
  return hand_out(side, count, out);
}

CUresult get_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(handle);
  if (!graph || !from != !to) return CUDA_ERROR_INVALID_VALUE;
  Edges edges;
  for (const auto& node : graph->nodes)
    for (const auto need : node->needs) edges.add(need, *node);
  auto room = *count;
  const auto result = hand_out_side(edges, edges.from, count, from, data);
  if (result == CUDA_SUCCESS && to) hand_out(edges.to, &room, to);
  return result;
}

CUresult get_needs(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(handle);
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  Edges edges;
  for (const auto need : node->needs) edges.add(need, *node);
  return hand_out_side(edges, edges.from, count, out, data);
}

CUresult get_dependents(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(handle);
  const auto graph = node ? graphs::find(node->graph) : nullptr;
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  Edges edges;
  for (const auto& other : graph->nodes)
    if (std::find(other->needs.begin(), other->needs.end(), handle) != other->needs.end()) edges.add(handle, *other);
  return hand_out_side(edges, edges.to, count, out, data);
}

// Calls change(`to`, `from`, data) for each pair, of which all have to be nodes of the graph.
template <class Change>
CUresult for_pairs(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                   std::size_t count, Change change) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(handle);
  if (!graph || (count > 0 && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (from[i] == to[i] || !graphs::are_nodes_of(*graph, {from + i, 1}) || !graphs::are_nodes_of(*graph, {to + i, 1}))
      return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i)
    if (!change(*graphs::find(to[i]), from[i], data ? data[i] : CUgraphEdgeData{})) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult GraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, std::size_t* numEdges) {
  return get_edges(hGraph, from, to, nullptr, numEdges);
}

CUresult GraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
                          std::size_t* numEdges) {
  return get_edges(hGraph, from, to, edgeData, numEdges);
}

CUresult GraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies, std::size_t* numDependencies) {
  return get_needs(hNode, dependencies, nullptr, numDependencies);
}

CUresult GraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
                                     std::size_t* numDependencies) {
  return get_needs(hNode, dependencies, edgeData, numDependencies);
}

CUresult GraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes, std::size_t* numDependentNodes) {
  return get_dependents(hNode, dependentNodes, nullptr, numDependentNodes);
}

CUresult GraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
                                       std::size_t* numDependentNodes) {
  return get_dependents(hNode, dependentNodes, edgeData, numDependentNodes);
}

CUresult GraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                 const CUgraphEdgeData* edgeData, std::size_t numDependencies) {
  return for_pairs(hGraph, from, to, edgeData, numDependencies,
                   [](Node& node, CUgraphNode need, const CUgraphEdgeData& data) {
                     if (std::find(node.needs.begin(), node.needs.end(), need) != node.needs.end()) return false;
                     return graphs::connect(node, need, data);
                   });
}

CUresult GraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                              std::size_t numDependencies) {
  return GraphAddDependencies_v2(hGraph, from, to, nullptr, numDependencies);
}

CUresult GraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                    const CUgraphEdgeData* edgeData, std::size_t numDependencies) {
  const auto guard = graphs::guard();
  const auto graph = graphs::find(hGraph);
  if (graph && numDependencies > 0 && graphs::allocates(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
  return for_pairs(hGraph, from, to, edgeData, numDependencies,
                   [](Node& node, CUgraphNode need, const CUgraphEdgeData&) {
                     node.edges.erase(need);
                     return std::erase(node.needs, need) > 0;
                   });
}

CUresult GraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                 std::size_t numDependencies) {
  return GraphRemoveDependencies_v2(hGraph, from, to, nullptr, numDependencies);
}

}  // namespace nvmlkit::cuda::functions
