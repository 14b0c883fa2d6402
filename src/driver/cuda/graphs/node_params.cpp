#include "driver/cuda/graphs/node_params.hpp"

#include <cstring>

#include "driver/cuda/graphs/graph_memory.hpp"

namespace nvmlkit::cuda::node_params {
namespace {

// CUgraphNodeParams: the type, and behind it what nodes of the type take.
constexpr std::size_t kOfType = 16, kParams = 256;

template <class T>
T of_type(const void* params) {
  static_assert(kOfType + sizeof(T) <= kParams);
  T out;
  std::memcpy(&out, static_cast<const char*>(params) + kOfType, sizeof out);
  return out;
}

struct ChildParams {
  CUgraph graph;
  CUgraphChildGraphNodeOwnership ownership;
};

struct CopyParams {
  int flags, reserved;
  CUcontext context;
  CUDA_MEMCPY3D copy;
};

struct ConditionalParams {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned size;
  CUgraph* bodies;
  CUcontext context;
};

struct FillParams {
  CUDA_MEMSET_NODE_PARAMS fill;
  CUcontext context;
};

}  // namespace

WorkOfParams work_of(const CUDA_KERNEL_NODE_PARAMS& p) {
  if (p.kernelParams && p.extra) return {};
  KernelWork work;
  work.function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  work.context = p.ctx ? p.ctx : contexts::top();
  work.shape = {
      {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, false, {}};
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(work.function, code, settings)) return {CUDA_ERROR_INVALID_VALUE, NoWork{}};
  if (const auto result = pack_arguments(*code, p.kernelParams, p.extra, work.arguments); result != CUDA_SUCCESS)
    return {result, NoWork{}};
  return {CUDA_SUCCESS, std::move(work)};
}

WorkOfParams work_of(const CUDA_MEMSET_NODE_PARAMS& p, CUcontext context) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return {};
  return {CUDA_SUCCESS, FillWork{p, context}};
}

WorkOfParams work_of(const CUDA_HOST_NODE_PARAMS& p) {
  if (!p.fn) return {};
  return {CUDA_SUCCESS, HostWork{p.fn, p.userData}};
}

WorkOfParams work_of(const CUDA_MEM_ALLOC_NODE_PARAMS& p) {
  AllocWork work;
  const auto result = graph_memory::reserve(p, contexts::top(), work);
  if (result != CUDA_SUCCESS) return {result, NoWork{}};
  return {CUDA_SUCCESS, std::move(work)};
}

WorkOfParams work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS& p) {
  if (p.count > memory_operations::kMost || (p.count > 0 && !p.paramArray) || p.flags != 0) return {};
  if (p.ctx && !contexts::find(p.ctx)) return {CUDA_ERROR_INVALID_CONTEXT, NoWork{}};
  BatchWork work{p.ctx, std::vector<MemoryOperation>(p.count)};
  if (p.count > 0)
    std::memcpy(static_cast<void*>(work.operations.data()), p.paramArray, p.count * sizeof(MemoryOperation));
  for (const auto& operation : work.operations) {
    Task task;
    if (const auto result = memory_operations::plan(operation, task); result != CUDA_SUCCESS) return {result, NoWork{}};
  }
  return {CUDA_SUCCESS, std::move(work)};
}

// The graphs of the node are made with it.
WorkOfParams work_of(const ConditionalParams& p) {
  constexpr unsigned kMost = 1024;
  ConditionalWork work;
  work.condition = conditions::find(p.handle);
  work.type = p.type;
  const bool is_right = p.type == CU_GRAPH_COND_TYPE_IF       ? p.size == 1 || p.size == 2
                        : p.type == CU_GRAPH_COND_TYPE_WHILE  ? p.size == 1
                        : p.type == CU_GRAPH_COND_TYPE_SWITCH ? p.size > 0 && p.size <= kMost
                                                              : false;
  if (!work.condition || !is_right) return {};
  work.bodies.resize(p.size);
  return {CUDA_SUCCESS, std::move(work)};
}

WorkOfParams work_of(const ChildParams& p) {
  if (p.ownership > CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) return {};
  return {CUDA_SUCCESS, GraphWork{p.graph, p.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE, nullptr}};
}

WorkOfParams work_of_any(const void* params) {
  CUgraphNodeType type{};
  std::memcpy(&type, params, sizeof type);
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return work_of(of_type<CUDA_KERNEL_NODE_PARAMS>(params));
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      const auto p = of_type<CopyParams>(params);
      return {CUDA_SUCCESS, CopyWork{p.copy, p.context}};
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto p = of_type<FillParams>(params);
      return work_of(p.fill, p.context);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      return work_of(of_type<CUDA_HOST_NODE_PARAMS>(params));
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return work_of(of_type<ChildParams>(params));
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return {CUDA_SUCCESS, NoWork{}};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return work_of<WaitWork>(of_type<CUevent>(params));
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return work_of<RecordWork>(of_type<CUevent>(params));
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return work_of(of_type<CUDA_MEM_ALLOC_NODE_PARAMS>(params));
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return {CUDA_SUCCESS, FreeWork{of_type<CUdeviceptr>(params)}};
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return work_of(of_type<ConditionalParams>(params));
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return work_of(of_type<CUDA_BATCH_MEM_OP_NODE_PARAMS>(params));
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return {CUDA_ERROR_NOT_SUPPORTED, NoWork{}};
  }
  return {};
}

void tell_made(CUgraphNode handle, void* params) {
  const auto guard = graphs::guard();
  const auto node = graphs::find(handle);
  auto* const at = static_cast<char*>(params) + kOfType;
  if (!node) return;
  if (const auto* const made = std::get_if<AllocWork>(&node->work)) {
    std::memcpy(at + offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr), &made->place->address, sizeof made->place->address);
  } else if (auto* const decision = std::get_if<ConditionalWork>(&node->work)) {
    auto* const bodies = decision->bodies.data();  // they stay there as long as the node
    std::memcpy(at + offsetof(ConditionalParams, bodies), static_cast<const void*>(&bodies), sizeof bodies);
  }
}

CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1& p) {
  CUDA_KERNEL_NODE_PARAMS out{};
  static_assert(sizeof p <= sizeof out);
  std::memcpy(&out, &p, sizeof p);  // the newer one begins as the older one
  return out;
}

CUDA_KERNEL_NODE_PARAMS_v1 older(const CUDA_KERNEL_NODE_PARAMS& p) {
  CUDA_KERNEL_NODE_PARAMS_v1 out{};
  std::memcpy(&out, &p, sizeof out);
  return out;
}

CUDA_KERNEL_NODE_PARAMS kernel_of(Node& node) {
  auto& work = std::get<KernelWork>(node.work);
  CUDA_KERNEL_NODE_PARAMS out{};
  out.func = work.function;
  out.gridDimX = work.shape.grid[0];
  out.gridDimY = work.shape.grid[1];
  out.gridDimZ = work.shape.grid[2];
  out.blockDimX = work.shape.block[0];
  out.blockDimY = work.shape.block[1];
  out.blockDimZ = work.shape.block[2];
  out.sharedMemBytes = work.shape.dynamic_shared;
  out.ctx = work.context;
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(work.function, code, settings)) return out;
  node.argument_pointers.clear();
  for (const auto& parameter : code->parameters)
    node.argument_pointers.push_back(work.arguments.data() + parameter.offset);
  out.kernelParams = node.argument_pointers.data();
  return out;
}

}  // namespace nvmlkit::cuda::node_params
