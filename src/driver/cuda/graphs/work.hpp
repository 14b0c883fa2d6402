// One piece of work: of a stream, or of a node until the launch of its graph.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/memory/memory_operations.hpp"
#include "driver/cuda/streams/queue.hpp"

namespace nvmlkit::cuda {

struct Executable;
struct Condition;
struct GraphPlace;

struct KernelWork {
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::shared_ptr<const Allocation> of_many = nullptr;  // as in Launch
  CUdeviceptr place_in_many = 0;
};

struct CopyWork {
  CUDA_MEMCPY3D copy{};
  CUcontext context = nullptr;
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS fill{};
  CUcontext context = nullptr;
};

struct HostWork {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct GraphWork {
  CUgraph graph = nullptr;            // a copy of the graph that was added
  std::shared_ptr<Executable> ready;  // in a graph that can be launched
};

struct NoWork {};

struct WaitWork {
  CUevent event = nullptr;
};

struct RecordWork {
  CUevent event = nullptr;
};

// Allocates memory that a graph has a place for, and frees it (graph_memory.hpp).
struct AllocWork {
  std::shared_ptr<GraphPlace> place;
  CUcontext context = nullptr;
};

struct FreeWork {
  CUdeviceptr address = 0;
};

// Does one of its graphs, or none, or one over and over, as a value says (conditions.hpp).
struct ConditionalWork {
  std::shared_ptr<Condition> condition;
  CUgraphConditionalNodeType type{};
  std::vector<CUgraph> bodies;
  std::vector<std::shared_ptr<Executable>> ready;  // in a graph that can be launched
};

struct BatchWork {
  CUcontext context = nullptr;
  std::vector<MemoryOperation> operations;
};

// Semaphores of other drivers: no node of these can be made.
struct SignalWork {};
struct SemaphoreWork {};

// In the order of CUgraphNodeType.
using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, GraphWork, NoWork, WaitWork, RecordWork, SignalWork,
                          SemaphoreWork, AllocWork, FreeWork, BatchWork, ConditionalWork>;

inline CUgraphNodeType type_of(const Work& work) { return static_cast<CUgraphNodeType>(work.index()); }

// Hands it to a stream, or makes it a node of the graph that the stream is captured into. It is done when the call
// returns where that is documented: copies to and from memory that the driver does not know may be.
CUresult enqueue(Context& context, CUstream stream, Work work);

// A task whose work is not set yet.
Task task_of(Context& context);

// What a stream does to get it done, in order. What the work names is looked up now.
CUresult plan(Context& context, const Work& work, std::vector<Task>& out);

// A copy in the default stream of the calling thread, done when the call returns unless it is within devices.
CUresult copy_now(Context& context, const CopyWork& work);

// A row of bytes from one address to another.
CopyWork row_copy(const Context& context, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                  CUmemorytype from_type, std::size_t size);

}  // namespace nvmlkit::cuda
