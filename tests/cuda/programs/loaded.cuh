// Code that a program loads by itself, copies in batches, pools that keep memory. A part of graphs.cu.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"

inline const char* const kPtx =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 step = 3;\n"
    ".visible .entry advance(.param .u64 where) {\n"
    ".reg .u64 %rd<3>; .reg .u32 %r<3>;\n"
    "ld.param.u64 %rd1, [where]; cvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [step]; atom.global.add.u32 %r2, [%rd2], %r1; ret; }\n";

inline void libraries() {
  cudaLibrary_t library;
  cudaKernel_t kernel, listed;
  unsigned kernels = 0;
  OK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernelCount(&kernels, library));
  OK(cudaLibraryGetKernel(&kernel, library, "advance"));
  OK(cudaLibraryEnumerateKernels(&listed, 1, library));
  EXPECT(kernels == 1 && listed == kernel);
  EXPECT(cudaLibraryGetKernel(&listed, library, "nothing") == cudaErrorSymbolNotFound);
  void *step = nullptr, *sum = nullptr;
  std::size_t size = 0;
  OK(cudaLibraryGetGlobal(&step, &size, library, "step"));
  int host = 0;
  OK(cudaMemcpy(&host, step, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(size == 4 && host == 3);
  OK(cudaMalloc(&sum, sizeof host));
  OK(cudaMemset(sum, 0, sizeof host));
  void* arguments[] = {&sum};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(2), dim3(4), arguments, 0, nullptr));
  OK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 24);
  std::size_t offset = 1;
  OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(kernel), 0, &offset, &size));
  EXPECT(offset == 0 && size == 8);
  OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
  OK(cudaLibraryUnload(library));
  EXPECT(cudaLibraryUnload(library) != cudaSuccess);
  cudaGetLastError();
}

__global__ void reversed(int* values) {
  extern __shared__ int kept[];
  kept[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}

// What the runtime set for a kernel holds where the driver launches it.
inline void launched_by_the_driver() {
  constexpr int kCount = 64, kShared = 100 << 10;
  const auto* const symbol = reinterpret_cast<const void*>(reversed);
  cudaFunction_t function;
  OK(cudaGetFuncBySymbol(&function, symbol));
  int values[kCount], *there = nullptr, most = 0;
  for (int i = 0; i < kCount; ++i) values[i] = i;
  OK(cudaMalloc(&there, sizeof values));
  OK(cudaMemcpy(there, values, sizeof values, cudaMemcpyHostToDevice));
  void* arguments[] = {&there};
  const auto launch = [&] {
    return cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, kShared, nullptr, arguments, nullptr);
  };
  EXPECT(launch() == CUDA_ERROR_INVALID_VALUE);
  OK(cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  EXPECT(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS &&
         most == kShared);
  EXPECT(launch() == CUDA_SUCCESS);
  OK(cudaMemcpy(values, there, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) EXPECT(values[i] == kCount - 1 - i);
  OK(cudaFree(there));
}

inline void batches() {
  constexpr int kCount = 64, kPitch = 16;
  std::vector<int> host(kCount), back(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i;
  int* device = nullptr;
  OK(cudaMalloc(&device, kCount * sizeof(int)));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  // Two halves, swapped.
  void* const to[] = {device + 32, device};
  const void* const from[] = {host.data(), host.data() + 32};
  const std::size_t sizes[] = {32 * sizeof(int), 32 * sizeof(int)};
  std::size_t starts[] = {0};
  cudaMemcpyAttributes how{};
  EXPECT(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, starts, 1, stream) == cudaErrorInvalidValue);
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, starts, 1, stream));
  // A column of four bytes of four rows.
  cudaMemcpy3DBatchOp box{};
  box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
  box.src.op.ptr.ptr = device;
  box.src.op.ptr.rowLength = kPitch * sizeof(int);
  box.dst.op.ptr.ptr = back.data();
  box.extent = make_cudaExtent(sizeof(int), 4, 1);
  OK(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(back[0] == 32 && back[1] == 32 + kPitch && back[2] == 0 && back[3] == kPitch);
  cudaGetLastError();
}

inline unsigned long long of_pool(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long value = 0;
  OK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

// A pool keeps what is free up to its threshold, until it is trimmed.
inline void kept_memory() {
  cudaMemPoolProps what{};
  what.allocType = cudaMemAllocationTypePinned;
  what.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &what));
  unsigned long long threshold = 64 << 20;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void* memory = nullptr;
  OK(cudaMallocFromPoolAsync(&memory, 3 << 20, pool, nullptr));
  EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemCurrent) == 3 << 20);
  OK(cudaFreeAsync(memory, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(of_pool(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  const auto kept = of_pool(pool, cudaMemPoolAttrReservedMemCurrent);  // a pool grows by more than is asked of it
  EXPECT(kept >= 3 << 20 && of_pool(pool, cudaMemPoolAttrReservedMemHigh) == kept);
  OK(cudaMemPoolTrimTo(pool, 4096));
  EXPECT(of_pool(pool, cudaMemPoolAttrReservedMemCurrent) <= 4096);
  OK(cudaMemPoolDestroy(pool));
}

// What went wrong is in the log, and told to those who asked.
inline void logs() {
  int told = 0;
  cudaLogsCallbackHandle handle;
  cudaLogIterator begin = 0;
  OK(cudaLogsCurrent(&begin, 0));
  OK(cudaLogsRegisterCallback([](void* data, cudaLogLevel, char*, std::size_t) { ++*static_cast<int*>(data); }, &told,
                              &handle));
  EXPECT(cudaFree(&told) == cudaErrorInvalidValue);
  OK(cudaLogsUnregisterCallback(handle));
  EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice && told == 1);
  char text[256];
  std::size_t size = sizeof text;
  OK(cudaLogsDumpToMemory(&begin, text, &size, 0));
  EXPECT(std::string(text, size) == "[CUDA] cudaErrorInvalidValue\n[CUDA] cudaErrorInvalidDevice\n");
  size = sizeof text;
  OK(cudaLogsDumpToMemory(&begin, text, &size, 0));
  EXPECT(size == 0);
  cudaGetLastError();
}

// Over PCIe there are no atomics with the host, over NVLink there are with other GPUs.
inline void links() {
  const cudaAtomicOperation add = cudaAtomicOperationIntegerAdd;
  unsigned of_host = 1, of_peer = 0;
  OK(cudaDeviceGetHostAtomicCapabilities(&of_host, &add, 1, 0));
  OK(cudaDeviceGetP2PAtomicCapabilities(&of_peer, &add, 1, 0, 1));
  EXPECT(of_host == 0 && (of_peer & cudaAtomicCapabilityScalar64));
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool, of_device;
  OK(cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
  OK(cudaDeviceGetDefaultMemPool(&of_device, 0));
  EXPECT(pool == of_device);
}
