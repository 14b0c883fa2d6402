// What graphs own beside their nodes' work: memory, objects of the program, attributes of launches.
#include "driver/cudart/driver_graph_api.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

#define NVMLKIT_PASS(name, call, ...)          \
  NVMLKIT_RUNTIME Error name(__VA_ARGS__) {    \
    return with_context([&] { return call; }); \
  }

using Attribute = CUlaunchAttributeID;  // the runtime's numbers are the driver's
using Nodes = const CUgraphNode*;

NVMLKIT_PASS(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode(node, graph, needs, count, params), CUgraphNode* node,
             CUgraph graph, Nodes needs, std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* params)
NVMLKIT_PASS(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams(node, out), CUgraphNode node,
             CUDA_MEM_ALLOC_NODE_PARAMS* out)
NVMLKIT_PASS(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode(node, graph, needs, count, address_of(pointer)),
             CUgraphNode* node, CUgraph graph, Nodes needs, std::size_t count, void* pointer)
NVMLKIT_PASS(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams(node, out), CUgraphNode node, CUdeviceptr* out)
NVMLKIT_PASS(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim(device), int device)
NVMLKIT_PASS(cudaDeviceGetGraphMemAttribute,
             cuDeviceGetGraphMemAttribute(device, static_cast<CUgraphMem_attribute>(attribute), value), int device,
             int attribute, void* value)
NVMLKIT_PASS(cudaDeviceSetGraphMemAttribute,
             cuDeviceSetGraphMemAttribute(device, static_cast<CUgraphMem_attribute>(attribute), value), int device,
             int attribute, void* value)

NVMLKIT_PASS(cudaUserObjectCreate, cuUserObjectCreate(out, object, destroy, holds, flags), CUuserObject* out,
             void* object, CUhostFn destroy, unsigned holds, unsigned flags)
NVMLKIT_PASS(cudaUserObjectRetain, cuUserObjectRetain(object, holds), CUuserObject object, unsigned holds)
NVMLKIT_PASS(cudaUserObjectRelease, cuUserObjectRelease(object, holds), CUuserObject object, unsigned holds)
NVMLKIT_PASS(cudaGraphRetainUserObject, cuGraphRetainUserObject(graph, object, holds, flags), CUgraph graph,
             CUuserObject object, unsigned holds, unsigned flags)
NVMLKIT_PASS(cudaGraphReleaseUserObject, cuGraphReleaseUserObject(graph, object, holds), CUgraph graph,
             CUuserObject object, unsigned holds)

// Since CUDA 13 the target comes first.
#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_PASS(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes(to, from), CUgraphNode to,
             CUgraphNode from)
#else
NVMLKIT_PASS(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes(to, from), CUgraphNode from,
             CUgraphNode to)
#endif
NVMLKIT_PASS(cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute(node, which, out), CUgraphNode node,
             Attribute which, CUkernelNodeAttrValue* out)
NVMLKIT_PASS(cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute(node, which, value), CUgraphNode node,
             Attribute which, const CUkernelNodeAttrValue* value)

NVMLKIT_PASS(cudaStreamCopyAttributes, cuStreamCopyAttributes(to, from), CUstream to, CUstream from)
NVMLKIT_PASS(cudaStreamCopyAttributes_ptsz, cuStreamCopyAttributes(per_thread(to), per_thread(from)), CUstream to,
             CUstream from)
NVMLKIT_PASS(cudaStreamGetAttribute, cuStreamGetAttribute(stream, which, out), CUstream stream, Attribute which,
             CUstreamAttrValue* out)
NVMLKIT_PASS(cudaStreamGetAttribute_ptsz, cuStreamGetAttribute(per_thread(stream), which, out), CUstream stream,
             Attribute which, CUstreamAttrValue* out)
NVMLKIT_PASS(cudaStreamSetAttribute, cuStreamSetAttribute(stream, which, value), CUstream stream, Attribute which,
             const CUstreamAttrValue* value)
NVMLKIT_PASS(cudaStreamSetAttribute_ptsz, cuStreamSetAttribute(per_thread(stream), which, value), CUstream stream,
             Attribute which, const CUstreamAttrValue* value)

}  // namespace nvmlkit::cudart
