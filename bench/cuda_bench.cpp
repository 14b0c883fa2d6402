// What calls of CUDA cost on the simulated machine: launches beside the call of an empty function, copies beside
// memcpy.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" int nvmlkit_bench_empty(void* device, void* out);

namespace {

const char kKernel[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing(.param .u64 data) {\n ret;\n}\n";
constexpr std::size_t kMost = std::size_t{256} << 20;

template <class Function>
Function find(const char* library, const char* symbol) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  void* const found = handle ? dlsym(handle, symbol) : nullptr;
  if (!found) {
    std::fprintf(stderr, "nvmlkit_cuda_bench: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

void check(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "nvmlkit_cuda_bench: %s gives error %d\n", what, result);
  std::exit(1);
}

using Address = std::uint64_t;
struct Dim3 {
  unsigned x, y, z;
};

// The two libraries, a context, a kernel known to both, and memory on both sides.
struct Cuda {
  template <class Function>
  static Function driver(const char* symbol) {
    return find<Function>(NVMLKIT_CUDA_LIBRARY, symbol);
  }
  template <class Function>
  static Function runtime(const char* symbol) {
    return find<Function>(NVMLKIT_CUDART_LIBRARY, symbol);
  }
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                         void**);
  using RuntimeLaunch = int (*)(const void*, Dim3, Dim3, void**, std::size_t, void*);

  Launch launch = driver<Launch>("cuLaunchKernel");
  RuntimeLaunch runtime_launch = runtime<RuntimeLaunch>("cudaLaunchKernel");
  int (*current)(void**) = driver<int (*)(void**)>("cuCtxGetCurrent");
  int (*to_device)(Address, const void*,
                   std::size_t) = driver<int (*)(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  int (*to_host)(void*, Address, std::size_t) = driver<int (*)(void*, Address, std::size_t)>("cuMemcpyDtoH_v2");
  int (*on_device)(Address, Address, std::size_t) = driver<int (*)(Address, Address, std::size_t)>("cuMemcpyDtoD_v2");
  int (*any)(void*, const void*, std::size_t,
             int) = runtime<int (*)(void*, const void*, std::size_t, int)>("cudaMemcpy");
  void* function = nullptr;
  void *from = nullptr, *to = nullptr;
  std::unique_ptr<char[]> host[2];

  Cuda() {
    const auto allocate = runtime<int (*)(void**, std::size_t)>("cudaMalloc");
    check(allocate(&from, kMost), "cudaMalloc");
    check(allocate(&to, kMost), "cudaMalloc");
    for (auto& memory : host) {
      memory.reset(new char[kMost]);
      std::memset(memory.get(), 1, kMost);
    }
    check(to_device(device(from), host[0].get(), kMost), "cuMemcpyHtoD");
    check(to_device(device(to), host[0].get(), kMost), "cuMemcpyHtoD");
    void* module = nullptr;
    check(driver<int (*)(void**, const void*)>("cuModuleLoadData")(&module, kKernel), "cuModuleLoadData");
    check(driver<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&function, module, "nothing"),
          "cuModuleGetFunction");
    // As the host code of nvcc does; the address of this object stands for the function that launches.
    void** const binary = runtime<void** (*)(const void*)>("__cudaRegisterFatBinary")(kKernel);
    runtime<void (*)(void**, const void*, const char*, const char*, int, void*, void*, void*, void*, int*)>(
        "__cudaRegisterFunction")(binary, this, "nothing", "nothing", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  static Address device(void* pointer) { return reinterpret_cast<Address>(pointer); }
};

Cuda& cuda() {
  static Cuda the;
  return the;
}

void call_of_an_empty_function(benchmark::State& state) {
  auto* volatile function = nvmlkit_bench_empty;
  int out = 0;
  for (auto _ : state) benchmark::DoNotOptimize(function(nullptr, &out));
}
BENCHMARK(call_of_an_empty_function);

void cuCtxGetCurrent(benchmark::State& state) {
  auto& c = cuda();
  void* context = nullptr;
  for (auto _ : state) benchmark::DoNotOptimize(c.current(&context));
}
BENCHMARK(cuCtxGetCurrent);

// A kernel of `threads` threads that does nothing.
void cuLaunchKernel(benchmark::State& state) {
  auto& c = cuda();
  Address data = Cuda::device(c.from);
  void* arguments[] = {&data};
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state)
    check(c.launch(c.function, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel");
}
BENCHMARK(cuLaunchKernel)->Arg(1)->Arg(256);

void cudaLaunchKernel(benchmark::State& state) {
  auto& c = cuda();
  Address data = Cuda::device(c.from);
  void* arguments[] = {&data};
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state)
    check(c.runtime_launch(&c, {1, 1, 1}, {threads, 1, 1}, arguments, 0, nullptr), "cudaLaunchKernel");
}
BENCHMARK(cudaLaunchKernel)->Arg(1)->Arg(256);

template <class Copy>
void copies(benchmark::State& state, Copy copy) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    copy(cuda(), size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t size : {1 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20}) b->Arg(size);
}

void memcpy_of_the_host(benchmark::State& state) {
  copies(state, [](Cuda& c, std::size_t size) { std::memcpy(c.host[1].get(), c.host[0].get(), size); });
}
void cuMemcpyHtoD(benchmark::State& state) {
  copies(state, [](Cuda& c, std::size_t size) { c.to_device(Cuda::device(c.to), c.host[0].get(), size); });
}
void cuMemcpyDtoH(benchmark::State& state) {
  copies(state, [](Cuda& c, std::size_t size) { c.to_host(c.host[1].get(), Cuda::device(c.from), size); });
}
void cuMemcpyDtoD(benchmark::State& state) {
  copies(state, [](Cuda& c, std::size_t size) { c.on_device(Cuda::device(c.to), Cuda::device(c.from), size); });
}
void cudaMemcpy_to_device(benchmark::State& state) {
  copies(state, [](Cuda& c, std::size_t size) { c.any(c.to, c.host[0].get(), size, 1); });
}
BENCHMARK(memcpy_of_the_host)->Apply(sizes);
BENCHMARK(cuMemcpyHtoD)->Apply(sizes);
BENCHMARK(cuMemcpyDtoH)->Apply(sizes);
BENCHMARK(cuMemcpyDtoD)->Apply(sizes);
BENCHMARK(cudaMemcpy_to_device)->Apply(sizes);

}  // namespace

int main(int argc, char** argv) {
  setenv("NVMLKIT_MACHINE", "h100", 0);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  cuda();
  benchmark::RunSpecifiedBenchmarks();
}
