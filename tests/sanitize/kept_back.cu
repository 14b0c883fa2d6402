// Faults that were written after the checks, to see what these find: `kept_back NAME right` or `wrong`.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void transpose(const float* in, float* out, bool right) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  if (right) __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

__global__ void smooth(float* data, int steps, bool right) {
  __shared__ float row[130];
  row[threadIdx.x + 1] = data[threadIdx.x];
  if (threadIdx.x < 2) row[threadIdx.x * 129] = 0;
  for (int k = 0; k < steps; ++k) {
    __syncthreads();
    const float mean = (row[threadIdx.x] + row[threadIdx.x + 1] + row[threadIdx.x + 2]) / 3;
    if (right) __syncthreads();
    row[threadIdx.x + 1] = mean;
  }
  data[threadIdx.x] = row[threadIdx.x + 1];
}

__global__ void histogram(const int* in, int* out, bool right) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  if (right) __syncthreads();
  atomicAdd(&bins[(in[threadIdx.x] + threadIdx.x * 7) % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void shuffle(int* out, int count, bool right) {
  int value = threadIdx.x;
  if (threadIdx.x < count) value += __shfl_xor_sync(right ? 0xFFu : ~0u, value, 1);
  out[threadIdx.x] = value;
  __syncwarp();
}

__global__ void group_sync(int* out, bool right) {
  auto block = cg::this_thread_block();
  if (right || threadIdx.x < 64) block.sync();
  out[threadIdx.x] = 1;
}

__global__ void barrier_init(int* out, bool right) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0) init(&all, blockDim.x);
  if (right) __syncthreads();
  all.arrive_and_wait();
  out[threadIdx.x] = 1;
}

__global__ void stages(const int* in, int* out, bool right) {
  __shared__ int part[2][128];
  int sum = 0;
  __pipeline_memcpy_async(&part[0][threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  for (int k = 1; k <= 4; ++k) {
    if (k < 4) {
      __pipeline_memcpy_async(&part[k % 2][threadIdx.x], &in[k * 128 + threadIdx.x], 4);
      __pipeline_commit();
    }
    if (k < 4 || !right)
      __pipeline_wait_prior(1);
    else
      __pipeline_wait_prior(0);
    __syncthreads();
    sum += part[(k - 1) % 2][127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void scoped(int* data, unsigned* lock, bool right) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> of_device(*lock);
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> of_block(*lock);
  if (right) {
    while (of_device.exchange(1, cuda::memory_order_acquire) != 0) {
    }
    ++*data;
    of_device.store(0, cuda::memory_order_release);
  } else {
    while (of_block.exchange(1, cuda::memory_order_acquire) != 0) {
    }
    ++*data;
    of_block.store(0, cuda::memory_order_release);
  }
}

__global__ void waits(unsigned* flag, bool right) {
  if (blockIdx.x == 0 && right) atomicExch(flag, 1u);
  if (blockIdx.x == 1)
    while (*static_cast<volatile unsigned*>(flag) == 0) {
    }
}

__global__ void last_warp(const int* in, int* out, bool right) {
  __shared__ volatile int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  part[threadIdx.x + 32] = in[threadIdx.x + 32];
  for (int half = 32; half > 0; half /= 2) {
    const int other = part[threadIdx.x + half % 64];
    if (right) __syncwarp();
    part[threadIdx.x] += other;
    if (right) __syncwarp();
  }
  if (threadIdx.x == 0) *out = part[0];
}

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool right = std::strcmp(argv[2], "right") == 0;
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  int* data = nullptr;
  cudaMalloc(&data, 8192 * sizeof(int));
  cudaMemset(data, 0, 8192 * sizeof(int));
  cudaDeviceSynchronize();
  int* const out = data + 4096;
  auto* const word = reinterpret_cast<unsigned*>(data + 8000);
  auto* const real = reinterpret_cast<float*>(data);
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  if (is("transpose")) transpose<<<1, dim3(32, 8)>>>(real, real + 4096, right);
  if (is("smooth")) smooth<<<1, 128>>>(real, 5, right);
  if (is("histogram")) histogram<<<4, 256>>>(data, out, right);
  if (is("shuffle")) shuffle<<<1, 32>>>(out, 8, right);
  if (is("group_sync")) group_sync<<<1, 128>>>(out, right);
  if (is("barrier_init")) barrier_init<<<1, 128>>>(out, right);
  if (is("stages")) stages<<<1, 128>>>(data, out, right);
  if (is("scoped")) scoped<<<8, 32>>>(data, word, right);
  if (is("waits")) waits<<<2, 1>>>(word, right);
  if (is("last_warp")) last_warp<<<1, 32>>>(data, out, right);
  if (is("copy_in_another_stream")) {
    cudaDeviceSynchronize();
    fill<<<1, 128, 0, one>>>(data, 5);
    cudaMemcpyAsync(out, data, 512, cudaMemcpyDeviceToDevice, right ? one : two);
  }
  if (is("captured_fork")) {
    cudaDeviceSynchronize();
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork, 0);
    fill<<<1, 128, 0, one>>>(data, 5);
    fill<<<1, 128, 0, right ? one : two>>>(data, 6);
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join, 0);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, one);
  }
  std::printf("result %d\n", static_cast<int>(cudaDeviceSynchronize()));
  return 0;
}
