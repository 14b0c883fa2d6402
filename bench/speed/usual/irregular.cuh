// Kernels in which data decide about addresses and ways, and the scans and sorts of a block.
#pragma once
#include "joins.cuh"

namespace usual {

// The steps of Hillis and Steele in shared memory.
__global__ void scan_by_steps(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[2][256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 0;
  sums[0][threadIdx.x] = in[i];
  for (int distance = 1; distance < blockDim.x; distance *= 2, at ^= 1) {
    __syncthreads();
    unsigned sum = sums[at][threadIdx.x];
    if (threadIdx.x >= distance) sum += sums[at][threadIdx.x - distance];
    sums[at ^ 1][threadIdx.x] = sum;
  }
  out[i] = sums[at][threadIdx.x];
}

__device__ unsigned scan_of_warp(unsigned sum) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned before = __shfl_up_sync(0xFFFFFFFF, sum, distance);
    if (threadIdx.x % 32 >= distance) sum += before;
  }
  return sum;
}

__global__ void scan_by_shuffles(const unsigned* in, unsigned* out) {
  __shared__ unsigned of_warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  unsigned sum = scan_of_warp(in[i]);
  if (threadIdx.x % 32 == 31) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) of_warps[threadIdx.x] = scan_of_warp(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0);
  __syncthreads();
  if (warp > 0) sum += of_warps[warp - 1];
  out[i] = sum;
}

__global__ void bitonic_sort(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[1024];
  const int i = threadIdx.x, begin = blockIdx.x * blockDim.x;
  keys[i] = in[begin + i];
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int other = i ^ distance;
      if (other > i && (keys[i] > keys[other]) == ((i & size) == 0)) {
        const unsigned key = keys[i];
        keys[i] = keys[other], keys[other] = key;
      }
    }
  __syncthreads();
  out[begin + i] = keys[i];
}

__global__ void sparse_by_threads(const int* begins, const int* columns, const float* values, const float* vector,
                                  float* out, int rows) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= rows) return;
  float sum = 0;
  for (int i = begins[y]; i < begins[y + 1]; ++i) sum += values[i] * vector[columns[i]];
  out[y] = sum;
}

__global__ void sparse_by_warps(const int* begins, const int* columns, const float* values, const float* vector,
                                float* out, int rows) {
  const int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (y >= rows) return;
  float sum = 0;
  for (int i = begins[y] + lane; i < begins[y + 1]; i += 32) sum += values[i] * vector[columns[i]];
  sum = of_warp(sum, Plus());
  if (lane == 0) out[y] = sum;
}

__global__ void insert(const unsigned* keys, int n, unsigned* table, unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned place = keys[i] * 2654435761u % size;; place = (place + 1) % size) {
    const unsigned before = atomicCAS(&table[place], 0u, keys[i]);
    if (before == 0 || before == keys[i]) return;
  }
}

__global__ void occurrences(const char* text, int n, const char* word, int length, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + length > n) return;
  for (int k = 0; k < length; ++k)
    if (text[i + k] != word[k]) return;
  atomicAdd(count, 1);
}

__global__ void mandelbrot(int* steps, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float a = -2.0f + 3.0f * x / n, b = -1.5f + 3.0f * y / n;
  float u = 0, v = 0;
  int step = 0;
  while (step < 256 && u * u + v * v < 4) {
    const float next = u * u - v * v + a;
    v = 2 * u * v + b;
    u = next;
    ++step;
  }
  steps[y * n + x] = step;
}

__global__ void collatz(int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int step = 0;
  for (unsigned long long k = i + 1; k != 1; ++step) k = k % 2 ? 3 * k + 1 : k / 2;
  steps[i] = step;
}

// A step of a search in a graph, from the nodes of one level to those of the next.
__global__ void next_level(const int* begins, const int* targets, int* level, int nodes, int now, int* found) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] != now) return;
  for (int i = begins[node]; i < begins[node + 1]; ++i)
    if (level[targets[i]] < 0) {
      level[targets[i]] = now + 1;
      *found = 1;
    }
}

__global__ void scatter(const int* where, const float* what, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[where[i]], what[i]);
}

__global__ void inside_circle(int points, int rounds, int* inside) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  unsigned state = 2654435761u * (i + 1);
  int mine = 0;
  for (int round = 0; round < rounds; ++round) {
    float at[2];
    for (float& side : at) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      side = (state >> 8) * (1.0f / 16777216);
    }
    mine += at[0] * at[0] + at[1] * at[1] < 1;
  }
  atomicAdd(inside, mine);
}

__device__ __noinline__ float next_of(float x, int k) { return 0.5f * x + (float)(k % 7); }

__global__ void calls(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < 32; ++k) x = next_of(x, k);
  out[i] = x;
}

__global__ void nearest(const float4* points, const float4* centers, int* nearest, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = points[i];
  float least = INFINITY;
  for (int k = 0; k < count; ++k) {
    const float4 c = centers[k];
    const float x = p.x - c.x, y = p.y - c.y, z = p.z - c.z, w = p.w - c.w;
    const float distance = x * x + y * y + z * z + w * w;
    if (distance < least) least = distance, nearest[i] = k;
  }
}

}  // namespace usual
