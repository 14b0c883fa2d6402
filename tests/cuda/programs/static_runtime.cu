// A program with NVIDIA's static runtime, which does not work with our driver, and which looks at no error: it comes to
// its end, in every thread.
#include <cstdio>
#include <thread>
#include <vector>

__constant__ int factor;
__global__ void fill(int* out) { out[threadIdx.x] = factor; }

int main() {
  std::vector<int> succeeded(4);
  const auto work = [&](int me) {
    int device = 0, host[32];
    int* memory = nullptr;
    cudaStream_t stream = nullptr;
    succeeded[me] += cudaGetDeviceCount(&device) == cudaSuccess;
    succeeded[me] += cudaMalloc(&memory, sizeof host) == cudaSuccess;
    succeeded[me] += cudaStreamCreate(&stream) == cudaSuccess;
    succeeded[me] += cudaMemcpyToSymbol(factor, &me, sizeof me) == cudaSuccess;
    fill<<<1, 32, 0, stream>>>(memory);
    succeeded[me] += cudaDeviceSynchronize() == cudaSuccess;
    succeeded[me] += cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
    succeeded[me] += cudaFree(memory) == cudaSuccess;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  std::printf("ended, and %d calls worked\n", succeeded[0] + succeeded[1] + succeeded[2] + succeeded[3]);
  return 0;
}
