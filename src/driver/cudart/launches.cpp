#include "driver/cudart/launches.hpp"

#include <vector>

namespace nvmlkit::cudart {
namespace {

// A shape that the GPU cannot run is an error of its own.
Error launched(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE ? kInvalidConfiguration : static_cast<Error>(result);
}

Error launch(const void* symbol, Dim3 grid, Dim3 block, void** args, std::size_t shared, CUstream stream,
             bool cooperative) {
  if (const auto result = ready(); result != CUDA_SUCCESS) return keep(result);
  CUfunction f = nullptr;
  if (const auto result = function_of(symbol, &f); result != CUDA_SUCCESS) return keep(result);
  const auto bytes = static_cast<unsigned>(shared);
  return keep(launched(
      cooperative
          ? cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, stream, args)
          : cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes, stream, args, nullptr)));
}

Error launch_with(const LaunchConfig* config, const void* symbol, void** args, bool thread_stream) {
  if (!config) return keep(kInvalidValue);
  if (const auto result = ready(); result != CUDA_SUCCESS) return keep(result);
  CUfunction f = nullptr;
  if (const auto result = function_of(symbol, &f); result != CUDA_SUCCESS) return keep(result);
  auto c = of_driver(*config);
  if (thread_stream) c.hStream = per_thread(c.hStream);
  return keep(launched(cuLaunchKernelEx(&c, f, args, nullptr)));
}

}  // namespace

NVMLKIT_RUNTIME Error cudaLaunchKernel(const void* f, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                                       CUstream stream) {
  return launch(f, grid, block, args, shared, stream, false);
}
NVMLKIT_RUNTIME Error __cudaLaunchKernel(const void* f, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                                         CUstream stream) {
  return launch(f, grid, block, args, shared, stream, false);
}
NVMLKIT_RUNTIME Error __cudaLaunchKernel_ptsz(const void* f, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                                              CUstream stream) {
  return launch(f, grid, block, args, shared, per_thread(stream), false);
}
NVMLKIT_RUNTIME Error cudaLaunchCooperativeKernel(const void* f, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                                                  CUstream stream) {
  return launch(f, grid, block, args, shared, stream, true);
}
NVMLKIT_RUNTIME Error cudaLaunchKernelExC(const LaunchConfig* config, const void* f, void** args) {
  return launch_with(config, f, args, false);
}
NVMLKIT_RUNTIME Error cudaLaunchKernelExC_ptsz(const LaunchConfig* config, const void* f, void** args) {
  return launch_with(config, f, args, true);
}

#if NVMLKIT_CUDART_VERSION < 13000
struct LaunchOnDevice {
  void* function;
  Dim3 grid, block;
  void** arguments;
  std::size_t shared;
  CUstream stream;
};
static_assert(sizeof(LaunchOnDevice) == 56);

NVMLKIT_RUNTIME Error cudaLaunchCooperativeKernelMultiDevice(LaunchOnDevice* launches, unsigned count, unsigned flags) {
  constexpr unsigned kMost = 1024;
  if (!launches || count == 0 || count > kMost) return keep(kInvalidValue);
  return with_context([&] {
    std::vector<CUDA_LAUNCH_PARAMS> all(count);
    for (unsigned i = 0; i < count; ++i) {
      const auto& one = launches[i];
      auto& out = all[i];
      if (const auto result = function_of(one.function, &out.function); result != CUDA_SUCCESS) return result;
      set_shape(out, one.grid, one.block, one.shared);
      out.hStream = one.stream;
      out.kernelParams = one.arguments;
    }
    return cuLaunchCooperativeKernelMultiDevice(all.data(), count, flags);
  });
}
#endif

}  // namespace nvmlkit::cudart
