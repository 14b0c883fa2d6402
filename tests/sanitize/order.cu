// Kernels and host code that need an order; `order NAME right` keeps it, `order NAME wrong` leaves one thing out.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int kThreads = 128;

// Adds all numbers of a block in shared memory.
__global__ void sum(const int* in, int* out, bool right) {
  __shared__ int part[kThreads];
  part[threadIdx.x] = in[threadIdx.x];
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (right) __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  // sum
  }
  if (threadIdx.x == 0) *out = part[0];
}

// The same by cuda::barrier.
__global__ void by_barrier(const int* in, int* out, bool right) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int part[kThreads];
  if (threadIdx.x == 0) init(&all, kThreads);
  __syncthreads();
  part[threadIdx.x] = in[threadIdx.x];
  if (right)
    all.arrive_and_wait();
  else
    (void)all.arrive();
  out[threadIdx.x] = part[kThreads - 1 - threadIdx.x];  // by barrier
}

// Copies that run beside the threads.
__global__ void by_pipeline(const int* in, int* out, bool right) {
  __shared__ int part[kThreads];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&part[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  if (right) pipe.consumer_wait();
  __syncthreads();
  out[threadIdx.x] = part[kThreads - 1 - threadIdx.x];  // pipeline
}

// Blocks hand numbers on by a flag.
__global__ void by_flag(int* data, unsigned* flag, bool right) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) ready.store(1, right ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    if (threadIdx.x == 0)
      while (ready.load(cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    data[kThreads + threadIdx.x] = data[threadIdx.x];  // flag
  }
}

// The last block adds what all have found.
__global__ void by_last_block(const int* in, volatile int* sums, unsigned* count, int* out, bool right) {
  __shared__ bool is_last;
  __shared__ typename cub::BlockReduce<int, kThreads>::TempStorage room;
  const int own = cub::BlockReduce<int, kThreads>(room).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = own;
    __threadfence();
    is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  if (right) __syncthreads();
  if (is_last && threadIdx.x == 0) {  // last block
    int all = 0;
    for (int k = 0; k < gridDim.x; ++k) all += sums[k];
    *out = all;
  }
}

__global__ void by_grid(int* data, bool right) {
  auto grid = cg::this_grid();
  data[grid.thread_rank()] = 1;
  if (right)
    grid.sync();
  else
    cg::this_thread_block().sync();
  const auto other = grid.size() - 1 - grid.thread_rank();
  data[grid.size() + grid.thread_rank()] = data[other];  // grid
}

// Lanes of a warp, in two groups.
__global__ void by_tile(int* out, bool right) {
  __shared__ int part[32];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  part[threadIdx.x] = threadIdx.x;
  if (right) tile.sync();
  out[threadIdx.x] = part[threadIdx.x ^ 15];  // tile
}

// CUB's reduction uses one room twice.
__global__ void by_room(const int* in, int* out, bool right) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Reduce::TempStorage room;
  const int first = Reduce(room).Sum(in[threadIdx.x]);
  if (right) __syncthreads();
  const int second = Reduce(room).Sum(2 * in[threadIdx.x] + 1);
  if (threadIdx.x == 0) *out = first + second;
}

// Threads take a lock before they add.
__global__ void by_lock(int* data, int* lock, bool right) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (right) __threadfence();
  ++*data;  // lock
  if (right) __threadfence();
  atomicExch(lock, 0);
}

__global__ void fill(int* data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void copy(int* to, const int* from) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  to[k] = from[k];  // copy
}

void by_events(int* data, bool right) {
  cudaStream_t one, two;
  cudaEvent_t done;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  fill<<<2, kThreads, 0, one>>>(data, 5);
  cudaEventRecord(done, one);
  if (right) cudaStreamWaitEvent(two, done, 0);
  copy<<<2, kThreads, 0, two>>>(data + 1024, data);
}

void by_streams(int* data, bool right) {
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, right ? cudaStreamDefault : cudaStreamNonBlocking);
  fill<<<2, kThreads>>>(data, 5);
  copy<<<2, kThreads, 0, other>>>(data + 1024, data);
}

void by_host(int* data, bool right) {
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  fill<<<2, kThreads, 0, one>>>(data, 5);
  cudaStreamSynchronize(right ? one : two);
  copy<<<2, kThreads, 0, two>>>(data + 1024, data);
}

void by_graph(int* data, bool right) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int value = 5;
  int* to = data + 1024;
  void *of_fill[] = {&data, &value}, *of_copy[] = {&to, &data};
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(fill);
  node.gridDim = dim3(2);
  node.blockDim = dim3(kThreads);
  node.kernelParams = of_fill;
  cudaGraphNode_t first, second;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
  node.func = reinterpret_cast<void*>(copy);
  node.kernelParams = of_copy;
  cudaGraphAddKernelNode(&second, graph, &first, right ? 1 : 0, &node);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(ready, nullptr);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool right = std::strcmp(argv[2], "right") == 0;
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  int* data = nullptr;
  cudaMalloc(&data, 4096 * sizeof(int));
  cudaMemset(data, 0, 4096 * sizeof(int));
  cudaDeviceSynchronize();
  int* const out = data + 2048;
  auto* const word = reinterpret_cast<unsigned*>(data + 4000);
  void* arguments[] = {&data, const_cast<bool*>(&right)};
  if (is("sum")) sum<<<1, kThreads>>>(data, out, right);
  if (is("barrier")) by_barrier<<<1, kThreads>>>(data, out, right);
  if (is("pipeline")) by_pipeline<<<1, kThreads>>>(data, out, right);
  if (is("flag")) by_flag<<<2, kThreads>>>(data, word, right);
  if (is("last_block")) by_last_block<<<8, kThreads>>>(data, out, word, out + 512, right);
  if (is("grid"))
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(by_grid), dim3(4), dim3(kThreads), arguments, 0, 0);
  if (is("tile")) by_tile<<<1, 32>>>(out, right);
  if (is("room")) by_room<<<1, kThreads>>>(data, out, right);
  if (is("lock")) by_lock<<<4, kThreads>>>(data, data + 4000, right);
  if (is("events")) by_events(data, right);
  if (is("streams")) by_streams(data, right);
  if (is("host")) by_host(data, right);
  if (is("graph")) by_graph(data, right);
  std::printf("result %d\n", static_cast<int>(cudaDeviceSynchronize()));
  return 0;
}
