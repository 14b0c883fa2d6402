// What the two files of the program know of each other.
#pragma once

struct Part {
  __device__ explicit Part(int n) : number(n) {}
  __device__ virtual int value() const;
  __device__ virtual ~Part() {}
  int number;
};

extern __device__ int hits;
extern __constant__ int factor;
extern __device__ int (*chosen)(int);
extern __device__ int scaled(int x);
extern __device__ const Part* part_of(int number, void* place);
__global__ void mark(int* out, int base, double more);
__global__ void nested(int* out, int depth);
void host_part(int* out);

// One definition in each file, of which one counts.
template <class T>
__device__ __noinline__ T one_more(T x) {
  static __device__ int calls;
  atomicAdd(&calls, 1);
  return x + calls * 0 + 1;
}
template <class T>
__global__ void fill(T* out, T value) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = one_more(value) + dynamic[blockDim.x - 1 - threadIdx.x];
}
