// Instantiation of graphs.
#include <algorithm>
#include <map>
#include <set>

#include "driver/cuda/graphs/graph.hpp"
#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda::graphs {
namespace {

bool is_same_memory(const NodeWork& one, const NodeWork& other) {
  if (const auto* const made = std::get_if<AllocWork>(&one)) return made->place == std::get<AllocWork>(other).place;
  return std::get<FreeWork>(one).address == std::get<FreeWork>(other).address;
}

// What a graph of a conditional node may do.
bool is_for_body(const NodeWork& work) {
  switch (type_of(work)) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return true;
    default:
      return false;
  }
}

// The graphs that a node does, made ready too. False: one cannot be.
bool ready_inner(NodeWork& work) {
  if (auto* const child = std::get_if<GraphWork>(&work)) {
    const auto own = find(child->graph);
    return own && (child->ready = ready(*own));
  }
  if (auto* const decision = std::get_if<ConditionalWork>(&work)) {
    decision->ready.clear();
    for (const auto body : decision->bodies) {
      const auto own = find(body);
      if (!own ||
          !std::all_of(own->nodes.begin(), own->nodes.end(), [](const auto& n) { return is_for_body(n->work); }))
        return false;
      decision->ready.push_back(ready(*own));
      if (!decision->ready.back()) return false;
    }
  }
  return true;
}

// Of all nodes that have what they need, the one that was made first; their places in the graph. Fewer than there are
// nodes where these need each other in a circle.
std::vector<std::size_t> in_order(const Graph& graph, const std::map<CUgraphNode, std::size_t>& place_of) {
  std::vector<std::size_t> order, missing;
  std::vector<std::vector<std::size_t>> dependents(graph.nodes.size());
  std::set<std::size_t> next;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& needs = graph.nodes[i]->needs;
    missing.push_back(needs.size());
    if (needs.empty()) next.insert(i);
    for (const auto need : needs)
      if (const auto at = place_of.find(need); at != place_of.end()) dependents[at->second].push_back(i);
  }
  while (!next.empty()) {
    const auto first = *next.begin();
    next.erase(next.begin());
    order.push_back(first);
    for (const auto dependent : dependents[first])
      if (--missing[dependent] == 0) next.insert(dependent);
  }
  return order;
}

}  // namespace

std::shared_ptr<Executable> ready(const Graph& graph) {
  std::map<CUgraphNode, std::size_t> place_of;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) place_of[graph.nodes[i]->handle] = i;
  const auto order = in_order(graph, place_of);
  if (order.size() != graph.nodes.size()) return nullptr;
  auto made = std::make_shared<Executable>();
  made->objects = graph.objects;
  made->conditions = graph.conditions;
  std::vector<std::size_t> step_of_place(order.size());
  for (const auto place : order) {
    const auto& node = *graph.nodes[place];
    step_of_place[place] = made->steps.size();
    auto& step = made->steps.emplace_back();
    step.node = node.handle;
    step.work = node.work;
    for (const auto need : node.needs) step.needs.push_back(step_of_place[place_of[need]]);
    std::sort(step.needs.begin(), step.needs.end());
    if (!ready_inner(step.work)) return nullptr;
  }
  return made;
}

CUgraphExecUpdateResult update(Executable& executable, const Executable& from, CUgraphNode& culprit) {
  if (executable.steps.size() != from.steps.size()) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (std::size_t i = 0; i < from.steps.size(); ++i) {
    const auto &own = executable.steps[i], &other = from.steps[i];
    culprit = other.node;
    if (own.needs != other.needs) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (own.work.index() != other.work.index()) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (has_memory(own.work) && !is_same_memory(own.work, other.work))
      return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    const auto* const decision = std::get_if<ConditionalWork>(&own.work);
    if (decision && (decision->type != std::get<ConditionalWork>(other.work).type ||
                     decision->bodies.size() != std::get<ConditionalWork>(other.work).bodies.size()))
      return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  culprit = nullptr;
  executable.objects = from.objects;
  executable.conditions = from.conditions;
  for (std::size_t i = 0; i < from.steps.size(); ++i) executable.steps[i].work = from.steps[i].work;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

bool allocates(const Executable& executable) {
  return std::any_of(executable.steps.begin(), executable.steps.end(), [](const auto& step) {
    const auto inner = inner_of(step.work);
    return has_memory(step.work) ||
           std::any_of(inner.begin(), inner.end(), [](const auto& each) { return allocates(*each); });
  });
}

namespace {

// False: there is some, and it is not to be freed.
bool free_memory_of(const Executable& executable, bool frees) {
  for (const auto& step : executable.steps) {
    for (const auto& inner : inner_of(step.work))
      if (!free_memory_of(*inner, frees)) return false;
    const auto* const made = std::get_if<AllocWork>(&step.work);
    if (!made || !memory::find(made->place->address)) continue;
    if (!frees) return false;
    graph_memory::release(made->place->address);
  }
  return true;
}

}  // namespace

bool free_before_launch(const Executable& executable) {
  const bool frees = executable.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  return free_memory_of(executable, frees);
}

}  // namespace nvmlkit::cuda::graphs
