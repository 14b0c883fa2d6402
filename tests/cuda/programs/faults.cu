// What goes wrong in kernels and launches: the right error, and no more than that.
#include <cstring>

#include "check.hpp"

__global__ void write(int* where, long offset) { where[offset] = 1; }
__global__ void write_shared(int offset) {
  extern __shared__ int memory[];
  memory[offset] = 1;
  if (memory[offset] == 2) printf("never\n");
}
__global__ void misaligned(char* where) { *reinterpret_cast<int*>(where + 2) = 1; }
__global__ void trap() { __trap(); }
__global__ void __launch_bounds__(64) small() {}

int main() {
  int* memory = nullptr;
  OK(cudaMalloc(&memory, 1000));
  small<<<1, 2048>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  small<<<1, 128>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  small<<<0, 1>>>();
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  write_shared<<<1, 1, 1 << 20>>>(0);
  EXPECT(cudaGetLastError() != cudaSuccess);
  small<<<1, 64>>>();
  OK(cudaDeviceSynchronize());

  write<<<1, 1>>>(memory, 249);
  OK(cudaDeviceSynchronize());
  write<<<1, 1>>>(memory, 1 << 20);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  // The context is of no more use, until it is made anew.
  EXPECT(cudaMalloc(&memory, 16) == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  int host = 0;
  write<<<1, 1>>>(&host, 0);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress && host == 0);
  OK(cudaDeviceReset());
  write<<<1, 1>>>(nullptr, 0);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  write_shared<<<1, 1, 64>>>(1 << 16);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  OK(cudaMalloc(&memory, 1000));
  misaligned<<<1, 1>>>(reinterpret_cast<char*>(memory));
  EXPECT(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  OK(cudaDeviceReset());
  trap<<<1, 32>>>();
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  OK(cudaDeviceReset());
  OK(cudaMalloc(&memory, 1000));
  void* too_much = nullptr;
  EXPECT(cudaMalloc(&too_much, std::size_t{1} << 42) == cudaErrorMemoryAllocation);
  EXPECT(std::strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorMemoryAllocation") == 0);
  std::puts("all is well");
}
