// The functions of the driver API that the runtime stands on.
#pragma once

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cudart {
using namespace nvmlkit::cuda;
}

extern "C" {
#define NVMLKIT_DRIVER(name, ...) nvmlkit::cuda::CUresult name(__VA_ARGS__)
using nvmlkit::cuda::CUcontext;
using nvmlkit::cuda::CUdevice;
using nvmlkit::cuda::CUdeviceptr;
using nvmlkit::cuda::CUevent;
using nvmlkit::cuda::CUfunction;
using nvmlkit::cuda::CUgraph;
using nvmlkit::cuda::CUgraphExec;
using nvmlkit::cuda::CUgraphNode;
using nvmlkit::cuda::CUkernel;
using nvmlkit::cuda::CUlibrary;
using nvmlkit::cuda::CUmemoryPool;
using nvmlkit::cuda::CUstream;
NVMLKIT_DRIVER(cuInit, unsigned);
NVMLKIT_DRIVER(cuDriverGetVersion, int*);
NVMLKIT_DRIVER(cuGetErrorString, nvmlkit::cuda::CUresult, const char**);
NVMLKIT_DRIVER(cuGetProcAddress_v2, const char*, void**, int, nvmlkit::cuda::cuuint64_t,
               nvmlkit::cuda::CUdriverProcAddressQueryResult*);
NVMLKIT_DRIVER(cuDeviceGetCount, int*);
NVMLKIT_DRIVER(cuDeviceGetName, char*, int, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetUuid_v2, nvmlkit::cuda::CUuuid*, CUdevice);
NVMLKIT_DRIVER(cuDeviceTotalMem_v2, std::size_t*, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetAttribute, int*, nvmlkit::cuda::CUdevice_attribute, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetP2PAttribute, int*, nvmlkit::cuda::CUdevice_P2PAttribute, CUdevice, CUdevice);
NVMLKIT_DRIVER(cuDeviceCanAccessPeer, int*, CUdevice, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetPCIBusId, char*, int, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetByPCIBusId, CUdevice*, const char*);
NVMLKIT_DRIVER(cuDevicePrimaryCtxRetain, CUcontext*, CUdevice);
NVMLKIT_DRIVER(cuDevicePrimaryCtxReset_v2, CUdevice);
NVMLKIT_DRIVER(cuDevicePrimaryCtxSetFlags_v2, CUdevice, unsigned);
NVMLKIT_DRIVER(cuDevicePrimaryCtxGetState, CUdevice, unsigned*, int*);
NVMLKIT_DRIVER(cuCtxGetCurrent, CUcontext*);
NVMLKIT_DRIVER(cuCtxSetCurrent, CUcontext);
NVMLKIT_DRIVER(cuCtxGetDevice, CUdevice*);
NVMLKIT_DRIVER(cuCtxSynchronize);
NVMLKIT_DRIVER(cuCtxGetLimit, std::size_t*, nvmlkit::cuda::CUlimit);
NVMLKIT_DRIVER(cuCtxSetLimit, nvmlkit::cuda::CUlimit, std::size_t);
NVMLKIT_DRIVER(cuCtxGetCacheConfig, nvmlkit::cuda::CUfunc_cache*);
NVMLKIT_DRIVER(cuCtxSetCacheConfig, nvmlkit::cuda::CUfunc_cache);
NVMLKIT_DRIVER(cuCtxGetSharedMemConfig, nvmlkit::cuda::CUsharedconfig*);
NVMLKIT_DRIVER(cuCtxSetSharedMemConfig, nvmlkit::cuda::CUsharedconfig);
NVMLKIT_DRIVER(cuCtxGetStreamPriorityRange, int*, int*);
NVMLKIT_DRIVER(cuCtxResetPersistingL2Cache);
NVMLKIT_DRIVER(cuCtxEnablePeerAccess, CUcontext, unsigned);
NVMLKIT_DRIVER(cuCtxDisablePeerAccess, CUcontext);
NVMLKIT_DRIVER(cuMemGetInfo_v2, std::size_t*, std::size_t*);
NVMLKIT_DRIVER(cuMemAlloc_v2, CUdeviceptr*, std::size_t);
NVMLKIT_DRIVER(cuMemAllocPitch_v2, CUdeviceptr*, std::size_t*, std::size_t, std::size_t, unsigned);
NVMLKIT_DRIVER(cuMemFree_v2, CUdeviceptr);
NVMLKIT_DRIVER(cuMemHostAlloc, void**, std::size_t, unsigned);
NVMLKIT_DRIVER(cuMemFreeHost, void*);
NVMLKIT_DRIVER(cuMemHostRegister_v2, void*, std::size_t, unsigned);
NVMLKIT_DRIVER(cuMemHostUnregister, void*);
NVMLKIT_DRIVER(cuMemHostGetDevicePointer_v2, CUdeviceptr*, void*, unsigned);
NVMLKIT_DRIVER(cuMemHostGetFlags, unsigned*, void*);
NVMLKIT_DRIVER(cuMemAllocManaged, CUdeviceptr*, std::size_t, unsigned);
NVMLKIT_DRIVER(cuMemcpy, CUdeviceptr, CUdeviceptr, std::size_t);
NVMLKIT_DRIVER(cuMemcpy_ptds, CUdeviceptr, CUdeviceptr, std::size_t);
NVMLKIT_DRIVER(cuMemcpyAsync, CUdeviceptr, CUdeviceptr, std::size_t, CUstream);
NVMLKIT_DRIVER(cuMemcpy2DUnaligned_v2, const nvmlkit::cuda::CUDA_MEMCPY2D*);
NVMLKIT_DRIVER(cuMemcpy2DUnaligned_v2_ptds, const nvmlkit::cuda::CUDA_MEMCPY2D*);
NVMLKIT_DRIVER(cuMemcpy3D_v2, const nvmlkit::cuda::CUDA_MEMCPY3D*);
NVMLKIT_DRIVER(cuMemcpy3D_v2_ptds, const nvmlkit::cuda::CUDA_MEMCPY3D*);
NVMLKIT_DRIVER(cuMemsetD8_v2, CUdeviceptr, unsigned char, std::size_t);
NVMLKIT_DRIVER(cuMemsetD8_v2_ptds, CUdeviceptr, unsigned char, std::size_t);
NVMLKIT_DRIVER(cuMemsetD2D8_v2, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t);
NVMLKIT_DRIVER(cuMemsetD2D8_v2_ptds, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t);
NVMLKIT_DRIVER(cuPointerGetAttribute, void*, nvmlkit::cuda::CUpointer_attribute, CUdeviceptr);
NVMLKIT_DRIVER(cuStreamCreateWithPriority, CUstream*, unsigned, int);
NVMLKIT_DRIVER(cuStreamDestroy_v2, CUstream);
NVMLKIT_DRIVER(cuStreamSynchronize, CUstream);
NVMLKIT_DRIVER(cuStreamQuery, CUstream);
NVMLKIT_DRIVER(cuStreamWaitEvent, CUstream, CUevent, unsigned);
NVMLKIT_DRIVER(cuStreamAddCallback, CUstream, nvmlkit::cuda::CUstreamCallback, void*, unsigned);
NVMLKIT_DRIVER(cuLaunchHostFunc, CUstream, nvmlkit::cuda::CUhostFn, void*);
NVMLKIT_DRIVER(cuStreamGetFlags, CUstream, unsigned*);
NVMLKIT_DRIVER(cuStreamGetPriority, CUstream, int*);
NVMLKIT_DRIVER(cuStreamGetId, CUstream, unsigned long long*);
NVMLKIT_DRIVER(cuStreamIsCapturing, CUstream, nvmlkit::cuda::CUstreamCaptureStatus*);
NVMLKIT_DRIVER(cuStreamAttachMemAsync, CUstream, CUdeviceptr, std::size_t, unsigned);
NVMLKIT_DRIVER(cuThreadExchangeStreamCaptureMode, nvmlkit::cuda::CUstreamCaptureMode*);
NVMLKIT_DRIVER(cuEventCreate, CUevent*, unsigned);
NVMLKIT_DRIVER(cuEventRecordWithFlags, CUevent, CUstream, unsigned);
NVMLKIT_DRIVER(cuEventQuery, CUevent);
NVMLKIT_DRIVER(cuEventSynchronize, CUevent);
NVMLKIT_DRIVER(cuEventDestroy_v2, CUevent);
NVMLKIT_DRIVER(cuEventElapsedTime, float*, CUevent, CUevent);
NVMLKIT_DRIVER(cuLibraryLoadData, CUlibrary*, const void*, nvmlkit::cuda::CUjit_option*, void**, unsigned,
               nvmlkit::cuda::CUlibraryOption*, void**, unsigned);
NVMLKIT_DRIVER(cuLibraryUnload, CUlibrary);
NVMLKIT_DRIVER(cuLibraryGetKernel, CUkernel*, CUlibrary, const char*);
NVMLKIT_DRIVER(cuLibraryGetGlobal, CUdeviceptr*, std::size_t*, CUlibrary, const char*);
NVMLKIT_DRIVER(cuKernelGetFunction, CUfunction*, CUkernel);
NVMLKIT_DRIVER(cuFuncGetAttribute, int*, nvmlkit::cuda::CUfunction_attribute, CUfunction);
NVMLKIT_DRIVER(cuFuncSetAttribute, CUfunction, nvmlkit::cuda::CUfunction_attribute, int);
NVMLKIT_DRIVER(cuFuncGetName, const char**, CUfunction);
NVMLKIT_DRIVER(cuLaunchKernelEx, const nvmlkit::cuda::CUlaunchConfig*, CUfunction, void**, void**);
NVMLKIT_DRIVER(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
               CUstream, void**, void**);
NVMLKIT_DRIVER(cuLaunchCooperativeKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
               unsigned, CUstream, void**);
NVMLKIT_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, CUfunction, int, std::size_t);
NVMLKIT_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, std::size_t*, CUfunction, int, int);
NVMLKIT_DRIVER(cuOccupancyMaxActiveClusters, int*, CUfunction, const nvmlkit::cuda::CUlaunchConfig*);
NVMLKIT_DRIVER(cuOccupancyMaxPotentialClusterSize, int*, CUfunction, const nvmlkit::cuda::CUlaunchConfig*);
NVMLKIT_DRIVER(cuStreamBeginCapture_v2, CUstream, nvmlkit::cuda::CUstreamCaptureMode);
NVMLKIT_DRIVER(cuStreamBeginCaptureToGraph, CUstream, CUgraph, const CUgraphNode*,
               const nvmlkit::cuda::CUgraphEdgeData*, std::size_t, nvmlkit::cuda::CUstreamCaptureMode);
NVMLKIT_DRIVER(cuStreamEndCapture, CUstream, CUgraph*);
NVMLKIT_DRIVER(cuStreamGetCaptureInfo_v2, CUstream, nvmlkit::cuda::CUstreamCaptureStatus*, nvmlkit::cuda::cuuint64_t*,
               CUgraph*, const CUgraphNode**, std::size_t*);
NVMLKIT_DRIVER(cuStreamGetCaptureInfo_v3, CUstream, nvmlkit::cuda::CUstreamCaptureStatus*, nvmlkit::cuda::cuuint64_t*,
               CUgraph*, const CUgraphNode**, const nvmlkit::cuda::CUgraphEdgeData**, std::size_t*);
NVMLKIT_DRIVER(cuStreamUpdateCaptureDependencies, CUstream, CUgraphNode*, std::size_t, unsigned);
NVMLKIT_DRIVER(cuGraphCreate, CUgraph*, unsigned);
NVMLKIT_DRIVER(cuGraphDestroy, CUgraph);
NVMLKIT_DRIVER(cuGraphClone, CUgraph*, CUgraph);
NVMLKIT_DRIVER(cuGraphNodeFindInClone, CUgraphNode*, CUgraphNode, CUgraph);
NVMLKIT_DRIVER(cuGraphDebugDotPrint, CUgraph, const char*, unsigned);
NVMLKIT_DRIVER(cuGraphNodeGetType, CUgraphNode, nvmlkit::cuda::CUgraphNodeType*);
NVMLKIT_DRIVER(cuGraphGetNodes, CUgraph, CUgraphNode*, std::size_t*);
NVMLKIT_DRIVER(cuGraphGetRootNodes, CUgraph, CUgraphNode*, std::size_t*);
NVMLKIT_DRIVER(cuGraphGetEdges_v2, CUgraph, CUgraphNode*, CUgraphNode*, nvmlkit::cuda::CUgraphEdgeData*, std::size_t*);
NVMLKIT_DRIVER(cuGraphNodeGetDependencies_v2, CUgraphNode, CUgraphNode*, nvmlkit::cuda::CUgraphEdgeData*, std::size_t*);
NVMLKIT_DRIVER(cuGraphNodeGetDependentNodes_v2, CUgraphNode, CUgraphNode*, nvmlkit::cuda::CUgraphEdgeData*,
               std::size_t*);
NVMLKIT_DRIVER(cuGraphAddDependencies, CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t);
NVMLKIT_DRIVER(cuGraphRemoveDependencies, CUgraph, const CUgraphNode*, const CUgraphNode*, std::size_t);
NVMLKIT_DRIVER(cuGraphDestroyNode, CUgraphNode);
NVMLKIT_DRIVER(cuGraphAddNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               nvmlkit::cuda::CUgraphNodeParams*);
NVMLKIT_DRIVER(cuGraphNodeSetParams, CUgraphNode, nvmlkit::cuda::CUgraphNodeParams*);
NVMLKIT_DRIVER(cuGraphExecNodeSetParams, CUgraphExec, CUgraphNode, nvmlkit::cuda::CUgraphNodeParams*);
NVMLKIT_DRIVER(cuGraphAddKernelNode_v2, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               const nvmlkit::cuda::CUDA_KERNEL_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphKernelNodeGetParams_v2, CUgraphNode, nvmlkit::cuda::CUDA_KERNEL_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphKernelNodeSetParams_v2, CUgraphNode, const nvmlkit::cuda::CUDA_KERNEL_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphExecKernelNodeSetParams_v2, CUgraphExec, CUgraphNode,
               const nvmlkit::cuda::CUDA_KERNEL_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphAddMemcpyNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               const nvmlkit::cuda::CUDA_MEMCPY3D*, CUcontext);
NVMLKIT_DRIVER(cuGraphMemcpyNodeGetParams, CUgraphNode, nvmlkit::cuda::CUDA_MEMCPY3D*);
NVMLKIT_DRIVER(cuGraphMemcpyNodeSetParams, CUgraphNode, const nvmlkit::cuda::CUDA_MEMCPY3D*);
NVMLKIT_DRIVER(cuGraphExecMemcpyNodeSetParams, CUgraphExec, CUgraphNode, const nvmlkit::cuda::CUDA_MEMCPY3D*,
               CUcontext);
NVMLKIT_DRIVER(cuGraphAddMemsetNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               const nvmlkit::cuda::CUDA_MEMSET_NODE_PARAMS*, CUcontext);
NVMLKIT_DRIVER(cuGraphMemsetNodeGetParams, CUgraphNode, nvmlkit::cuda::CUDA_MEMSET_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphMemsetNodeSetParams, CUgraphNode, const nvmlkit::cuda::CUDA_MEMSET_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphExecMemsetNodeSetParams, CUgraphExec, CUgraphNode, const nvmlkit::cuda::CUDA_MEMSET_NODE_PARAMS*,
               CUcontext);
NVMLKIT_DRIVER(cuGraphAddHostNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
               const nvmlkit::cuda::CUDA_HOST_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphHostNodeGetParams, CUgraphNode, nvmlkit::cuda::CUDA_HOST_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphHostNodeSetParams, CUgraphNode, const nvmlkit::cuda::CUDA_HOST_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphExecHostNodeSetParams, CUgraphExec, CUgraphNode, const nvmlkit::cuda::CUDA_HOST_NODE_PARAMS*);
NVMLKIT_DRIVER(cuGraphAddChildGraphNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUgraph);
NVMLKIT_DRIVER(cuGraphChildGraphNodeGetGraph, CUgraphNode, CUgraph*);
NVMLKIT_DRIVER(cuGraphExecChildGraphNodeSetParams, CUgraphExec, CUgraphNode, CUgraph);
NVMLKIT_DRIVER(cuGraphAddEmptyNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t);
NVMLKIT_DRIVER(cuGraphAddEventRecordNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUevent);
NVMLKIT_DRIVER(cuGraphEventRecordNodeGetEvent, CUgraphNode, CUevent*);
NVMLKIT_DRIVER(cuGraphEventRecordNodeSetEvent, CUgraphNode, CUevent);
NVMLKIT_DRIVER(cuGraphExecEventRecordNodeSetEvent, CUgraphExec, CUgraphNode, CUevent);
NVMLKIT_DRIVER(cuGraphAddEventWaitNode, CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUevent);
NVMLKIT_DRIVER(cuGraphEventWaitNodeGetEvent, CUgraphNode, CUevent*);
NVMLKIT_DRIVER(cuGraphEventWaitNodeSetEvent, CUgraphNode, CUevent);
NVMLKIT_DRIVER(cuGraphExecEventWaitNodeSetEvent, CUgraphExec, CUgraphNode, CUevent);
NVMLKIT_DRIVER(cuGraphInstantiateWithFlags, CUgraphExec*, CUgraph, unsigned long long);
NVMLKIT_DRIVER(cuGraphInstantiateWithParams, CUgraphExec*, CUgraph, nvmlkit::cuda::CUDA_GRAPH_INSTANTIATE_PARAMS*);
NVMLKIT_DRIVER(cuGraphInstantiate_v2, CUgraphExec*, CUgraph, CUgraphNode*, char*, std::size_t);
NVMLKIT_DRIVER(cuGraphExecGetFlags, CUgraphExec, nvmlkit::cuda::cuuint64_t*);
NVMLKIT_DRIVER(cuGraphExecDestroy, CUgraphExec);
NVMLKIT_DRIVER(cuGraphExecUpdate, CUgraphExec, CUgraph, CUgraphNode*, nvmlkit::cuda::CUgraphExecUpdateResult*);
NVMLKIT_DRIVER(cuGraphExecUpdate_v2, CUgraphExec, CUgraph, nvmlkit::cuda::CUgraphExecUpdateResultInfo*);
NVMLKIT_DRIVER(cuGraphNodeSetEnabled, CUgraphExec, CUgraphNode, unsigned);
NVMLKIT_DRIVER(cuGraphNodeGetEnabled, CUgraphExec, CUgraphNode, unsigned*);
NVMLKIT_DRIVER(cuGraphUpload, CUgraphExec, CUstream);
NVMLKIT_DRIVER(cuGraphLaunch, CUgraphExec, CUstream);
NVMLKIT_DRIVER(cuMemAllocAsync, CUdeviceptr*, std::size_t, CUstream);
NVMLKIT_DRIVER(cuMemFreeAsync, CUdeviceptr, CUstream);
NVMLKIT_DRIVER(cuMemAllocFromPoolAsync, CUdeviceptr*, std::size_t, CUmemoryPool, CUstream);
NVMLKIT_DRIVER(cuDeviceGetDefaultMemPool, CUmemoryPool*, CUdevice);
NVMLKIT_DRIVER(cuDeviceGetMemPool, CUmemoryPool*, CUdevice);
NVMLKIT_DRIVER(cuDeviceSetMemPool, CUdevice, CUmemoryPool);
NVMLKIT_DRIVER(cuMemPoolCreate, CUmemoryPool*, const nvmlkit::cuda::CUmemPoolProps*);
NVMLKIT_DRIVER(cuMemPoolDestroy, CUmemoryPool);
NVMLKIT_DRIVER(cuMemPoolTrimTo, CUmemoryPool, std::size_t);
NVMLKIT_DRIVER(cuMemPoolSetAttribute, CUmemoryPool, nvmlkit::cuda::CUmemPool_attribute, void*);
NVMLKIT_DRIVER(cuMemPoolGetAttribute, CUmemoryPool, nvmlkit::cuda::CUmemPool_attribute, void*);
NVMLKIT_DRIVER(cuMemPoolSetAccess, CUmemoryPool, const nvmlkit::cuda::CUmemAccessDesc*, std::size_t);
NVMLKIT_DRIVER(cuMemPoolGetAccess, nvmlkit::cuda::CUmemAccess_flags*, CUmemoryPool, nvmlkit::cuda::CUmemLocation*);
NVMLKIT_DRIVER(cuMemPrefetchAsync_v2, CUdeviceptr, std::size_t, nvmlkit::cuda::CUmemLocation, unsigned, CUstream);
NVMLKIT_DRIVER(cuMemAdvise_v2, CUdeviceptr, std::size_t, nvmlkit::cuda::CUmem_advise, nvmlkit::cuda::CUmemLocation);
NVMLKIT_DRIVER(cuMemRangeGetAttribute, void*, std::size_t, nvmlkit::cuda::CUmem_range_attribute, CUdeviceptr,
               std::size_t);
NVMLKIT_DRIVER(cuMemRangeGetAttributes, void**, std::size_t*, nvmlkit::cuda::CUmem_range_attribute*, std::size_t,
               CUdeviceptr, std::size_t);
NVMLKIT_DRIVER(cuMemcpy3DAsync_v2, const nvmlkit::cuda::CUDA_MEMCPY3D*, CUstream);
NVMLKIT_DRIVER(cuMemcpy2DAsync_v2, const nvmlkit::cuda::CUDA_MEMCPY2D*, CUstream);
NVMLKIT_DRIVER(cuMemsetD8Async, CUdeviceptr, unsigned char, std::size_t, CUstream);
NVMLKIT_DRIVER(cuMemsetD2D8Async, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t, CUstream);
NVMLKIT_DRIVER(cuLibraryLoadFromFile, CUlibrary*, const char*, nvmlkit::cuda::CUjit_option*, void**, unsigned,
               nvmlkit::cuda::CUlibraryOption*, void**, unsigned);
NVMLKIT_DRIVER(cuLibraryGetModule, nvmlkit::cuda::CUmodule*, CUlibrary);
NVMLKIT_DRIVER(cuLibraryGetManaged, CUdeviceptr*, std::size_t*, CUlibrary, const char*);
NVMLKIT_DRIVER(cuLibraryGetKernelCount, unsigned*, CUlibrary);
NVMLKIT_DRIVER(cuLibraryEnumerateKernels, CUkernel*, unsigned, CUlibrary);
NVMLKIT_DRIVER(cuLibraryGetUnifiedFunction, void**, CUlibrary, const char*);
NVMLKIT_DRIVER(cuKernelSetAttribute, nvmlkit::cuda::CUfunction_attribute, int, CUkernel, CUdevice);
NVMLKIT_DRIVER(cuStreamGetCtx, CUstream, CUcontext*);
NVMLKIT_DRIVER(cuFuncGetParamInfo, CUfunction, std::size_t, std::size_t*, std::size_t*);
NVMLKIT_DRIVER(cuIpcGetMemHandle, nvmlkit::cuda::CUipcMemHandle*, CUdeviceptr);
NVMLKIT_DRIVER(cuIpcOpenMemHandle_v2, CUdeviceptr*, nvmlkit::cuda::CUipcMemHandle, unsigned);
NVMLKIT_DRIVER(cuIpcCloseMemHandle, CUdeviceptr);
NVMLKIT_DRIVER(cuIpcGetEventHandle, nvmlkit::cuda::CUipcEventHandle*, CUevent);
NVMLKIT_DRIVER(cuIpcOpenEventHandle, CUevent*, nvmlkit::cuda::CUipcEventHandle);
NVMLKIT_DRIVER(cuArray3DCreate_v2, nvmlkit::cuda::CUarray*, const nvmlkit::cuda::CUDA_ARRAY3D_DESCRIPTOR*);
NVMLKIT_DRIVER(cuArray3DGetDescriptor_v2, nvmlkit::cuda::CUDA_ARRAY3D_DESCRIPTOR*, nvmlkit::cuda::CUarray);
NVMLKIT_DRIVER(cuArrayDestroy, nvmlkit::cuda::CUarray);
NVMLKIT_DRIVER(cuTexObjectCreate, nvmlkit::cuda::CUtexObject*, const nvmlkit::cuda::CUDA_RESOURCE_DESC*,
               const nvmlkit::cuda::CUDA_TEXTURE_DESC*, const nvmlkit::cuda::CUDA_RESOURCE_VIEW_DESC*);
NVMLKIT_DRIVER(cuTexObjectDestroy, nvmlkit::cuda::CUtexObject);
NVMLKIT_DRIVER(cuSurfObjectCreate, nvmlkit::cuda::CUsurfObject*, const nvmlkit::cuda::CUDA_RESOURCE_DESC*);
NVMLKIT_DRIVER(cuSurfObjectDestroy, nvmlkit::cuda::CUsurfObject);
NVMLKIT_DRIVER(cuTexObjectGetResourceDesc, nvmlkit::cuda::CUDA_RESOURCE_DESC*, nvmlkit::cuda::CUtexObject);
NVMLKIT_DRIVER(cuTexObjectGetTextureDesc, nvmlkit::cuda::CUDA_TEXTURE_DESC*, nvmlkit::cuda::CUtexObject);
NVMLKIT_DRIVER(cuTexObjectGetResourceViewDesc, nvmlkit::cuda::CUDA_RESOURCE_VIEW_DESC*, nvmlkit::cuda::CUtexObject);
NVMLKIT_DRIVER(cuDeviceGetTexture1DLinearMaxWidth, std::size_t*, nvmlkit::cuda::CUarray_format, unsigned, CUdevice);
NVMLKIT_DRIVER(cuArrayGetSparseProperties, nvmlkit::cuda::CUDA_ARRAY_SPARSE_PROPERTIES*, nvmlkit::cuda::CUarray);
NVMLKIT_DRIVER(cuArrayGetMemoryRequirements, nvmlkit::cuda::CUDA_ARRAY_MEMORY_REQUIREMENTS*, nvmlkit::cuda::CUarray,
               CUdevice);
NVMLKIT_DRIVER(cuArrayGetPlane, nvmlkit::cuda::CUarray*, nvmlkit::cuda::CUarray, unsigned);
NVMLKIT_DRIVER(cuMipmappedArrayCreate, nvmlkit::cuda::CUmipmappedArray*, const nvmlkit::cuda::CUDA_ARRAY3D_DESCRIPTOR*,
               unsigned);
NVMLKIT_DRIVER(cuMipmappedArrayGetLevel, nvmlkit::cuda::CUarray*, nvmlkit::cuda::CUmipmappedArray, unsigned);
NVMLKIT_DRIVER(cuMipmappedArrayDestroy, nvmlkit::cuda::CUmipmappedArray);
NVMLKIT_DRIVER(cuMipmappedArrayGetSparseProperties, nvmlkit::cuda::CUDA_ARRAY_SPARSE_PROPERTIES*,
               nvmlkit::cuda::CUmipmappedArray);
NVMLKIT_DRIVER(cuMipmappedArrayGetMemoryRequirements, nvmlkit::cuda::CUDA_ARRAY_MEMORY_REQUIREMENTS*,
               nvmlkit::cuda::CUmipmappedArray, CUdevice);
NVMLKIT_DRIVER(cuModuleGetTexRef, nvmlkit::cuda::CUtexref*, nvmlkit::cuda::CUmodule, const char*);
NVMLKIT_DRIVER(cuModuleGetSurfRef, nvmlkit::cuda::CUsurfref*, nvmlkit::cuda::CUmodule, const char*);
NVMLKIT_DRIVER(cuTexRefSetArray, nvmlkit::cuda::CUtexref, nvmlkit::cuda::CUarray, unsigned);
NVMLKIT_DRIVER(cuTexRefSetMipmappedArray, nvmlkit::cuda::CUtexref, nvmlkit::cuda::CUmipmappedArray, unsigned);
NVMLKIT_DRIVER(cuTexRefSetAddress_v2, std::size_t*, nvmlkit::cuda::CUtexref, CUdeviceptr, std::size_t);
NVMLKIT_DRIVER(cuTexRefSetAddress2D_v3, nvmlkit::cuda::CUtexref, const nvmlkit::cuda::CUDA_ARRAY_DESCRIPTOR*,
               CUdeviceptr, std::size_t);
NVMLKIT_DRIVER(cuTexRefGetAddress_v2, CUdeviceptr*, nvmlkit::cuda::CUtexref);
NVMLKIT_DRIVER(cuMemGetAddressRange_v2, CUdeviceptr*, std::size_t*, CUdeviceptr);
NVMLKIT_DRIVER(cuTexRefSetFormat, nvmlkit::cuda::CUtexref, nvmlkit::cuda::CUarray_format, int);
NVMLKIT_DRIVER(cuTexRefSetAddressMode, nvmlkit::cuda::CUtexref, int, nvmlkit::cuda::CUaddress_mode);
NVMLKIT_DRIVER(cuTexRefSetFilterMode, nvmlkit::cuda::CUtexref, nvmlkit::cuda::CUfilter_mode);
NVMLKIT_DRIVER(cuTexRefSetMipmapFilterMode, nvmlkit::cuda::CUtexref, nvmlkit::cuda::CUfilter_mode);
NVMLKIT_DRIVER(cuTexRefSetMipmapLevelBias, nvmlkit::cuda::CUtexref, float);
NVMLKIT_DRIVER(cuTexRefSetMipmapLevelClamp, nvmlkit::cuda::CUtexref, float, float);
NVMLKIT_DRIVER(cuTexRefSetFlags, nvmlkit::cuda::CUtexref, unsigned);
NVMLKIT_DRIVER(cuSurfRefSetArray, nvmlkit::cuda::CUsurfref, nvmlkit::cuda::CUarray, unsigned);
NVMLKIT_DRIVER(cuMemPoolExportToShareableHandle, void*, CUmemoryPool, nvmlkit::cuda::CUmemAllocationHandleType,
               unsigned long long);
NVMLKIT_DRIVER(cuMemPoolImportFromShareableHandle, CUmemoryPool*, void*, nvmlkit::cuda::CUmemAllocationHandleType,
               unsigned long long);
NVMLKIT_DRIVER(cuMemPoolExportPointer, nvmlkit::cuda::CUmemPoolPtrExportData*, CUdeviceptr);
NVMLKIT_DRIVER(cuMemPoolImportPointer, CUdeviceptr*, CUmemoryPool, nvmlkit::cuda::CUmemPoolPtrExportData*);
NVMLKIT_DRIVER(cuDeviceRegisterAsyncNotification, CUdevice, nvmlkit::cuda::CUasyncCallback, void*,
               nvmlkit::cuda::CUasyncCallbackHandle*);
NVMLKIT_DRIVER(cuDeviceUnregisterAsyncNotification, CUdevice, nvmlkit::cuda::CUasyncCallbackHandle);
NVMLKIT_DRIVER(cuLaunchCooperativeKernelMultiDevice, nvmlkit::cuda::CUDA_LAUNCH_PARAMS*, unsigned, unsigned);
#undef NVMLKIT_DRIVER
}
