// The functions of the driver API for nodes that allocate and decide, objects of graphs, attributes of streams and
// nodes.
#pragma once

#include "driver/cudart/driver_api.hpp"

extern "C" {
#define NVMLKIT_DRIVER(name, ...) nvmlkit::cuda::CUresult name(__VA_ARGS__)
using nvmlkit::cuda::CUuserObject;
NVMLKIT_DRIVER(cuGraphAddMemAllocNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               nvmlkit::cuda::CUDA_MEM_ALLOC_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphMemAllocNodeGetParams, CUgraphNode, nvmlkit::cuda::CUDA_MEM_ALLOC_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphAddMemFreeNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUdeviceptr);
NVMLKIT_DRIVER(cuGraphMemFreeNodeGetParams, CUgraphNode, CUdeviceptr*);
NVMLKIT_DRIVER(cuDeviceGraphMemTrim, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetGraphMemAttribute, CUdevice, nvmlkit::cuda::CUgraphMem_attribute, void*);
NVMLKIT_DRIVER(cuDeviceSetGraphMemAttribute, CUdevice, nvmlkit::cuda::CUgraphMem_attribute, void*);
NVMLKIT_DRIVER(cuGraphKernelNodeCopyAttributes, CUgraphNode, CUgraphNode);
NVMLKIT_DRIVER(cuGraphKernelNodeGetAttribute, CUgraphNode, nvmlkit::cuda::CUkernelNodeAttrID,
               nvmlkit::cuda::CUkernelNodeAttrValue*);
NVMLKIT_DRIVER(cuGraphKernelNodeSetAttribute, CUgraphNode, nvmlkit::cuda::CUkernelNodeAttrID,
               const nvmlkit::cuda::CUkernelNodeAttrValue*);
NVMLKIT_DRIVER(cuUserObjectCreate, CUuserObject*, void*, nvmlkit::cuda::CUhostFn, unsigned, unsigned);
NVMLKIT_DRIVER(cuUserObjectRetain, CUuserObject, unsigned);
NVMLKIT_DRIVER(cuUserObjectRelease, CUuserObject, unsigned);
NVMLKIT_DRIVER(cuGraphRetainUserObject, CUgraph, CUuserObject, unsigned, unsigned);
NVMLKIT_DRIVER(cuGraphReleaseUserObject, CUgraph, CUuserObject, unsigned);
NVMLKIT_DRIVER(cuGraphAddNode_v2, CUgraphNode*, CUgraph, const CUgraphNode*, const nvmlkit::cuda::CUgraphEdgeData*,
               std::size_t, nvmlkit::cuda::CUgraphNodeParams*);
NVMLKIT_DRIVER(cuGraphConditionalHandleCreate, nvmlkit::cuda::CUgraphConditionalHandle*, CUgraph, CUcontext, unsigned,
               unsigned);
NVMLKIT_DRIVER(cuStreamCopyAttributes, CUstream, CUstream);
NVMLKIT_DRIVER(cuStreamGetAttribute, CUstream, nvmlkit::cuda::CUstreamAttrID, nvmlkit::cuda::CUstreamAttrValue*);
NVMLKIT_DRIVER(cuStreamSetAttribute, CUstream, nvmlkit::cuda::CUstreamAttrID, const nvmlkit::cuda::CUstreamAttrValue*);
#undef NVMLKIT_DRIVER
}
