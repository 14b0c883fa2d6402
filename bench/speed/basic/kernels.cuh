// The kernels of the guide's first table.
#pragma once

namespace basic {

__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

template <class T>
__global__ void gemm(const T* a, const T* b, T* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  T sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

constexpr int kTile = 16;

__global__ void gemm_by_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int t = 0; t < n / kTile; ++t) {
    tile_a[y][x] = a[row * n + t * kTile + x];
    tile_b[y][x] = b[(t * kTile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void stencil(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  out[y * n + x] =
      0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], own[k]);
}

__global__ void bodies(const float* x, const float* y, const float* z, float* pull, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    sum += dx * inverse * inverse * inverse;
  }
  pull[i] = sum;
}

__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float rate = 0.02f, volatility = 0.30f;
  const float root = sqrtf(years[i]);
  const float d1 =
      (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  const float d2 = d1 - volatility * root;
  call[i] = price[i] * normal(d1) - strike[i] * expf(-rate * years[i]) * normal(d2);
}

__global__ void sum_of_blocks(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// A picture turned by some degrees.
__global__ void picture(cudaTextureObject_t in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  out[y * n + x] = tex2D<float>(in, 0.96f * x - 0.28f * y + 0.5f, 0.28f * x + 0.96f * y + 0.5f);
}

__global__ void sines(const double* a, const double* b, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sin(a[i] / b[i]);
}

}  // namespace basic
