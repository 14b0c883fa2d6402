// Threads that work together: shared memory, barriers, shuffles, votes, atomics, divergence, cooperative groups.
#include <cooperative_groups.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "check.hpp"

namespace cg = cooperative_groups;

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce(const int* in, int n, int* sum) {
  extern __shared__ int parts[];
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(~0u, value, by);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
    if (threadIdx.x == 0) atomicAdd(sum, value);
  }
}

__global__ void histogram(const std::uint8_t* in, int n, unsigned* bins) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void nothing() {}

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x;
  unsigned result = __ballot_sync(~0u, lane % 3 == 0);
  if (lane % 2)
    result ^= __activemask();
  else
    result += 1;
  __syncwarp();
  const bool any = __any_sync(~0u, lane == 5), all = __all_sync(~0u, lane < 32);
  const unsigned same = __match_any_sync(~0u, lane / 8);
  out[lane] = result;
  out[32 + lane] = any && all ? same : 0;
  // Each eight lanes among themselves.
  const unsigned own = __ballot_sync(same, lane % 3 == 0);
  unsigned sum = 0;
  asm("redux.sync.add.u32 %0, %1, %2;" : "=r"(sum) : "r"(lane), "r"(same));
  out[96 + lane] = own + 1000 * __all_sync(same, lane < 8);
  out[128 + lane] = sum;
  out[64 + lane] =
      __syncthreads_count(lane % 4 == 0) + 100 * __syncthreads_or(lane == 31) + 1000 * __syncthreads_and(lane < 31);
}

__global__ void diverge(int* out) {
  int value = threadIdx.x, steps = 0;
  while (value != 1) {  // each lane turns as often as it needs
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    if (++steps > 500 || value == 0) break;
  }
  switch (threadIdx.x % 5) {
    case 0:
      steps += 1000;
      break;
    case 1:
      steps += 2000;
      break;
    case 2:
      steps *= 2;
      break;
    case 3:
      return;
    default:
      steps -= 1;
  }
  out[threadIdx.x] = steps;
}

// A lock that lanes of one warp hold one after the other.
__global__ void locked(int* lock, int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  atomicMin(&i[0], 50 - t);
  atomicMax(&i[1], t);
  atomicOr(&u[0], 1u << (t % 32));
  atomicAnd(&u[1], ~(1u << (t % 7)));
  atomicXor(&u[2], static_cast<unsigned>(t));
  atomicInc(&u[3], 9);
  atomicAdd(l, 1ull << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}

__global__ void together(int* data, int n) {
  const auto grid = cg::this_grid();
  const int me = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < 4; ++round) {
    const int neighbour = data[(me + 1) % n];
    grid.sync();
    data[me] += neighbour;
    grid.sync();
  }
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int sum = tile.shfl(data[me], 0);
  if (tile.thread_rank() == 7) data[me] += 0 * sum;
}

void check_product() {
  constexpr int n = 64;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7 - 3), b[i] = static_cast<float>(i % 5 - 2);
  float* c = upload(a);
  multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(upload(a), upload(b), c, n);
  const auto product = download(c, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      EXPECT(product[i * n + j] == sum);
    }
}

void check_sum() {
  std::vector<int> numbers(10007);
  std::iota(numbers.begin(), numbers.end(), -3000);
  int* sum = upload(std::vector<int>{0});
  reduce<<<6, 192, 6 * sizeof(int)>>>(upload(numbers), static_cast<int>(numbers.size()), sum);
  EXPECT(download(sum, 1)[0] == std::accumulate(numbers.begin(), numbers.end(), 0));
}

void check_histogram() {
  std::vector<std::uint8_t> bytes(5000);
  std::vector<unsigned> bins(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) ++bins[bytes[i] = static_cast<std::uint8_t>(i * i / 3)];
  unsigned* counted = upload(std::vector<unsigned>(256));
  histogram<<<3, 256>>>(upload(bytes), static_cast<int>(bytes.size()), counted);
  EXPECT(download(counted, 256) == bins);
}

void check_votes() {
  unsigned* voted = upload(std::vector<unsigned>(160));
  votes<<<1, 32>>>(voted);
  const auto v = download(voted, 160);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT(v[lane] == (lane % 2 ? 0x49249249u ^ 0xaaaaaaaau : 0x49249249u + 1));
    EXPECT(v[32 + lane] == 0xffu << lane / 8 * 8);
    EXPECT(v[64 + lane] == 8 + 100);
    EXPECT(v[96 + lane] == (0x49249249u & (0xffu << lane / 8 * 8)) + 1000 * (lane < 8));
    EXPECT(v[128 + lane] == 28 + 64 * (lane / 8));
  }
}

void check_divergence() {
  int* steps = upload(std::vector<int>(256, -1));
  diverge<<<1, 256>>>(steps);
  const auto s = download(steps, 256);
  for (int t = 0; t < 256; ++t) {
    int value = t, want = 0;
    while (value != 1) {
      value = value % 2 == 0 ? value / 2 : 3 * value + 1;
      if (++want > 500 || value == 0) break;
    }
    want = t % 5 == 0 ? want + 1000 : t % 5 == 1 ? want + 2000 : t % 5 == 2 ? 2 * want : t % 5 == 3 ? -1 : want - 1;
    EXPECT(s[t] == want);
  }
}

void check_lock() {
  int* guarded = upload(std::vector<int>(2));
  locked<<<2, 48>>>(guarded, guarded + 1);
  EXPECT(download(guarded, 2)[1] == 96);
}

void check_atomics() {
  int* i = upload(std::vector<int>{100, -100});
  unsigned* u = upload(std::vector<unsigned>{0, ~0u, 0, 0});
  auto* l = upload(std::vector<unsigned long long>{0});
  float* f = upload(std::vector<float>{0});
  double* d = upload(std::vector<double>{0});
  atomics<<<2, 40>>>(i, u, l, f, d);
  EXPECT((download(i, 2) == std::vector<int>{-29, 79}));
  unsigned x = 0;
  for (unsigned t = 0; t < 80; ++t) x ^= t;
  EXPECT((download(u, 4) == std::vector<unsigned>{~0u, ~0x7fu, x, 0}));
  EXPECT(download(l, 1)[0] == 80ull << 33 && download(f, 1)[0] == 40.0f && download(d, 1)[0] == 20.0);
}

void check_cooperation() {
  std::vector<int> ring(4 * 64);
  std::iota(ring.begin(), ring.end(), 0);
  int* data = upload(ring);
  int count = static_cast<int>(ring.size());
  void* arguments[] = {&data, &count};
  OK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(together), dim3(4), dim3(64), arguments, 0, nullptr));
  for (int round = 0; round < 4; ++round) {
    const auto before = ring;
    for (int k = 0; k < count; ++k) ring[k] += before[(k + 1) % count];
  }
  EXPECT(download(data, ring.size()) == ring);
}

// As many as a launch may have. None is started, so it takes no time.
void check_empty_blocks() {
  nothing<<<2147483647, 256>>>();
  OK(cudaDeviceSynchronize());
}

int main() {
  check_product();
  check_sum();
  check_histogram();
  check_votes();
  check_divergence();
  check_lock();
  check_atomics();
  check_cooperation();
  check_empty_blocks();
  OK(cudaDeviceSynchronize());
  std::puts("all is well");
}
