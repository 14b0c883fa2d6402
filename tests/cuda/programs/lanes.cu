// Some lanes of a warp reach memory, at addresses that would be outside of it for the others.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "check.hpp"

constexpr int kSide = 16;

// From corner to corner, along diagonals: each takes the greatest of three neighbours. Lanes behind the diagonal would
// read in front of the matrix, or behind it.
template <typename T>
__global__ void diagonals(const T* in, T* out) {
  __shared__ T m[kSide + 1][kSide + 1];
  const int x = threadIdx.x;
  if (x == 0) m[0][0] = in[0];
  m[0][x + 1] = in[x + 1];
  m[x + 1][0] = in[(x + 1) * (kSide + 1)];
  __syncthreads();
  const auto step = [&](int row, int column) {
    const T most = max(max(m[row - 1][column], m[row][column - 1]), m[row - 1][column - 1]);
    m[row][column] = most + in[row * (kSide + 1) + column];
  };
#pragma unroll 4
  for (int k = 0; k < kSide; ++k) {
    if (x <= k) step(k - x + 1, x + 1);
    __syncthreads();
  }
#pragma unroll 3
  for (int k = kSide - 2; k >= 0; --k) {
    if (x <= k) step(kSide - x, x + kSide - k);
    __syncthreads();
  }
  for (int row = 0; row <= kSide; ++row) out[row * (kSide + 1) + x + 1] = m[row][x + 1];
}

// The whole of two arrays of n numbers, in several orders. Both end with an allocation.
struct Ways {
  static constexpr int kRow = 0, kBack = 1, kSecond = 2, kTiles = 3, kPairs = 4, kFirst = 5, kAll = 6;
};

template <typename T>
struct alignas(4 * sizeof(T)) Four {
  T v[4];
};

template <typename T>
__global__ void copy(const T* in, T* out, int n, int way) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (way) {
    case Ways::kRow:
      if (i < n) out[i] = in[i];
      break;
    case Ways::kBack:
      if (i < n) out[n - 1 - i] = in[n - 1 - i];
      break;
    case Ways::kSecond:
      if (2 * i < n) out[2 * i] = in[2 * i];
      break;
    case Ways::kTiles: {  // rows of 16 in a picture of 40 columns
      const int x = threadIdx.x % 16, y = threadIdx.x / 16, at = (blockIdx.x * 2 + y) * 40 + x;
      if (x >= 2 && x < 13 && at < n) out[at] = in[at];
      break;
    }
    case Ways::kPairs:
      if (4 * i + 3 < n) reinterpret_cast<Four<T>*>(out)[i] = reinterpret_cast<const Four<T>*>(in)[i];
      break;
    case Ways::kFirst:  // all to one place: the last lane counts
      if (i < n && threadIdx.x % 32 < 7) out[i / 32 * 32] = in[i];
      break;
  }
}

template <typename T>
void copy_on_host(const std::vector<T>& in, std::vector<T>& out, int way, int threads) {
  const int n = static_cast<int>(in.size());
  for (int i = 0; i < threads; ++i) {
    const int thread = i % 32, tile = (i / 32 * 2 + thread / 16) * 40 + thread % 16;
    if (way == Ways::kRow && i < n) out[i] = in[i];
    if (way == Ways::kBack && i < n) out[n - 1 - i] = in[n - 1 - i];
    if (way == Ways::kSecond && 2 * i < n) out[2 * i] = in[2 * i];
    if (way == Ways::kTiles && thread % 16 >= 2 && thread % 16 < 13 && tile < n) out[tile] = in[tile];
    if (way == Ways::kPairs && 4 * i + 3 < n) std::copy_n(in.begin() + 4 * i, 4, out.begin() + 4 * i);
    if (way == Ways::kFirst && i < n && thread < 7) out[i / 32 * 32] = in[i];
  }
}

// Each lane that takes part gets a number of its own, and the sum of a column grows.
__global__ void count(const int* in, int n, int* sums, int* before) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) before[i] = atomicAdd(&sums[i % 5 * 3], in[i]);
}

template <typename T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<T>((k * 7919 + 13) % 101);
  return out;
}

template <typename T>
void check_diagonals() {
  constexpr int kWidth = kSide + 1;
  const auto in = numbers<T>(kWidth * kWidth);
  auto expected = in;
  for (int row = 1; row < kWidth; ++row)
    for (int column = 1; column < kWidth; ++column)
      expected[row * kWidth + column] +=
          std::max({expected[(row - 1) * kWidth + column], expected[row * kWidth + column - 1],
                    expected[(row - 1) * kWidth + column - 1]});
  T *const device = upload(in), *const out = upload(in);
  for (int k = 0; k < 3; ++k) {
    diagonals<<<50, kSide>>>(device, out);
    EXPECT(download(out, in.size()) == expected);
  }
  OK(cudaFree(device));
  OK(cudaFree(out));
}

// Of so many numbers that they end with a page, where nothing lies behind.
template <typename T>
void check_copies(int warps_of_block) {
  const int n = 4096 / sizeof(T) * 3;
  const auto in = numbers<T>(n);
  T* const device = upload(in);
  for (int way = 0; way < Ways::kAll; ++way) {
    std::vector<T> expected(n, T{42});
    T* const out = upload(expected);
    const int block = way == Ways::kTiles ? 32 : 32 * warps_of_block, grid = n / block + 3;
    for (int k = 0; k < 2; ++k) copy<<<grid, block>>>(device, out, n, way);
    copy_on_host(in, expected, way, grid * block);
    EXPECT(download(out, n) == expected);
    OK(cudaFree(out));
  }
  OK(cudaFree(device));
}

void check_count() {
  const int n = 1024;
  const auto in = numbers<int>(n);
  std::vector<int> sums(13, 0);
  int *const device = upload(in), *const of_sums = upload(sums), *const before = upload(std::vector<int>(n, -1));
  count<<<n / 64 + 1, 64>>>(device, n, of_sums, before);
  const auto got = download(before, n);
  for (int i = 0; i < n; ++i) {
    EXPECT((got[i] >= 0) == (in[i] % 3 == 0));
    if (got[i] < 0) continue;
    sums[i % 5 * 3] += in[i];
  }
  EXPECT(download(of_sums, sums.size()) == sums);
  for (auto* const each : {device, of_sums, before}) OK(cudaFree(each));
}

int main() {
  check_diagonals<int>();
  check_diagonals<short>();
  check_copies<std::uint8_t>(1);
  check_copies<std::int16_t>(2);
  check_copies<float>(1);
  check_copies<double>(2);
  check_count();
  std::printf("lanes: all is well\n");
}
