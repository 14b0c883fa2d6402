// The first program that everybody writes, and what is around it: devices, properties, streams, events.
#include <cstring>
#include <thread>
#include <vector>

#include "check.hpp"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void call(void* flag) { *static_cast<bool*>(flag) = true; }

__global__ void pass(const volatile int* gate, volatile int* out) {
  while (*gate == 0) {
  }
  *out = 42;
}

// Kernels that run while the host goes on, until it opens their gate.
void beside_the_host() {
  int *words = nullptr, *device = nullptr, value = 1;
  OK(cudaMallocHost(&words, 4 * sizeof *words));
  for (int i = 0; i < 4; ++i) words[i] = 0;
  auto* const gates = static_cast<volatile int*>(words);
  OK(cudaMalloc(&device, sizeof *device));
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  pass<<<1, 1, 0, stream>>>(words, words + 1);
  EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaSuccess);
  OK(cudaMemset(device, 0, sizeof *device));  // the default stream does not wait for it
  OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 0 && gates[1] == 0);
  gates[0] = 1;
  OK(cudaStreamSynchronize(stream));
  EXPECT(gates[1] == 42);
  OK(cudaStreamDestroy(stream));

  pass<<<1, 1>>>(words + 2, words + 3);
  EXPECT(cudaStreamQuery(0) == cudaErrorNotReady);
  int current = -1;
  OK(cudaGetDevice(&current));
  std::thread([&] {
    OK(cudaSetDevice(current));
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    EXPECT(cudaStreamQuery(0) == cudaSuccess);
    int other = 1;
    OK(cudaMemcpy(&other, device, sizeof other, cudaMemcpyDeviceToHost));
    EXPECT(other == 0);
#else
    EXPECT(cudaStreamQuery(0) == cudaErrorNotReady);
#endif
    gates[2] = 1;
  }).join();
  OK(cudaDeviceSynchronize());
  EXPECT(gates[3] == 42);
  OK(cudaFree(device));
  OK(cudaFreeHost(words));
}

// Makes the last device current and returns its properties.
cudaDeviceProp check_device() {
  int devices = 0, current = -1, driver = 0, runtime = 0;
  OK(cudaGetDeviceCount(&devices));
  EXPECT(devices == 8);
  OK(cudaSetDevice(devices - 1));
  OK(cudaGetDevice(&current));
  EXPECT(current == devices - 1);
  OK(cudaDriverGetVersion(&driver));
  OK(cudaRuntimeGetVersion(&runtime));
  EXPECT(driver >= 12000 && runtime / 1000 == CUDART_VERSION / 1000);
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, current));
  EXPECT(std::strstr(properties.name, "H100") && properties.major == 9 && properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerBlock == 1024 && properties.multiProcessorCount == 132 &&
         properties.maxGridSize[1] == 65535);
  EXPECT(properties.sharedMemPerBlockOptin == 227 * 1024 && properties.unifiedAddressing == 1 &&
         properties.cooperativeLaunch == 1);
  EXPECT(properties.maxBlocksPerMultiProcessor == 32 && properties.regsPerMultiprocessor == 65536);
  return properties;
}

constexpr int kCount = 100001;

// Adds two vectors in a stream of its own; the vectors stay on the device.
void check_stream(const cudaDeviceProp& properties, float* (&device)[3]) {
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (int i = 0; i < kCount; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(2 * i);
  std::size_t before = 0, after = 0, total = 0;
  OK(cudaMemGetInfo(&before, &total));
  for (auto& d : device) OK(cudaMalloc(&d, kCount * sizeof(float)));
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(before - after >= 3 * kCount * sizeof(float) && total <= properties.totalGlobalMem);
  cudaStream_t stream;
  cudaEvent_t start, end;
  OK(cudaStreamCreate(&stream));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaMemcpyAsync(device[0], a.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyAsync(device[1], b.data(), kCount * sizeof(float), cudaMemcpyDefault, stream));
  OK(cudaEventRecord(start, stream));
  add<<<(kCount + 255) / 256, 256, 0, stream>>>(device[0], device[1], device[2], kCount);
  OK(cudaGetLastError());
  OK(cudaEventRecord(end, stream));
  bool called = false;
  OK(cudaLaunchHostFunc(stream, call, &called));
  OK(cudaMemcpyAsync(c.data(), device[2], kCount * sizeof(float), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, start, end));
  EXPECT(called && ms > 0);
  for (int i = 0; i < kCount; ++i) EXPECT(c[i] == static_cast<float>(i) + static_cast<float>(2 * i));
  OK(cudaStreamDestroy(stream));
}

void check_attributes(int current, float* vector) {
  float* managed = nullptr;
  OK(cudaMallocManaged(&managed, 64 * sizeof(float)));
  for (int i = 0; i < 64; ++i) managed[i] = static_cast<float>(i);
  add<<<1, 64>>>(managed, managed, managed, 64);
  OK(cudaDeviceSynchronize());
  EXPECT(managed[63] == 126);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, vector));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == current);
  OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  cudaFuncAttributes function;
  OK(cudaFuncGetAttributes(&function, add));
  EXPECT(function.maxThreadsPerBlock == 1024 && function.sharedSizeBytes == 0);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  EXPECT(blocks == 8);
  EXPECT(cudaMemcpy(vector, vector, kCount * sizeof(float), static_cast<cudaMemcpyKind>(9)) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection && cudaGetLastError() == cudaSuccess);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
}

int main() {
  const auto properties = check_device();
  int current = -1;
  OK(cudaGetDevice(&current));
  float* device[3];
  check_stream(properties, device);
  check_attributes(current, device[0]);
  for (auto* d : device) OK(cudaFree(d));
  beside_the_host();
  std::puts("all is well");
}
