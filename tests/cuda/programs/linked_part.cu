#include <cstdint>
#include <new>

#include "check.hpp"
#include "linked.hpp"

__device__ int hits = 100;
__constant__ int factor = 3;
__device__ int (*chosen)(int) = scaled;

static __device__ __noinline__ int helper(int x) { return x + 1; }
__device__ int scaled(int x) { return helper(x) * factor; }

__device__ int Part::value() const { return 10 * number; }
struct OtherPart : Part {
  using Part::Part;
  __device__ int value() const override { return -number; }
};
__device__ const Part* part_of(int number, void* place) {
  return number % 2 ? new (place) OtherPart(number) : new (place) Part(number);
}

__global__ void mark(int* out, int base, double more) {
  out[threadIdx.x] = base + static_cast<int>(threadIdx.x) + static_cast<int>(more);
  atomicAdd(&hits, 1);
}

// Each level launches the next one and one kernel besides.
__global__ void nested(int* out, int depth) {
  if (threadIdx.x != 0) return;
  atomicAdd(out, 1);
  if (depth > 1) {
    nested<<<1, 32>>>(out, depth - 1);
    mark<<<1, 1>>>(out + depth, depth, 0.5);
  }
}

void host_part(int* out) { fill<int><<<1, 32, 32 * sizeof(int)>>>(out, 5); }
