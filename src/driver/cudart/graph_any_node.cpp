// Nodes of any kind, described by one struct, and the values of conditional nodes.
#include <cstring>

#include "driver/cudart/graph_params.hpp"

#if NVMLKIT_CUDART_VERSION >= 12000
namespace nvmlkit::cudart {
namespace {

// cudaGraphNodeParams and CUgraphNodeParams: the type, and behind it what nodes of the type take.
constexpr std::size_t kOfType = 16, kParams = 256;

struct CopyParams {
  int flags, reserved[3];
  Copy3D copy;
};

struct DriverCopyParams {
  int flags, reserved;
  CUcontext context;
  CUDA_MEMCPY3D copy;
};

struct DriverFillParams {
  CUDA_MEMSET_NODE_PARAMS fill;
  CUcontext context;
};

struct ConditionalParams {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned size;
  CUgraph* bodies;
};

class NodeParams {
 public:
  explicit NodeParams(void* of_program) : of_program_(static_cast<char*>(of_program)) {
    std::memcpy(bytes_, of_program_, sizeof bytes_);
  }

  // Makes what the driver takes of it.
  Error convert() {
    switch (type()) {
      case CU_GRAPH_NODE_TYPE_KERNEL: {
        const auto own = as<KernelParams>();
        CUDA_KERNEL_NODE_PARAMS out{};
        if (const auto result = driver_params_of(&own, out); result != CUDA_SUCCESS) return static_cast<Error>(result);
        put(out);
        return 0;
      }
      case CU_GRAPH_NODE_TYPE_MEMCPY: {
        const auto own = as<CopyParams>();
        DriverCopyParams out{own.flags, 0, current_context(), {}};
        if (const auto wrong = read_copy(&own.copy, out.copy)) return wrong;
        put(out);
        return 0;
      }
      case CU_GRAPH_NODE_TYPE_MEMSET:
        put(DriverFillParams{as<CUDA_MEMSET_NODE_PARAMS>(), current_context()});
        return 0;
      default:
        return 0;
    }
  }
  CUgraphNodeParams* of_driver() { return reinterpret_cast<CUgraphNodeParams*>(bytes_); }

  // What a program gets of a node that was made.
  void tell() {
    if (type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC) tell_at(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr));
    if (type() == CU_GRAPH_NODE_TYPE_CONDITIONAL) tell_at(offsetof(ConditionalParams, bodies));
  }

 private:
  CUgraphNodeType type() const {
    CUgraphNodeType out{};
    std::memcpy(&out, bytes_, sizeof out);
    return out;
  }
  template <class T>
  T as() const {
    T out;
    std::memcpy(static_cast<void*>(&out), bytes_ + kOfType, sizeof out);
    return out;
  }
  template <class T>
  void put(const T& params) {
    static_assert(kOfType + sizeof params <= kParams);
    std::memset(bytes_ + kOfType, 0, kParams - kOfType);
    std::memcpy(bytes_ + kOfType, static_cast<const void*>(&params), sizeof params);
  }
  void tell_at(std::size_t offset) {
    std::memcpy(of_program_ + kOfType + offset, bytes_ + kOfType + offset, sizeof(void*));
  }

  char* const of_program_;
  alignas(8) char bytes_[kParams];
};

// use(params of the driver)
template <class Use>
Error with_params(void* params, Use use) {
  if (!params) return keep(kInvalidValue);
  if (const auto refused = ready(); refused != CUDA_SUCCESS) return keep(refused);
  NodeParams converted(params);
  if (const auto wrong = converted.convert()) return keep(wrong);
  const auto result = use(converted.of_driver());
  if (result == CUDA_SUCCESS) converted.tell();
  return keep(result);
}

Error add_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, const CUgraphEdgeData* edges,
               std::size_t count, void* params) {
  return with_params(params, [&](auto* own) { return cuGraphAddNode_v2(node, graph, needs, edges, count, own); });
}

}  // namespace

#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs,
                                       const CUgraphEdgeData* edges, std::size_t count, void* params) {
  return add_node(node, graph, needs, edges, count, params);
}
#else
NVMLKIT_RUNTIME Error cudaGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, std::size_t count,
                                       void* params) {
  return add_node(node, graph, needs, nullptr, count, params);
}
NVMLKIT_RUNTIME Error cudaGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs,
                                          const CUgraphEdgeData* edges, std::size_t count, void* params) {
  return add_node(node, graph, needs, edges, count, params);
}
#endif
NVMLKIT_RUNTIME Error cudaGraphNodeSetParams(CUgraphNode node, void* params) {
  return with_params(params, [&](auto* own) { return cuGraphNodeSetParams(node, own); });
}
NVMLKIT_RUNTIME Error cudaGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node, void* params) {
  return with_params(params, [&](auto* own) { return cuGraphExecNodeSetParams(executable, node, own); });
}

}  // namespace nvmlkit::cudart
#endif
