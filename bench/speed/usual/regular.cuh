// Kernels over rows and squares, whose addresses follow from the threads' numbers.
#pragma once
#include <cuda_fp16.h>
#include <mma.h>

#include "joins.cuh"

namespace usual {

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A warp for each row.
__global__ void row_sums(const float* matrix, const float* vector, float* out, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int x = lane; x < n; x += 32) sum += matrix[row * n + x] * vector[x];
  sum = of_warp(sum, Plus());
  if (lane == 0) out[row] = sum;
}

// A tree in shared memory, as NVIDIA's samples have it.
__global__ void dot(const float* a, const float* b, float* out, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}

__global__ void softmax(const float* in, float* out, int columns) {
  in += blockIdx.x * columns, out += blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int x = threadIdx.x; x < columns; x += blockDim.x) most = fmaxf(most, in[x]);
  most = of_block(most, Larger());
  for (int x = threadIdx.x; x < columns; x += blockDim.x) sum += expf(in[x] - most);
  sum = of_block(sum, Plus());
  for (int x = threadIdx.x; x < columns; x += blockDim.x) out[x] = expf(in[x] - most) / sum;
}

__global__ void layer_norm(const float* in, float* out, int columns) {
  in += blockIdx.x * columns, out += blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int x = threadIdx.x; x < columns; x += blockDim.x) sum += in[x];
  const float mean = of_block(sum, Plus()) / columns;
  for (int x = threadIdx.x; x < columns; x += blockDim.x) squares += (in[x] - mean) * (in[x] - mean);
  const float scale = rsqrtf(of_block(squares, Plus()) / columns + 1e-5f);
  for (int x = threadIdx.x; x < columns; x += blockDim.x) out[x] = (in[x] - mean) * scale;
}

__global__ void gelu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// Structures in an array: lanes read each third float.
__global__ void lengths(const float3* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(in[i].x * in[i].x + in[i].y * in[i].y + in[i].z * in[i].z);
}

__constant__ float weights[25];

__global__ void convolution(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
  float sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) sum += weights[j * 5 + i] * in[(y + j - 2) * n + x + i - 2];
  out[y * n + x] = sum;
}

__global__ void jacobi(const double* in, double* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  out[y * n + x] = 0.25 * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void life(const unsigned char* in, unsigned char* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const unsigned char* at = in + y * n + x;
  const int around = at[-n - 1] + at[-n] + at[-n + 1] + at[-1] + at[1] + at[n - 1] + at[n] + at[n + 1];
  out[y * n + x] = around == 3 || (around == 2 && *at);
}

// Products of bytes and of halves.

__global__ void bytes_product(const int* a, const int* b, int* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int sum = 0;
  for (int k = 0; k < n / 4; ++k) sum = __dp4a(a[y * n / 4 + k], b[x * n / 4 + k], sum);
  c[y * n + x] = sum;
}

// A warp computes 16 by 16 numbers on tensor cores.
__global__ void tensor_product(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  const int x = blockIdx.x * 16, y = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(left, a + y * n + k, n);
    load_matrix_sync(right, b + k * n + x, n);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c + y * n + x, sum, n, mem_row_major);
}

}  // namespace usual
