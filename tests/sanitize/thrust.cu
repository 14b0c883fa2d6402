// Algorithms of Thrust, each with a result that is checked: their own synchronization gives no finding.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cstdio>

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

int main() {
  constexpr int kCount = 5003;  // no multiple of a tile
  thrust::host_vector<int> given(kCount);
  for (int k = 0; k < kCount; ++k) given[k] = (k * 7919 + 13) % 1009;
  thrust::device_vector<int> a = given, b(kCount), keys = given, values(kCount);
  long expected = 0;
  for (const int x : given) expected += x;
  int wrong = 0;
  wrong += thrust::reduce(a.begin(), a.end(), 0L) != expected;
  thrust::inclusive_scan(a.begin(), a.end(), b.begin());
  wrong += b.back() != expected;
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  const thrust::host_vector<int> sorted = keys, places = values;
  for (int k = 1; k < kCount; ++k) wrong += sorted[k - 1] > sorted[k];
  for (int k = 0; k < kCount; ++k) wrong += given[places[k]] != sorted[k];
  // In place, blocks of Thrust write what others have read, and only the data that they hand on order it: a race by
  // form.
  const auto end = thrust::unique_copy(keys.begin(), keys.end(), b.begin());
  wrong += end - b.begin() != 1009;
  const auto middle = thrust::stable_partition(a.begin(), a.end(), IsOdd());
  const thrust::host_vector<int> parted = a;
  for (int k = 0; k < kCount; ++k) wrong += (parted[k] & 1) != (k < middle - a.begin());
  thrust::sort(a.begin(), a.end(), thrust::greater<int>());
  const thrust::host_vector<int> down = a;
  for (int k = 1; k < kCount; ++k) wrong += down[k - 1] < down[k];
  std::printf("result %d\n", wrong);
}
