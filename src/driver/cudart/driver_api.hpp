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
using nvmlkit::cuda::CUkernel;
using nvmlkit::cuda::CUlibrary;
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
NVMLKIT_DRIVER(cuMemcpyAsync, CUdeviceptr, CUdeviceptr, std::size_t, CUstream);
NVMLKIT_DRIVER(cuMemcpy2DUnaligned_v2, const nvmlkit::cuda::CUDA_MEMCPY2D*);
NVMLKIT_DRIVER(cuMemcpy3D_v2, const nvmlkit::cuda::CUDA_MEMCPY3D*);
NVMLKIT_DRIVER(cuMemsetD8_v2, CUdeviceptr, unsigned char, std::size_t);
NVMLKIT_DRIVER(cuMemsetD2D8_v2, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t);
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
#undef NVMLKIT_DRIVER
}
