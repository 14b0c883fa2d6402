// What goes wrong in kernels and launches: the right error, and no more than that.
#include <sys/wait.h>
#include <unistd.h>

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

// A kernel that fails, in a process of its own.
template <class Launch>
static void ends_with(cudaError_t error, Launch launch) {
  const pid_t child = fork();
  if (child == 0) {
    int* memory = nullptr;
    OK(cudaMalloc(&memory, 1000));
    launch(memory);
    EXPECT(cudaDeviceSynchronize() == error);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  ends_with(cudaErrorIllegalAddress, [](int*) { write<<<1, 1>>>(nullptr, 0); });
  ends_with(cudaErrorIllegalAddress, [](int*) { write_shared<<<1, 1, 64>>>(15000); });
  ends_with(cudaErrorMisalignedAddress, [](int* memory) { misaligned<<<1, 1>>>(reinterpret_cast<char*>(memory)); });
  ends_with(cudaErrorLaunchFailure, [](int*) { trap<<<1, 32>>>(); });
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
  void* too_much = nullptr;
  EXPECT(cudaMalloc(&too_much, std::size_t{1} << 42) == cudaErrorMemoryAllocation);
  EXPECT(std::strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorMemoryAllocation") == 0);

  write<<<1, 1>>>(memory, 1 << 28);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  // The GPU is of no more use to the process.
  EXPECT(cudaMalloc(&memory, 16) == cudaErrorIllegalAddress);
  EXPECT(cudaFree(memory) == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  EXPECT(cudaMalloc(&memory, 16) == cudaErrorDevicesUnavailable);
  std::puts("all is well");
}
