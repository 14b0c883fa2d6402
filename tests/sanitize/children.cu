// Kernels that launch kernels; `children NAME right` keeps the order, `children NAME wrong` leaves one thing out.
#include <cstdio>
#include <cstring>

constexpr int kThreads = 64;

__global__ void take(const int* data, int* out) {
  out[threadIdx.x] = data[kThreads - 1 - threadIdx.x];  // take
}

__global__ void add(int* data, int by) {
  data[threadIdx.x] += by;  // add
}

// All threads have written before one of them launches.
__global__ void after_barrier(int* data, int* out, bool right) {
  data[threadIdx.x] = threadIdx.x;
  if (right) __syncthreads();
  if (threadIdx.x == 0) take<<<1, kThreads>>>(data, out);
}

// The parent leaves alone what its child reads.
__global__ void before_writes(int* data, int* out, bool right) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < kThreads; ++k) data[k] = k;
  take<<<1, kThreads>>>(data, out);
  if (!right) data[5] = 7;
}

// Children in one stream go one after the other.
__global__ void in_order(int* data, int* out, bool right) {
  if (threadIdx.x != 0) return;
  add<<<1, kThreads>>>(data, 1);
  if (right)
    add<<<1, kThreads>>>(data, 2);
  else
    add<<<1, kThreads, 0, cudaStreamFireAndForget>>>(data, 2);
}

// A tail launch goes behind its parent and all children.
__global__ void at_the_end(int* data, int* out, bool right) {
  data[threadIdx.x] = threadIdx.x;
  if (threadIdx.x != 0) return;
  add<<<1, kThreads, 0, cudaStreamTailLaunch>>>(data, 1);
  if (right)
    take<<<1, kThreads, 0, cudaStreamTailLaunch>>>(data, out);
  else
    take<<<1, kThreads>>>(data, out);
}

// What comes next in the stream of the host finds all done.
__global__ void nested(int* data, int depth) {
  data[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0 && depth > 0) nested<<<1, kThreads>>>(data, depth - 1);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  const bool right = std::strcmp(argv[2], "right") == 0;
  int *data, *out;
  cudaMalloc(&data, 4 * kThreads);
  cudaMalloc(&out, 4 * kThreads);
  cudaMemset(data, 0, 4 * kThreads);
  if (is("after_barrier")) after_barrier<<<1, kThreads>>>(data, out, right);
  if (is("before_writes")) before_writes<<<1, kThreads>>>(data, out, right);
  if (is("in_order")) in_order<<<1, kThreads>>>(data, out, right);
  if (is("at_the_end")) at_the_end<<<1, kThreads>>>(data, out, right);
  if (is("nested")) {
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    nested<<<1, kThreads>>>(data, 3);
    take<<<1, kThreads, 0, right ? nullptr : other>>>(data, out);
  }
  std::printf("result %d\n", cudaDeviceSynchronize());
}
