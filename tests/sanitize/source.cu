// Faults in lines that the test knows: each is marked with its name.
#include <cstdio>

__device__ __forceinline__ void put(int* at, int value) {
  at[0] = value;  // inlined
}

template <class T>
__global__ void behind(T* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= count) data[i] = T(i);  // off by one
}

__global__ void inlines(int* data) {
  put(data + 4096, 1);  // caller
}

__global__ void heap() {
  int* own = static_cast<int*>(malloc(64));
  own[threadIdx.x + 16] = 1;  // behind malloc
  free(own);
}

__global__ void frees_twice() {
  int* own = static_cast<int*>(malloc(64));
  free(own);
  free(own);  // freed before
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  behind<int><<<2, 64>>>(data, 64);  // launch
  cudaDeviceSynchronize();
  inlines<<<1, 1>>>(data);
  cudaDeviceSynchronize();
  heap<<<1, 1>>>();
  cudaDeviceSynchronize();
  frees_twice<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaMemcpy(data, nullptr, 4, cudaMemcpyHostToDevice);
  std::printf("end\n");
  return 0;
}
