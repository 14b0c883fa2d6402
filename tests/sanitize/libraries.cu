// Algorithms of CUB, cooperative groups, semaphores, latches and pipelines: their own synchronization is no race.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

namespace cg = cooperative_groups;
using Latch = cuda::latch<cuda::thread_scope_block>;
using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

constexpr int kCount = 100000;

__global__ void groups(int* out) {
  __shared__ int part[8];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = sum;
  block.sync();
  const int before = cg::inclusive_scan(tile, 1);
  if (tile.meta_group_rank() == 0 && tile.thread_rank() < 8) sum = part[tile.thread_rank()];
  out[threadIdx.x] = sum + before + cg::reduce(cg::coalesced_threads(), 1, cg::plus<int>());
}

__global__ void latches(int* out) {
  __shared__ alignas(Latch) char room[sizeof(Latch)];
  __shared__ int part[128];
  auto* const latch = reinterpret_cast<Latch*>(room);
  if (threadIdx.x == 0) new (room) Latch(128);
  __syncthreads();
  part[threadIdx.x] = threadIdx.x;
  latch->arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = part[127 - threadIdx.x];
}

__global__ void stages(const int* in, int* out) {
  constexpr int kStages = 2, kRounds = 5;
  __shared__ int part[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int next = 0, k = 0; k < kRounds; ++k) {
    for (; next < kRounds && next < k + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, part[next % kStages], in + next * 128, sizeof part[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[k * 128 + threadIdx.x] = part[k % kStages][127 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void make(Semaphore* semaphore) { new (semaphore) Semaphore(1); }
__global__ void semaphores(int* data, Semaphore* semaphore) {
  if (threadIdx.x != 0) return;
  semaphore->acquire();
  ++*data;
  semaphore->release();
}

template <class Call>
void with_room(Call call) {
  void* room = nullptr;
  std::size_t size = 0;
  call(room, size);
  cudaMalloc(&room, size);
  call(room, size);
}

int main() {
  int *a, *b, *c, *d;
  for (auto* const memory : {&a, &b, &c, &d}) {
    cudaMalloc(memory, kCount * sizeof(int));
    cudaMemset(*memory, 1, kCount * sizeof(int));
  }
  with_room([&](void* room, std::size_t& size) { cub::DeviceScan::InclusiveSum(room, size, a, b, kCount); });
  with_room([&](void* room, std::size_t& size) { cub::DeviceRadixSort::SortPairs(room, size, b, a, c, d, kCount); });
  with_room([&](void* room, std::size_t& size) { cub::DeviceReduce::Sum(room, size, a, b, kCount); });
  with_room([&](void* room, std::size_t& size) { cub::DeviceSelect::Unique(room, size, a, b, c, kCount); });
  with_room(
      [&](void* room, std::size_t& size) { cub::DeviceHistogram::HistogramEven(room, size, a, b, 65, 0, 64, kCount); });
  groups<<<4, 256>>>(a);
  latches<<<2, 128>>>(b);
  stages<<<1, 128>>>(a, b);
  auto* const semaphore = reinterpret_cast<Semaphore*>(c);
  make<<<1, 1>>>(semaphore);
  semaphores<<<8, 32>>>(d, semaphore);
  int sum = 0;
  cudaMemcpy(&sum, d, sizeof sum, cudaMemcpyDeviceToHost);
  std::printf("result %d\n", static_cast<int>(cudaGetLastError()));
  return 0;
}
