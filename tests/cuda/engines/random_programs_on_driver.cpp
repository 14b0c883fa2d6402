// Runs PTX by chance on the first GPU of the CUDA driver that the loader finds, real or simulated:
//   random_programs_on_driver FIRST COUNT [--show]
// Its output is that of random_programs, so that our engines can be compared with a GPU.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "driver/cuda/generated/prototypes.hpp"
#include "random_program.hpp"
#include "random_run.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::cuda;

template <class Function>
Function* find(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(77);
  }
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(result));
  std::exit(1);
}

#define CALL(name, ...) check(find<decltype(name)>(#name)(__VA_ARGS__), #name)

void start() {
  CUcontext context = nullptr;
  CALL(cuInit, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxSetCurrent, context);
}

void run(std::uint64_t seed, bool show) {
  const auto text = test::random_program(seed);
  if (show) std::fputs(text.c_str(), stdout);
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  // A program that the driver refuses is a finding of its own.
  if (const auto result = find<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, text.c_str())) {
    std::printf("%llu refused: error %d\n", static_cast<unsigned long long>(seed), static_cast<int>(result));
    return;
  }
  CALL(cuModuleGetFunction, &kernel, module, "kernel");
  auto bytes = test::random_memory(seed);
  CUdeviceptr data = 0;
  CALL(cuMemAlloc_v2, &data, bytes.size());
  CALL(cuMemcpyHtoD_v2, data, bytes.data(), bytes.size());
  auto arguments = test::random_arguments(seed, data);
  void* parameters[] = {&arguments.data, &arguments.count, &arguments.factor};
  for (const auto& threads : test::kRandomThreads)
    CALL(cuLaunchKernel, kernel, test::kRandomBlocks, 1, 1, threads[0], threads[1], 1, 0, nullptr, parameters, nullptr);
  CALL(cuMemcpyDtoH_v2, bytes.data(), data, bytes.size());
  CALL(cuMemFree_v2, data);
  CALL(cuModuleUnload, module);
  test::print_memory(seed, bytes, show);
}

}  // namespace

int main(int argc, char** argv) {
  start();
  test::for_each_seed(argc, argv, run);
}
