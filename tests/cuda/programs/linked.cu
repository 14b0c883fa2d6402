// Two files that are linked on the device (-rdc=true), and kernels that launch kernels.
#include <cooperative_groups.h>

#include <cstdint>
#include <cstring>

#include "check.hpp"
#include "linked.hpp"

static __device__ __noinline__ int helper(int x) { return x + 1000; }
__device__ int own = 7;

__global__ void across(int* out) {
  const int t = threadIdx.x;
  alignas(8) char place[sizeof(Part)];
  atomicAdd(&hits, 1);
  out[t] = scaled(t);
  out[32 + t] = chosen(t) + helper(t);
  out[64 + t] = part_of(t, place)->value();
  out[96 + t] = one_more(t) * factor + own;
}

__global__ void launches(int* out) {
  if (threadIdx.x != 0) return;
  mark<<<1, 32>>>(out, 10, 2.5);
#if __CUDACC_VER_MAJOR__ >= 12
  mark<<<1, 8, 0, cudaStreamTailLaunch>>>(out, 500, 0.0);
  mark<<<1, 4, 0, cudaStreamFireAndForget>>>(out + 32, 200, 0.0);
#else
  cudaDeviceSynchronize();
  out[0] += 1000;
  mark<<<1, 4>>>(out + 32, 200, 0.0);
#endif
  cudaStream_t stream;
  out[48] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  mark<<<1, 2, 0, stream>>>(out + 36, 300, 1.0);
  cudaMemcpyAsync(out + 40, out + 36, 8, cudaMemcpyDeviceToDevice, stream);
  cudaMemsetAsync(out + 42, 1, 8, stream);
  out[49] = cudaStreamDestroy(stream);
  mark<<<1, 2048>>>(out, 0, 0.0);  // too many threads
  out[50] = cudaPeekAtLastError();
  out[51] = cudaGetLastError();
  out[52] = cudaGetLastError();
  const char* const name = cudaGetErrorName(cudaErrorInvalidValue);
  out[53] = name[0] == 'c' && name[9] == 'I' && name[21] == '\0';
  cudaGetDevice(&out[54]);
  cudaDeviceGetAttribute(&out[55], cudaDevAttrMaxThreadsPerBlock, 0);
  void* memory = nullptr;
  out[56] = cudaMalloc(&memory, 64) != cudaSuccess || memory == nullptr;
  cudaFree(memory);
}

// Of a kernel on several GPUs; CUDA 13 has no such launch.
#if CUDART_VERSION < 13000
__global__ void meets(int* come, int* out) {
  const auto all = cooperative_groups::this_multi_grid();
  for (int turn = 1; turn < 3; ++turn) {
    if (threadIdx.x == 0) atomicAdd_system(come, 1);
    all.sync();
    const bool is_right = all.is_valid() && all.num_grids() == 2 && all.size() == 384 && *come == 6 * turn;
    if (is_right) atomicAdd_system(&out[all.thread_rank()], static_cast<int>(all.grid_rank()) + 1);
    all.sync();
  }
}

void check_meeting() {
  int* come = nullptr;
  OK(cudaMallocManaged(&come, 4096));
  std::memset(come, 0, 4096);
  int* out = come + 1;
  void* arguments[] = {&come, &out};
  cudaLaunchParams launches[2];
  for (int i = 0; i < 2; ++i) {
    OK(cudaSetDevice(i));
    launches[i] = {reinterpret_cast<void*>(meets), dim3(3), dim3(64), arguments, 0, nullptr};
    OK(cudaStreamCreate(&launches[i].stream));
  }
  OK(cudaLaunchCooperativeKernelMultiDevice(launches, 2, 0));
  for (const auto& launch : launches) OK(cudaStreamSynchronize(launch.stream));
  OK(cudaSetDevice(0));
  for (int i = 0; i < 384; ++i) EXPECT(out[i] == (i < 192 ? 2 : 4));
}
#else
void check_meeting() {}
#endif

int main() {
  constexpr int kCount = 256;
  int* out;
  int h[kCount];
  const auto read = [&] { OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost)); };
  OK(cudaMalloc(&out, sizeof h));
  OK(cudaMemset(out, 0, sizeof h));  // kernels write a part, and all of it is read
  across<<<1, 32>>>(out);
  read();
  for (int t = 0; t < 32; ++t) {
    EXPECT(h[t] == (t + 1) * 3);
    EXPECT(h[32 + t] == (t + 1) * 3 + t + 1000);
    EXPECT(h[64 + t] == (t % 2 ? -t : 10 * t));
    EXPECT(h[96 + t] == (t + 1) * 3 + 7);
  }
  int count = 0, six = 6;
  OK(cudaMemcpyFromSymbol(&count, hits, sizeof count));
  EXPECT(count == 132);
  OK(cudaMemcpyToSymbol(factor, &six, sizeof six));
  across<<<1, 32>>>(out);
  read();
  EXPECT(h[4] == 30 && h[36] == 1034);

  fill<int><<<1, 32, 32 * sizeof(int)>>>(out, 1);
  host_part(out + 32);
  read();
  EXPECT(h[0] == 33 && h[31] == 2 && h[32] == 37 && h[63] == 6);

  OK(cudaMemset(out, 0, sizeof h));
  launches<<<1, 32>>>(out);
  OK(cudaDeviceSynchronize());
  read();
#if __CUDACC_VER_MAJOR__ >= 12
  EXPECT(h[0] == 500 && h[7] == 507 && h[8] == 20);
#else
  EXPECT(h[0] == 1012 && h[7] == 19 && h[8] == 20);
#endif
  EXPECT(h[32] == 200 && h[35] == 203 && h[36] == 301 && h[37] == 302);
  EXPECT(h[40] == 301 && h[41] == 302 && h[42] == 0x01010101);
  EXPECT(h[48] == 0 && h[49] == 0 && h[50] == cudaErrorInvalidConfiguration && h[51] == h[50] && h[52] == 0);
  EXPECT(h[53] == 1 && h[54] == 0 && h[55] == 1024 && h[56] == 0);

  OK(cudaMemset(out, 0, sizeof h));
  nested<<<2, 32>>>(out, 5);
  OK(cudaDeviceSynchronize());
  read();
  EXPECT(h[0] == 10 && h[1] == 0 && h[2] == 2 && h[5] == 5);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, mark));
  EXPECT(attributes.maxThreadsPerBlock == 1024);
  check_meeting();
  std::puts("all is well");
}
