// What calls of the CUDA driver cost: a launch that does nothing beside a call through a pointer, copies beside memcpy.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr char kEmpty[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";

template <class F>
F* function(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (!address) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<F*>(address);
}

void check(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, result);
  std::exit(1);
}

// The least time of one of `count` calls in ten rounds, in nanoseconds.
template <class Work>
double time_of(int count, Work work) {
  double best = 1e18;
  for (int round = 0; round < 10; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / count);
  }
  return best;
}

int nothing(int value) { return value; }

}  // namespace

int main(int argc, char** argv) {
  void* const driver = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
  if (!driver) {
    std::fprintf(stderr, "usage: nvmlkit_cuda_bench [LIBCUDA]: %s\n", dlerror());
    return 1;
  }
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  check(function<int(unsigned)>(driver, "cuInit")(0), "cuInit");
  check(function<int(void**, unsigned, int)>(driver, "cuCtxCreate_v2")(&context, 0, 0), "cuCtxCreate");
  check(function<int(void**, const void*)>(driver, "cuModuleLoadData")(&module, kEmpty), "cuModuleLoadData");
  check(function<int(void**, void*, const char*)>(driver, "cuModuleGetFunction")(&kernel, module, "empty"),
        "cuModuleGetFunction");

  int (*volatile pointer)(int) = nothing;
  const auto call = time_of(1000000, [&] { pointer(1); });
  auto* const launch =
      function<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
          driver, "cuLaunchKernel");
  const auto launched =
      time_of(1000, [&] { check(launch(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), "cuLaunchKernel"); });
  std::printf("a call through a pointer        %10.1f ns\n", call);
  std::printf("a launch of an empty warp       %10.1f ns\n", launched);

  constexpr std::size_t kSize = std::size_t{64} << 20;
  std::vector<char> from(kSize, 1), to(kSize);
  unsigned long long memory = 0;
  check(function<int(unsigned long long*, std::size_t)>(driver, "cuMemAlloc_v2")(&memory, kSize), "cuMemAlloc");
  auto* const in = function<int(unsigned long long, const void*, std::size_t)>(driver, "cuMemcpyHtoD_v2");
  auto* const out = function<int(void*, unsigned long long, std::size_t)>(driver, "cuMemcpyDtoH_v2");
  const auto rate = [](double ns) { return static_cast<double>(kSize) / ns; };
  std::printf("memcpy of 64 MiB                %10.1f GB/s\n",
              rate(time_of(1, [&] { std::memcpy(to.data(), from.data(), kSize); })));
  std::printf("copy to the device              %10.1f GB/s\n",
              rate(time_of(1, [&] { check(in(memory, from.data(), kSize), "cuMemcpyHtoD"); })));
  std::printf("copy from the device            %10.1f GB/s\n",
              rate(time_of(1, [&] { check(out(to.data(), memory, kSize), "cuMemcpyDtoH"); })));
  const auto small = time_of(100000, [&] { check(in(memory, from.data(), 4), "cuMemcpyHtoD"); });
  std::printf("copy of 4 bytes to the device   %10.1f ns\n", small);
}
