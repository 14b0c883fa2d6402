#include "driver/cuda/graphs/graph.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda::graphs {
namespace {

auto& all_graphs() {
  static NeverDestroyed<Handles<CUgraph, Graph, HandleKind::graph>> the;
  return *the;
}
auto& all_nodes() {
  static NeverDestroyed<Handles<CUgraphNode, Node, HandleKind::graph_node>> the;
  return *the;
}
auto& all_executables() {
  static NeverDestroyed<Handles<CUgraphExec, Executable, HandleKind::executable_graph>> the;
  return *the;
}

void forget(Node& node) {
  all_nodes().remove(node.handle);
  if (const auto* child = std::get_if<GraphWork>(&node.work)) destroy(child->graph);
  if (const auto* decision = std::get_if<ConditionalWork>(&node.work))
    for (const auto body : decision->bodies) destroy(body);
}

}  // namespace

Guard guard() {
  static NeverDestroyed<std::recursive_mutex> mutex;
  return Guard(*mutex);
}

std::shared_ptr<Graph> find(CUgraph graph) { return all_graphs().find(graph); }
std::shared_ptr<Node> find(CUgraphNode node) { return all_nodes().find(node); }
std::shared_ptr<Executable> find(CUgraphExec executable) { return all_executables().find(executable); }

std::shared_ptr<Graph> make() {
  auto made = std::make_shared<Graph>();
  made->handle = all_graphs().add(made);
  return made;
}

bool destroy(CUgraph handle) {
  const auto graph = all_graphs().remove(handle);
  if (!graph) return false;
  for (const auto& node : graph->nodes) forget(*node);
  return true;
}

bool allocates(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    const auto* const child = std::get_if<GraphWork>(&node->work);
    const auto own = child ? find(child->graph) : nullptr;
    return own ? allocates(*own) : has_memory(node->work);
  });
}

bool decides(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const auto& node) { return std::holds_alternative<ConditionalWork>(node->work); });
}

bool is_unique(const Graph& graph) { return allocates(graph) || decides(graph); }

std::shared_ptr<Graph> clone(const Graph& graph) {
  auto made = make();
  made->objects = graph.objects;
  made->conditions = graph.conditions;
  std::map<CUgraphNode, CUgraphNode> copies;
  for (const auto& node : graph.nodes) {
    auto work = node->work;
    if (auto* const child = std::get_if<GraphWork>(&work))
      if (const auto own = find(child->graph)) {
        const auto copy = clone(*own);
        copy->is_of_node = true;
        child->graph = copy->handle;
      }
    copies[node->handle] = add(*made, {}, std::move(work));
    made->nodes.back()->original = node->handle;
    made->nodes.back()->attributes = node->attributes;
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const auto need : graph.nodes[i]->needs) made->nodes[i]->needs.push_back(copies[need]);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const auto& [need, data] : graph.nodes[i]->edges) made->nodes[i]->edges[copies[need]] = data;
  return made;
}

bool are_nodes_of(const Graph& graph, std::span<const CUgraphNode> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = find(nodes[i]);
    if (!node || node->graph != graph.handle) return false;
    if (std::find(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes[i]) !=
        nodes.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  }
  return true;
}

bool is_plain(const CUgraphEdgeData& data) {
  constexpr CUgraphEdgeData kPlain{};
  return std::memcmp(&data, &kPlain, sizeof data) == 0;
}

// Between kernels, the second may begin before the end of the first: then it states itself what it waits for. Here it
// begins behind it all the same.
bool connect(Node& node, CUgraphNode need, const CUgraphEdgeData& data) {
  const auto before = find(need);
  if (!is_plain(data)) {
    constexpr unsigned char kProgrammatic = 1, kLastPort = 2;
    const bool are_kernels =
        before && std::holds_alternative<KernelWork>(before->work) && std::holds_alternative<KernelWork>(node.work);
    const bool is_known =
        data.type <= kProgrammatic && data.from_port <= kLastPort && data.to_port == 0 &&
        std::all_of(std::begin(data.reserved), std::end(data.reserved), [](auto b) { return b == 0; });
    if (!are_kernels || !is_known || (data.type == kProgrammatic && data.from_port == 0)) return false;
    node.edges[need] = data;
  }
  node.needs.push_back(need);
  return true;
}

CUgraphNode add(Graph& graph, std::span<const CUgraphNode> needs, NodeWork work) {
  auto node = std::make_shared<Node>();
  node->graph = graph.handle;
  node->work = std::move(work);
  node->needs.assign(needs.begin(), needs.end());
  node->handle = all_nodes().add(node);
  graph.nodes.push_back(node);
  return node->handle;
}

void remove(Node& node) {
  forget(node);
  const auto graph = find(node.graph);
  if (!graph) return;
  for (const auto& other : graph->nodes) {
    std::erase(other->needs, node.handle);
    other->edges.erase(node.handle);
  }
  std::erase_if(graph->nodes, [&](const auto& other) { return other.get() == &node; });
}

CUgraphExec add(std::shared_ptr<Executable> executable) { return all_executables().add(std::move(executable)); }
bool remove(CUgraphExec executable) { return all_executables().remove(executable) != nullptr; }

// The graphs that a node does: a child, or the bodies of a decision.
std::vector<std::shared_ptr<Executable>> inner_of(const NodeWork& work) {
  if (const auto* const child = std::get_if<GraphWork>(&work)) return {child->ready};
  if (const auto* const decision = std::get_if<ConditionalWork>(&work)) return decision->ready;
  return {};
}

Executable::Step* step_of(Executable& executable, CUgraphNode node) {
  for (auto& step : executable.steps) {
    if (step.node == node) return &step;
    for (const auto& inner : inner_of(step.work))
      if (auto* const found = step_of(*inner, node)) return found;
  }
  return nullptr;
}

}  // namespace nvmlkit::cuda::graphs
