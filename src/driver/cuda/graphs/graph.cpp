#include "driver/cuda/graphs/graph.hpp"

#include <algorithm>
#include <map>

#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/handles.hpp"
#include "driver/cuda/memory.hpp"

namespace nvmlkit::cuda::graphs {
namespace {

// Never destroyed, see process.cpp.
auto& all_graphs() {
  static auto* const the = new Handles<CUgraph, Graph, HandleKind::graph>;
  return *the;
}
auto& all_nodes() {
  static auto* const the = new Handles<CUgraphNode, Node, HandleKind::graph_node>;
  return *the;
}
auto& all_executables() {
  static auto* const the = new Handles<CUgraphExec, Executable, HandleKind::executable_graph>;
  return *the;
}

void forget(Node& node) {
  all_nodes().remove(node.handle);
  if (const auto* child = std::get_if<GraphWork>(&node.work)) destroy(child->graph);
  if (const auto* decision = std::get_if<ConditionalWork>(&node.work))
    for (const auto body : decision->bodies) destroy(body);
}

bool has_memory(const Work& work) {
  return std::holds_alternative<AllocWork>(work) || std::holds_alternative<FreeWork>(work);
}

bool is_same_memory(const Work& one, const Work& other) {
  if (const auto* const made = std::get_if<AllocWork>(&one)) return made->place == std::get<AllocWork>(other).place;
  return std::get<FreeWork>(one).address == std::get<FreeWork>(other).address;
}

// What a graph of a conditional node may do.
bool is_for_body(const Work& work) {
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
bool ready_inner(Work& work) {
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

// Of all nodes that have what they need, the one that was made first.
std::vector<const Node*> in_order(const Graph& graph) {
  std::vector<const Node*> order;
  std::vector<CUgraphNode> done;
  while (order.size() < graph.nodes.size()) {
    const auto is_done = [&](CUgraphNode node) { return std::find(done.begin(), done.end(), node) != done.end(); };
    const auto next = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
      return !is_done(node->handle) && std::all_of(node->needs.begin(), node->needs.end(), is_done);
    });
    if (next == graph.nodes.end()) return {};
    order.push_back(next->get());
    done.push_back((*next)->handle);
  }
  return order;
}

}  // namespace

Guard guard() {
  static auto* const mutex = new std::recursive_mutex;
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
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) { return has_memory(node->work); });
}

bool is_unique(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return has_memory(node->work) || std::holds_alternative<ConditionalWork>(node->work);
  });
}

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

CUgraphNode add(Graph& graph, std::span<const CUgraphNode> needs, Work work) {
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
  for (const auto& other : graph->nodes) std::erase(other->needs, node.handle);
  std::erase_if(graph->nodes, [&](const auto& other) { return other.get() == &node; });
}

std::shared_ptr<Executable> ready(const Graph& graph) {
  const auto order = in_order(graph);
  if (order.size() != graph.nodes.size()) return nullptr;
  auto made = std::make_shared<Executable>();
  made->objects = graph.objects;
  made->conditions = graph.conditions;
  for (const auto* node : order) {
    auto& step = made->steps.emplace_back();
    step.node = node->handle;
    step.work = node->work;
    for (std::size_t i = 0; i + 1 < made->steps.size(); ++i)
      if (std::find(node->needs.begin(), node->needs.end(), made->steps[i].node) != node->needs.end())
        step.needs.push_back(i);
    if (!ready_inner(step.work)) return nullptr;
  }
  return made;
}

CUgraphExec add(std::shared_ptr<Executable> executable) { return all_executables().add(std::move(executable)); }
bool remove(CUgraphExec executable) { return all_executables().remove(executable) != nullptr; }

Executable::Step* step_of(Executable& executable, CUgraphNode node) {
  for (auto& step : executable.steps)
    if (step.node == node) return &step;
  return nullptr;
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
  return std::any_of(executable.steps.begin(), executable.steps.end(),
                     [](const auto& step) { return has_memory(step.work); });
}

bool free_before_launch(const Executable& executable) {
  for (const auto& step : executable.steps) {
    const auto* const made = std::get_if<AllocWork>(&step.work);
    if (!made || !memory::find(made->place->address)) continue;
    if (!(executable.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)) return false;
    graph_memory::release(made->place->address);
  }
  return true;
}

CUresult plan(Context& context, const Executable& executable, std::vector<Task>& out) {
  for (const auto& condition : executable.conditions) {
    if (!condition->is_set_at_launch) continue;
    out.push_back(task_of(context));
    out.back().by = Task::By::lock;
    out.back().work = [condition](CUresult) { condition->value = condition->at_launch; };
  }
  for (const auto& step : executable.steps) {
    if (!step.is_enabled) continue;
    if (const auto result = cuda::plan(context, step.work, out); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::graphs
