// Clusters, bulk copies and matrices as CUDA's own headers write them; `hopper NAME right` keeps the order, `hopper
// NAME wrong` leaves one thing out.
#include <cooperative_groups.h>
#include <mma.h>

#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kThreads = 128;

// The blocks of a cluster add to the bins of each other.
__global__ void __cluster_dims__(2) histogram(const int* in, int* out, bool right) {
  __shared__ int bins[kThreads];
  auto cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  const int value = in[blockIdx.x * kThreads + threadIdx.x] % (2 * kThreads);
  atomicAdd(cluster.map_shared_rank(bins, value / kThreads) + value % kThreads, 1);
  if (right) cluster.sync();
  out[blockIdx.x * kThreads + threadIdx.x] = bins[threadIdx.x];  // histogram
  cluster.sync();
}

// A block reads what its neighbour has written.
__global__ void __cluster_dims__(2) exchange(int* out, bool right) {
  __shared__ int own[kThreads];
  auto cluster = cg::this_cluster();
  own[threadIdx.x] = threadIdx.x;
  if (right)
    cluster.sync();
  else
    __syncthreads();
  const int* const other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
  out[blockIdx.x * kThreads + threadIdx.x] = other[kThreads - 1 - threadIdx.x];  // exchange
  cluster.sync();
}

// A row comes by a bulk copy, is changed, and leaves by another one.
__global__ void bulk(int* data, bool right) {
  __shared__ alignas(128) int row[kThreads];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) {
    init(&arrived, kThreads);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  for (int turn = 0; turn < 2; ++turn) {
    int* const place = data + turn * kThreads;
    if (threadIdx.x == 0) cuda::device::memcpy_async_tx(row, place, cuda::aligned_size_t<16>(sizeof row), arrived);
    auto token = threadIdx.x == 0 ? cuda::device::barrier_arrive_tx(arrived, 1, sizeof row) : arrived.arrive();
    arrived.wait(std::move(token));
    row[threadIdx.x] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, place, row, sizeof row);
      ptx::cp_async_bulk_commit_group();
      if (right) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
}

// Each warp multiplies a tile that another one has loaded.
__global__ void product(const half* in, float* out, bool right) {
  using namespace nvcuda::wmma;
  __shared__ half tiles[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int k = lane; k < 256; k += 32) tiles[warp][k] = in[warp * 256 + k];
  if (right) __syncthreads();
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
  load_matrix_sync(a, tiles[warp ^ 1], 16);  // product
  load_matrix_sync(b, tiles[warp], 16);
  mma_sync(sums, a, b, sums);
  store_matrix_sync(out + warp * 256, sums, 16, mem_row_major);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  const bool right = std::strcmp(argv[2], "right") == 0;
  int *data, *out;
  cudaMalloc(&data, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(data, 0, 4096);
  if (is("histogram")) histogram<<<2, kThreads>>>(data, out, right);
  if (is("exchange")) exchange<<<2, kThreads>>>(out, right);
  if (is("bulk")) bulk<<<1, kThreads>>>(data, right);
  if (is("product")) product<<<1, kThreads>>>(reinterpret_cast<half*>(data), reinterpret_cast<float*>(out), right);
  std::printf("result %d\n", cudaDeviceSynchronize());
}
