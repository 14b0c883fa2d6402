// The work of a node: what a stream can be handed, and what only graphs have.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "driver/cuda/streams/queue.hpp"
#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

struct Executable;
struct Condition;
struct GraphPlace;

struct GraphWork {
  CUgraph graph = nullptr;            // a copy of the graph that was added, or this graph, which the node then owns
  bool is_moved = false;              // the latter
  std::shared_ptr<Executable> ready;  // in a graph that can be launched
};

// Allocates memory that a graph has a place for, and frees it (graph_memory.hpp).
struct AllocWork {
  std::shared_ptr<GraphPlace> place;
  CUcontext context = nullptr;
};

struct FreeWork {
  CUdeviceptr address = 0;
};

// Does one of its graphs, or none, or one over and over, as a value says (launches/conditions.hpp).
struct ConditionalWork {
  std::shared_ptr<Condition> condition;
  CUgraphConditionalNodeType type{};
  std::vector<CUgraph> bodies;
  std::vector<std::shared_ptr<Executable>> ready;  // in a graph that can be launched
};

// Semaphores of other drivers: no node of these can be made.
struct SignalWork {};
struct SemaphoreWork {};

// In the order of CUgraphNodeType.
using NodeWork = std::variant<KernelWork, CopyWork, FillWork, HostWork, GraphWork, NoWork, WaitWork, RecordWork,
                              SignalWork, SemaphoreWork, AllocWork, FreeWork, BatchWork, ConditionalWork>;

inline CUgraphNodeType type_of(const NodeWork& work) { return static_cast<CUgraphNodeType>(work.index()); }

// The same work, as that of a node.
NodeWork as_node(StreamWork work);

namespace graphs {

// Appends the tasks of a stream that get the work done, in order.
CUresult plan(Context& context, const NodeWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const Executable& executable, std::vector<Task>& out);

}  // namespace graphs
}  // namespace nvmlkit::cuda
