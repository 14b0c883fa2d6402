// Creation and change of nodes, for all kinds of nodes.
#include <algorithm>

#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/graphs/node_params.hpp"

namespace nvmlkit::cuda::node_params {
namespace {

// What is made with a node, and what only the graph can tell to be wrong.
CUresult settle(const Graph& graph, NodeWork& work) {
  if (auto* const child = std::get_if<GraphWork>(&work)) {
    auto own = graphs::find(child->graph);
    if (!own || own.get() == &graph || own->is_of_node) return CUDA_ERROR_INVALID_VALUE;
    if (graphs::decides(*own) || (!child->is_moved && graphs::is_unique(*own))) return CUDA_ERROR_NOT_SUPPORTED;
    if (!child->is_moved) own = graphs::clone(*own);
    own->is_of_node = true;
    child->graph = own->handle;
  } else if (auto* const decision = std::get_if<ConditionalWork>(&work)) {
    for (auto& body : decision->bodies) {
      const auto made = graphs::make();
      made->is_of_node = true;
      body = made->handle;
    }
  } else if (const auto* const end = std::get_if<FreeWork>(&work)) {
    const auto frees_it = [&](const auto& node) {
      const auto* const other = std::get_if<FreeWork>(&node->work);
      return other && other->address == end->address;
    };
    if (!graph_memory::is_of_graph(end->address) || std::any_of(graph.nodes.begin(), graph.nodes.end(), frees_it))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// What a node cannot be changed to do once it is there.
bool is_fixed(const NodeWork& work) {
  return std::holds_alternative<AllocWork>(work) || std::holds_alternative<FreeWork>(work) ||
         std::holds_alternative<ConditionalWork>(work);
}

}  // namespace

CUresult add(CUgraphNode* out, CUgraph handle, const CUgraphNode* needs, std::size_t count, WorkOfParams params,
             const CUgraphEdgeData* edges) {
  if (params.result != CUDA_SUCCESS) return params.result;
  if (count > 0 && !needs) return CUDA_ERROR_INVALID_VALUE;
  const auto guard = graphs::guard();
  const auto graph = graphs::find(handle);
  const std::span nodes(needs, count);
  if (!graph || !graphs::are_nodes_of(*graph, nodes)) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = settle(*graph, params.work); result != CUDA_SUCCESS) return result;
  const auto made = graphs::add(*graph, {}, std::move(params.work));
  for (std::size_t i = 0; i < count; ++i)
    if (!graphs::connect(*graphs::find(made), needs[i], edges ? edges[i] : CUgraphEdgeData{})) {
      graphs::remove(*graphs::find(made));
      return CUDA_ERROR_INVALID_VALUE;
    }
  *out = made;
  return CUDA_SUCCESS;
}

CUresult set(CUgraphNode handle, WorkOfParams params) {
  if (params.result != CUDA_SUCCESS) return params.result;
  const auto guard = graphs::guard();
  const auto node = graphs::find(handle);
  if (!node || node->work.index() != params.work.index() || is_fixed(params.work)) return CUDA_ERROR_INVALID_VALUE;
  node->work = std::move(params.work);
  return CUDA_SUCCESS;
}

CUresult set(CUgraphExec handle, CUgraphNode node, WorkOfParams params) {
  if (params.result != CUDA_SUCCESS) return params.result;
  const auto guard = graphs::guard();
  const auto executable = graphs::find(handle);
  auto* const step = executable ? graphs::step_of(*executable, node) : nullptr;
  if (!step || step->work.index() != params.work.index() || is_fixed(params.work)) return CUDA_ERROR_INVALID_VALUE;
  step->work = std::move(params.work);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::node_params
