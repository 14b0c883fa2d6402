// CUB: reduction and radix sort.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "check.hpp"

template <class Work>
void with_storage(Work work) {
  void* storage = nullptr;
  std::size_t bytes = 0;
  OK(work(storage, bytes));
  OK(cudaMalloc(&storage, bytes));
  OK(work(storage, bytes));
  OK(cudaFree(storage));
}

int main() {
  for (const int n : {1, 1000, 5000, 70000}) {
    std::vector<unsigned> host(n), got(n);
    unsigned state = 1;
    for (auto& x : host) x = (state = state * 1664525u + 1013904223u) >> 3;
    unsigned *in = nullptr, *out = nullptr;
    OK(cudaMalloc(&in, n * sizeof *in));
    OK(cudaMalloc(&out, n * sizeof *out));
    OK(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
    with_storage([&](void* storage, std::size_t& bytes) { return cub::DeviceReduce::Sum(storage, bytes, in, out, n); });
    unsigned sum = 0;
    OK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == std::accumulate(host.begin(), host.end(), 0u));
    with_storage(
        [&](void* storage, std::size_t& bytes) { return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n); });
    OK(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    EXPECT(got == host);
  }
  std::puts("all is well");
}
