// Parameters of nodes.
#include "driver/cudart/graph_params.hpp"
#include "driver/cudart/launches.hpp"

namespace nvmlkit::cudart {
using Nodes = const CUgraphNode*;

CUresult driver_params_of(const KernelParams* params, CUDA_KERNEL_NODE_PARAMS& out) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  out = {};
  if (const auto result = function_of(params->function, &out.func); result != CUDA_SUCCESS) return result;
  set_shape(out, params->grid, params->block, params->shared);
  out.kernelParams = params->arguments;
  out.extra = params->extra;
  return CUDA_SUCCESS;
}

namespace {

CUDA_MEMCPY3D row(void* to, const void* from, std::size_t size) {
  CUDA_MEMCPY3D out{};
  out.srcMemoryType = out.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  out.srcDevice = address_of(from);
  out.dstDevice = address_of(to);
  out.WidthInBytes = size;
  out.Height = out.Depth = 1;
  return out;
}

// use(params) with what a kernel's node holds.
template <class Use>
Error with_kernel(const KernelParams* params, Use use) {
  return with_context([&] {
    CUDA_KERNEL_NODE_PARAMS p{};
    const auto result = driver_params_of(params, p);
    return result == CUDA_SUCCESS ? use(p) : result;
  });
}

template <class Use>
Error with_copy(const Copy3D* params, Use use) {
  CUDA_MEMCPY3D c{};
  if (const auto wrong = read_copy(params, c)) return keep(wrong);
  return with_context([&] { return use(c); });
}

template <class Use>
Error with_row(void* to, const void* from, std::size_t size, Use use) {
  const auto c = row(to, from, size);
  return with_context([&] { return use(c); });
}

// The same for a variable of the program, as target or as source.
template <class Use>
Error with_symbol(const void* symbol, const void* other, std::size_t size, std::size_t offset, bool to_symbol,
                  Use use) {
  return with_context([&]() -> CUresult {
    CUdeviceptr address = 0;
    std::size_t room = 0;
    if (const auto result = variable_of(symbol, &address, &room); result != CUDA_SUCCESS) return result;
    if (offset > room || size > room - offset) return CUDA_ERROR_INVALID_VALUE;
    auto* const at = reinterpret_cast<void*>(address + offset);
    return use(to_symbol ? row(at, other, size) : row(const_cast<void*>(other), at, size));
  });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaGraphAddKernelNode(CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count,
                                             const KernelParams* params) {
  return with_kernel(params, [&](const auto& p) { return cuGraphAddKernelNode_v2(node, graph, needs, count, &p); });
}
NVMLKIT_RUNTIME Error cudaGraphKernelNodeSetParams(CUgraphNode node, const KernelParams* params) {
  return with_kernel(params, [&](const auto& p) { return cuGraphKernelNodeSetParams_v2(node, &p); });
}
NVMLKIT_RUNTIME Error cudaGraphExecKernelNodeSetParams(CUgraphExec ready, CUgraphNode node,
                                                       const KernelParams* params) {
  return with_kernel(params, [&](const auto& p) { return cuGraphExecKernelNodeSetParams_v2(ready, node, &p); });
}
NVMLKIT_RUNTIME Error cudaGraphKernelNodeGetParams(CUgraphNode node, KernelParams* out) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_KERNEL_NODE_PARAMS p{};
    const auto result = cuGraphKernelNodeGetParams_v2(node, &p);
    if (result == CUDA_SUCCESS)
      *out = {p.func,
              {p.gridDimX, p.gridDimY, p.gridDimZ},
              {p.blockDimX, p.blockDimY, p.blockDimZ},
              p.sharedMemBytes,
              p.kernelParams,
              p.extra};
    return result;
  });
}

NVMLKIT_RUNTIME Error cudaGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count,
                                             const Copy3D* params) {
  return with_copy(
      params, [&](const auto& c) { return cuGraphAddMemcpyNode(node, graph, needs, count, &c, current_context()); });
}
NVMLKIT_RUNTIME Error cudaGraphAddMemcpyNode1D(CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count,
                                               void* to, const void* from, std::size_t size, int) {
  return with_row(to, from, size, [&](const auto& c) {
    return cuGraphAddMemcpyNode(node, graph, needs, count, &c, current_context());
  });
}
NVMLKIT_RUNTIME Error cudaGraphAddMemcpyNodeToSymbol(CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count,
                                                     const void* symbol, const void* from, std::size_t size,
                                                     std::size_t offset, int) {
  return with_symbol(symbol, from, size, offset, true, [&](const auto& c) {
    return cuGraphAddMemcpyNode(node, graph, needs, count, &c, current_context());
  });
}
NVMLKIT_RUNTIME Error cudaGraphAddMemcpyNodeFromSymbol(CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count,
                                                       void* to, const void* symbol, std::size_t size,
                                                       std::size_t offset, int) {
  return with_symbol(symbol, to, size, offset, false, [&](const auto& c) {
    return cuGraphAddMemcpyNode(node, graph, needs, count, &c, current_context());
  });
}
NVMLKIT_RUNTIME Error cudaGraphMemcpyNodeSetParams(CUgraphNode node, const Copy3D* params) {
  return with_copy(params, [&](const auto& c) { return cuGraphMemcpyNodeSetParams(node, &c); });
}
NVMLKIT_RUNTIME Error cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void* to, const void* from, std::size_t size,
                                                     int) {
  return with_row(to, from, size, [&](const auto& c) { return cuGraphMemcpyNodeSetParams(node, &c); });
}
NVMLKIT_RUNTIME Error cudaGraphMemcpyNodeSetParamsToSymbol(CUgraphNode node, const void* symbol, const void* from,
                                                           std::size_t size, std::size_t offset, int) {
  return with_symbol(symbol, from, size, offset, true,
                     [&](const auto& c) { return cuGraphMemcpyNodeSetParams(node, &c); });
}
NVMLKIT_RUNTIME Error cudaGraphMemcpyNodeSetParamsFromSymbol(CUgraphNode node, void* to, const void* symbol,
                                                             std::size_t size, std::size_t offset, int) {
  return with_symbol(symbol, to, size, offset, false,
                     [&](const auto& c) { return cuGraphMemcpyNodeSetParams(node, &c); });
}
NVMLKIT_RUNTIME Error cudaGraphExecMemcpyNodeSetParams(CUgraphExec ready, CUgraphNode node, const Copy3D* params) {
  return with_copy(params,
                   [&](const auto& c) { return cuGraphExecMemcpyNodeSetParams(ready, node, &c, current_context()); });
}
NVMLKIT_RUNTIME Error cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec ready, CUgraphNode node, void* to,
                                                         const void* from, std::size_t size, int) {
  return with_row(to, from, size,
                  [&](const auto& c) { return cuGraphExecMemcpyNodeSetParams(ready, node, &c, current_context()); });
}
NVMLKIT_RUNTIME Error cudaGraphExecMemcpyNodeSetParamsToSymbol(CUgraphExec ready, CUgraphNode node, const void* symbol,
                                                               const void* from, std::size_t size, std::size_t offset,
                                                               int) {
  return with_symbol(symbol, from, size, offset, true,
                     [&](const auto& c) { return cuGraphExecMemcpyNodeSetParams(ready, node, &c, current_context()); });
}
NVMLKIT_RUNTIME Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(CUgraphExec ready, CUgraphNode node, void* to,
                                                                 const void* symbol, std::size_t size,
                                                                 std::size_t offset, int) {
  return with_symbol(symbol, to, size, offset, false,
                     [&](const auto& c) { return cuGraphExecMemcpyNodeSetParams(ready, node, &c, current_context()); });
}
NVMLKIT_RUNTIME Error cudaGraphMemcpyNodeGetParams(CUgraphNode node, Copy3D* out) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] {
    CUDA_MEMCPY3D c{};
    const auto result = cuGraphMemcpyNodeGetParams(node, &c);
    if (result != CUDA_SUCCESS) return result;
    *out = {};
    const auto pointer = [](CUmemorytype type, const void* host, CUdeviceptr device) {
      return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
    };
    out->from_place = {c.srcXInBytes, c.srcY, c.srcZ};
    out->from = {pointer(c.srcMemoryType, c.srcHost, c.srcDevice), c.srcPitch, c.WidthInBytes, c.srcHeight};
    out->to_place = {c.dstXInBytes, c.dstY, c.dstZ};
    out->to = {pointer(c.dstMemoryType, c.dstHost, c.dstDevice), c.dstPitch, c.WidthInBytes, c.dstHeight};
    out->extent = {c.WidthInBytes, c.Height, c.Depth};
    out->kind = 4;  // by address
    return result;
  });
}

// Since CUDA 13 the target comes first.
#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
#else
NVMLKIT_RUNTIME Error cudaGraphKernelNodeCopyAttributes(CUgraphNode from, CUgraphNode to) {
#endif
  return with_context([&] { return cuGraphKernelNodeCopyAttributes(to, from); });
}

}  // namespace nvmlkit::cudart
