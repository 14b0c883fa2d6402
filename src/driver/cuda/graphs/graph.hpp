// Graphs: ordered work. One mutex guards all graphs; it is not held during the work.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "driver/cuda/graphs/node_work.hpp"
#include "driver/cuda/graphs/user_objects.hpp"
#include "driver/cuda/launches/attribute_storage.hpp"
#include "driver/cuda/launches/conditions.hpp"

namespace nvmlkit::cuda {

struct Node {
  CUgraphNode handle = nullptr;
  CUgraph graph = nullptr;
  CUgraphNode original = nullptr;  // that it is the copy of, in a clone
  NodeWork work;
  std::vector<CUgraphNode> needs;
  std::map<CUgraphNode, CUgraphEdgeData> edges;  // what is said of needing some of them, where it is not the default
  AttributeStorage attributes;                   // of a kernel's launch
  std::vector<void*> argument_pointers;          // what a program was given of a kernel's arguments
};

struct Graph {
  CUgraph handle = nullptr;
  bool is_of_node = false;  // it ends with its node
  std::vector<std::shared_ptr<Node>> nodes;
  UserObjects objects;
  std::vector<std::shared_ptr<Condition>> conditions;
  std::weak_ptr<Executable> ready;  // the last one, of a graph that allocates
};

// A graph that can be launched: its nodes in an order that they can be done in.
struct Executable {
  struct Step {
    CUgraphNode node = nullptr;  // of the graph that it was made from
    std::vector<std::size_t> needs;
    NodeWork work;
    bool is_enabled = true;
  };
  std::vector<Step> steps;
  unsigned long long flags = 0;
  Point turn;  // the end of the last launch: the next one comes behind it
  UserObjects objects;
  std::vector<std::shared_ptr<Condition>> conditions;
};

namespace graphs {

using Guard = std::unique_lock<std::recursive_mutex>;
Guard guard();

// Null for what is none, or no longer one.
std::shared_ptr<Graph> find(CUgraph graph);
std::shared_ptr<Node> find(CUgraphNode node);
std::shared_ptr<Executable> find(CUgraphExec executable);

std::shared_ptr<Graph> make();
bool destroy(CUgraph graph);

inline bool has_memory(const NodeWork& work) {
  return std::holds_alternative<AllocWork>(work) || std::holds_alternative<FreeWork>(work);
}
// Graphs with such nodes, themselves or in a child, can only be made ready once, and lose nothing of themselves.
bool allocates(const Graph& graph);
// Whether it has conditional nodes.
bool decides(const Graph& graph);
// Nor can these be copied.
bool is_unique(const Graph& graph);
std::shared_ptr<Graph> clone(const Graph& graph);

// False: one of the needed nodes is not of the graph, or there twice.
bool are_nodes_of(const Graph& graph, std::span<const CUgraphNode> nodes);
bool is_plain(const CUgraphEdgeData& data);
// False for data that such an edge cannot have.
bool connect(Node& node, CUgraphNode need, const CUgraphEdgeData& data);
CUgraphNode add(Graph& graph, std::span<const CUgraphNode> needs, NodeWork work);
void remove(Node& node);

// Null when the nodes need each other in a circle, or a conditional node has nodes that it cannot have.
std::shared_ptr<Executable> ready(const Graph& graph);
CUgraphExec add(std::shared_ptr<Executable> executable);
bool remove(CUgraphExec executable);
std::vector<std::shared_ptr<Executable>> inner_of(const NodeWork& work);
// Of the graph, or of one within it. Null: none.
Executable::Step* step_of(Executable& executable, CUgraphNode node);

// Takes over the work of a graph of the same shape.
CUgraphExecUpdateResult update(Executable& executable, const Executable& from, CUgraphNode& culprit);

bool allocates(const Executable& executable);
// Frees what its last launch allocated and nothing freed since. False: there is such memory, and the graph was not made
// ready to be launched so.
bool free_before_launch(const Executable& executable);

}  // namespace graphs
}  // namespace nvmlkit::cuda
