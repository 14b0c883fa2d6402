// Sums and maxima of the threads of a warp and of a block.
#pragma once

namespace usual {

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class Operator>
__device__ float of_warp(float value, Operator join) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = join(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
  return value;
}

template <class Operator>
__device__ float of_block(float value, Operator join) {
  __shared__ float of_warps[32];
  value = of_warp(value, join);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[threadIdx.x % (blockDim.x / 32)];
  __syncthreads();
  for (int distance = blockDim.x / 64; distance > 0; distance /= 2)
    value = join(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
  return value;
}

}  // namespace usual
