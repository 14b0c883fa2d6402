// What a program and its runtime must agree on: structs with the members of the program's headers, and nothing written
// beyond them.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "check.hpp"

namespace {

int attribute(cudaDeviceAttr which) {
  int value = -1;
  OK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

// A struct with a byte pattern before the call and behind it.
template <class T>
struct Guarded {
  static constexpr unsigned char kPattern = 0xa5;
  union {
    T value;
    unsigned char bytes[sizeof(T) + 64];
  };
  Guarded() { std::memset(bytes, kPattern, sizeof bytes); }
  bool is_whole() const {
    for (std::size_t i = sizeof(T); i < sizeof bytes; ++i)
      if (bytes[i] != kPattern) return false;
    return true;
  }
};

#define SAME(member, name) EXPECT(static_cast<long long>(p.member) == attribute(cudaDevAttr##name))

void limits(const cudaDeviceProp& p) {
  SAME(sharedMemPerBlock, MaxSharedMemoryPerBlock);
  SAME(regsPerBlock, MaxRegistersPerBlock);
  SAME(warpSize, WarpSize);
  SAME(memPitch, MaxPitch);
  SAME(maxThreadsPerBlock, MaxThreadsPerBlock);
  SAME(maxThreadsDim[2], MaxBlockDimZ);
  SAME(maxGridSize[0], MaxGridDimX);
  SAME(totalConstMem, TotalConstantMemory);
  SAME(major, ComputeCapabilityMajor);
  SAME(minor, ComputeCapabilityMinor);
  SAME(textureAlignment, TextureAlignment);
  SAME(texturePitchAlignment, TexturePitchAlignment);
  SAME(multiProcessorCount, MultiProcessorCount);
  SAME(integrated, Integrated);
  SAME(canMapHostMemory, CanMapHostMemory);
}

void textures_and_surfaces(const cudaDeviceProp& p) {
  SAME(maxTexture1D, MaxTexture1DWidth);
  SAME(maxTexture1DMipmap, MaxTexture1DMipmappedWidth);
  SAME(maxTexture2D[1], MaxTexture2DHeight);
  SAME(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth);
  SAME(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
  SAME(maxTexture2DGather[1], MaxTexture2DGatherHeight);
  SAME(maxTexture3D[0], MaxTexture3DWidth);
  SAME(maxTexture3DAlt[2], MaxTexture3DDepthAlt);
  SAME(maxTextureCubemap, MaxTextureCubemapWidth);
  SAME(maxTexture1DLayered[1], MaxTexture1DLayeredLayers);
  SAME(maxTexture2DLayered[2], MaxTexture2DLayeredLayers);
  SAME(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth);
  SAME(maxSurface1D, MaxSurface1DWidth);
  SAME(maxSurface2D[1], MaxSurface2DHeight);
  SAME(maxSurface3D[2], MaxSurface3DDepth);
  SAME(maxSurface1DLayered[1], MaxSurface1DLayeredLayers);
  SAME(maxSurface2DLayered[0], MaxSurface2DLayeredWidth);
  SAME(maxSurfaceCubemap, MaxSurfaceCubemapWidth);
  SAME(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers);
  SAME(surfaceAlignment, SurfaceAlignment);
}

void features(const cudaDeviceProp& p) {
  SAME(concurrentKernels, ConcurrentKernels);
  SAME(ECCEnabled, EccEnabled);
  SAME(pciBusID, PciBusId);
  SAME(pciDeviceID, PciDeviceId);
  SAME(pciDomainID, PciDomainId);
  SAME(asyncEngineCount, AsyncEngineCount);
  SAME(unifiedAddressing, UnifiedAddressing);
  SAME(memoryBusWidth, GlobalMemoryBusWidth);
  SAME(l2CacheSize, L2CacheSize);
  SAME(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
  SAME(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
  SAME(streamPrioritiesSupported, StreamPrioritiesSupported);
  SAME(globalL1CacheSupported, GlobalL1CacheSupported);
  SAME(localL1CacheSupported, LocalL1CacheSupported);
  SAME(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
  SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
  SAME(managedMemory, ManagedMemory);
  SAME(hostNativeAtomicSupported, HostNativeAtomicSupported);
  SAME(pageableMemoryAccess, PageableMemoryAccess);
  SAME(concurrentManagedAccess, ConcurrentManagedAccess);
  SAME(computePreemptionSupported, ComputePreemptionSupported);
  SAME(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
  SAME(cooperativeLaunch, CooperativeLaunch);
  SAME(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
  SAME(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables);
  SAME(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost);
  SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
  SAME(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
  SAME(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
}

// Fields that only some runtimes have.
void fields_of_some_versions(const cudaDeviceProp& p) {
#if CUDART_VERSION < 13000
  SAME(clockRate, ClockRate);
  SAME(deviceOverlap, GpuOverlap);
  SAME(kernelExecTimeoutEnabled, KernelExecTimeout);
  SAME(computeMode, ComputeMode);
  SAME(maxTexture1DLinear, MaxTexture1DLinearWidth);
  SAME(memoryClockRate, MemoryClockRate);
  SAME(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
  SAME(cooperativeMultiDeviceLaunch, CooperativeMultiDeviceLaunch);
#endif
#if CUDART_VERSION >= 12000
  SAME(hostRegisterSupported, HostRegisterSupported);
  SAME(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported);
  SAME(memoryPoolsSupported, MemoryPoolsSupported);
  SAME(gpuDirectRDMASupported, GPUDirectRDMASupported);
  SAME(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes);
  SAME(ipcEventSupported, IpcEventSupport);
  SAME(clusterLaunch, ClusterLaunch);
#endif
#if CUDART_VERSION >= 13000
  SAME(deviceNumaId, NumaId);
  SAME(hostNumaId, HostNumaId);
#endif
}

void properties() {
  Guarded<cudaDeviceProp> guarded;
  OK(cudaGetDeviceProperties(&guarded.value, 0));
  EXPECT(guarded.is_whole());
  const auto& p = guarded.value;
  EXPECT(std::strstr(p.name, "H100") && p.totalGlobalMem > std::size_t{70} << 30 && p.luidDeviceNodeMask == 0);
  EXPECT(p.uuid.bytes[0] || p.uuid.bytes[1] || p.uuid.bytes[15]);
  limits(p);
  textures_and_surfaces(p);
  features(p);
  fields_of_some_versions(p);
}

// The runtime of CUDA 12 has the struct of 11 under the old name, for programs that were built for 12.0 headers and
// those that ask for it by name.
void old_properties() {
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
  constexpr std::size_t kSizeOf11 = 728;
  using Function = cudaError_t (*)(void*, int);
  const auto plain = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cudaGetDeviceProperties"));
  EXPECT(plain);
  unsigned char bytes[kSizeOf11 + 64];
  std::memset(bytes, 0xa5, sizeof bytes);
  OK(plain(bytes, 0));
  for (std::size_t i = kSizeOf11; i < sizeof bytes; ++i) EXPECT(bytes[i] == 0xa5);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  EXPECT(std::memcmp(bytes, &p, offsetof(cudaDeviceProp, hostRegisterSupported)) == 0);
#endif
}

__global__ void kernel(int* out) {
  __shared__ int shared[100];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

void kernels() {
  Guarded<cudaFuncAttributes> guarded;
  OK(cudaFuncGetAttributes(&guarded.value, kernel));
  EXPECT(guarded.is_whole());
  const auto& a = guarded.value;
  EXPECT(a.sharedSizeBytes == 400 && a.maxThreadsPerBlock == 1024 && a.maxDynamicSharedSizeBytes >= 48 * 1024 - 400);
  EXPECT(a.ptxVersion >= 70 && a.binaryVersion >= 70 && a.preferredShmemCarveout == -1);
#if CUDART_VERSION >= 12000
  EXPECT(a.clusterDimMustBeSet == 0 && a.requiredClusterDepth == 0);
#endif

  int* out = nullptr;
  OK(cudaMalloc(&out, 64 * sizeof(int)));
  cudaLaunchAttribute cooperative;
  std::memset(&cooperative, 0, sizeof cooperative);
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, kernel, out));
  int host[64];
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(host[i] == 63 - i);

  Guarded<cudaPointerAttributes> pointer;
  OK(cudaPointerGetAttributes(&pointer.value, out));
  EXPECT(pointer.is_whole() && pointer.value.type == cudaMemoryTypeDevice && pointer.value.device == 0);
  EXPECT(pointer.value.devicePointer == out && pointer.value.hostPointer == nullptr);
  OK(cudaFree(out));
}

void boxes() {
  const cudaExtent extent = make_cudaExtent(12, 3, 2);
  cudaPitchedPtr box;
  OK(cudaMalloc3D(&box, extent));
  EXPECT(box.ptr && box.pitch >= 12 && box.xsize == 12 && box.ysize == 3);
  std::uint8_t from[2][3][12], to[2][3][12] = {};
  for (int i = 0; i < 72; ++i) from[i / 36][i / 12 % 3][i % 12] = static_cast<std::uint8_t>(i + 1);
  cudaMemcpy3DParms copy;
  std::memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_cudaPitchedPtr(from, 12, 12, 3);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  OK(cudaMemset3D(box, 0, make_cudaExtent(2, 1, 1)));
  // Between GPUs: both boxes are memory of one.
  cudaPitchedPtr other;
  OK(cudaMalloc3D(&other, extent));
  cudaMemcpy3DPeerParms across;
  std::memset(&across, 0, sizeof across);
  across.srcPtr = box;
  across.dstPtr = make_cudaPitchedPtr(to, 12, 12, 3);
  across.extent = extent;
  EXPECT(cudaMemcpy3DPeer(&across) == cudaErrorInvalidValue);
  across.dstPtr = other;
  OK(cudaMemcpy3DPeer(&across));
  copy.srcPtr = other;
  copy.dstPtr = make_cudaPitchedPtr(to, 12, 12, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  from[0][0][0] = from[0][0][1] = 0;
  EXPECT(std::memcmp(from, to, sizeof from) == 0);
  OK(cudaFree(box.ptr));
  OK(cudaFree(other.ptr));
}

// Programs find the driver's functions, and what the simulation lacks says so instead of not being there.
void names() {
  void* function = nullptr;
#if CUDART_VERSION >= 13000
  OK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &function, 12000, cudaEnableDefault, nullptr));
#elif CUDART_VERSION >= 12000
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPoint("cuMemGetInfo", &function, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointSuccess);
#else
  OK(cudaGetDriverEntryPoint("cuMemGetInfo", &function, cudaEnableDefault));
#endif
  EXPECT(function);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 16, 8, 4, cudaChannelFormatKindFloat);
  EXPECT(format.x == 32 && format.y == 16 && format.z == 8 && format.w == 4 && format.f == cudaChannelFormatKindFloat);
  cudaExternalMemory_t memory = nullptr;
  cudaExternalMemoryHandleDesc description;
  std::memset(&description, 0, sizeof description);
  EXPECT(cudaImportExternalMemory(&memory, &description) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess);
}

}  // namespace

int main() {
  properties();
  old_properties();
  kernels();
  boxes();
  names();
  std::puts("all is well");
}
