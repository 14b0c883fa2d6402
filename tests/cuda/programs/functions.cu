// Functions, recursion, local arrays, constant, global and managed variables, printf, assert, the device's heap.
#include <cassert>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

__constant__ float weights[8];
__constant__ int with_value[3] = {7, 8, 9};
__device__ int counter = 5;
__device__ double table[4] = {0.5, 1.5, 2.5, 3.5};
#ifdef __NVCC__  // clang has none
__managed__ int shared_number = 11;
#endif

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int squared(int v) { return v * v; }
using Function = int (*)(int);
__device__ Function choices[2] = {twice, squared};

struct Big {
  int values[10];
  double more;
};
__device__ __noinline__ Big changed(Big in, int by) {
  for (int& v : in.values) v += by;
  in.more *= by;
  return in;
}

__global__ void run(int* out, float* reals, Big big) {
  const int t = threadIdx.x;
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = i * t;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += local[(i * 5 + t) % 16];
  out[t] = sum;
  out[64 + t] = fibonacci(t % 12);
  out[128 + t] = choices[t % 2](t);
  out[192 + t] = changed(big, t).values[t % 10];
  reals[t] = weights[t % 8] * static_cast<float>(with_value[t % 3]) + static_cast<float>(table[t % 4]);
  Shape* const shape =
      t % 2 ? static_cast<Shape*>(new Square(static_cast<float>(t))) : new Circle(static_cast<float>(t));
  reals[64 + t] = shape->area();
  delete shape;
  atomicAdd(&counter, 1);
#ifdef __NVCC__
  atomicAdd(&shared_number, 2);
#endif
  if (t == 3) printf("thread %d of %s: %5.2f %c %llu %x %%\n", t, "run", 1.25, 'z', 1ull << 40, 255u);
}

// A result that is no number is gone at the end of the function.
__device__ __noinline__ double least_of_row(double a, double b) {
  const double sum = __dadd_rn(__dmul_rn(a, b), a);
  return fmin(__fma_rn(sum, b, -a), b);
}
__device__ double reciprocal(double a) {
  double out;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(out) : "d"(a));
  return out;
}
__global__ void numbers(const double* in, int count, double* out) {
  const int t = threadIdx.x;
  for (int i = 0; i < count; ++i) {
    out[t * count + i] = least_of_row(in[t % count], in[i]);
    if (i == 0) out[(blockDim.x + t) * count] = reciprocal(in[t % count]);
  }
}

__global__ void check(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

static bool is_same(double a, double b) { return a == b || (a != a && b != b); }

static double expected_reciprocal(double a) {
  if (std::fabs(a) < DBL_MIN) return std::copysign(INFINITY, a);
  const double out = 1 / a;
  return std::fabs(out) < DBL_MIN ? std::copysign(0.0, a) : out;
}

static void check_numbers() {
  const std::vector<double> in{1.5,     -2,       0,     -0.0,  INFINITY, -INFINITY, NAN,   1e300,
                               -1e-310, 5e-324,   3.25,  1e308, -1e308,   0x1p1022,  7,     DBL_MIN,
                               DBL_MAX, -DBL_MAX, 0.125, -1,    1e-300,   42,        1e200, -1e200};
  constexpr int kThreads = 64;
  const auto count = in.size();
  double *device_in = nullptr, *out = nullptr;
  OK(cudaMalloc(&device_in, count * sizeof(double)));
  OK(cudaMallocManaged(&out, 2 * kThreads * count * sizeof(double)));
  OK(cudaMemcpy(device_in, in.data(), count * sizeof(double), cudaMemcpyHostToDevice));
  numbers<<<1, kThreads>>>(device_in, static_cast<int>(count), out);
  OK(cudaDeviceSynchronize());
  for (std::size_t t = 0; t < kThreads; ++t) {
    const double a = in[t % count];
    for (std::size_t i = 0; i < count; ++i) {
      const volatile double product = a * in[i];
      const double sum = product + a;
      EXPECT(is_same(out[t * count + i], std::fmin(std::fma(sum, in[i], -a), in[i])));
    }
    const double got = out[(kThreads + t) * count], expected = expected_reciprocal(a);
    EXPECT(is_same(got, expected) && (a != a || std::signbit(got) == std::signbit(expected)));
  }
}

int main() {
  check_numbers();
  int* out = nullptr;
  float* reals = nullptr;
  OK(cudaMalloc(&out, 256 * 4));
  OK(cudaMalloc(&reals, 128 * 4));
  const float host_weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  OK(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
  Big big{};
  for (int i = 0; i < 10; ++i) big.values[i] = 100 * i;
#ifdef __NVCC__
  shared_number += 1;
#endif
  run<<<1, 64>>>(out, reals, big);
  OK(cudaDeviceSynchronize());
  std::vector<int> got(256);
  std::vector<float> got_reals(128);
  OK(cudaMemcpy(got.data(), out, 256 * 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(got_reals.data(), reals, 128 * 4, cudaMemcpyDeviceToHost));
  const int fibonacci_numbers[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int t = 0; t < 64; ++t) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += (i * 5 + t) % 16 * t;
    EXPECT(got[t] == sum);
    EXPECT(got[64 + t] == fibonacci_numbers[t % 12]);
    EXPECT(got[128 + t] == (t % 2 ? t * t : 2 * t));
    EXPECT(got[192 + t] == 100 * (t % 10) + t);
    EXPECT(got_reals[t] == host_weights[t % 8] * static_cast<float>(7 + t % 3) + 0.5f + static_cast<float>(t % 4));
    EXPECT(got_reals[64 + t] == static_cast<float>(t % 2 ? t * t : 3 * t * t));
  }
  int counted = 0;
  OK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  EXPECT(counted == 5 + 64);
#ifdef __NVCC__
  EXPECT(shared_number == 12 + 128);
#endif

  check<<<1, 32>>>(32);
  OK(cudaDeviceSynchronize());
  check<<<1, 32>>>(31);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  OK(cudaDeviceReset());
  EXPECT(cudaMalloc(&out, 16) == cudaErrorDevicesUnavailable);  // of this process, for good
  std::puts("all is well");
}
