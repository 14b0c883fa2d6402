// Kernels: their attributes, and the number of their blocks and clusters that run at once.
#include "driver/cudart/launches.hpp"

namespace nvmlkit::cudart {

struct FunctionAttributes {
  std::size_t shared, constants, local;
  int most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared, carveout;
#if NVMLKIT_CUDART_VERSION >= 12000
  int needs_cluster, cluster_width, cluster_height, cluster_depth, cluster_policy, any_cluster_size;
  int reserved[16];
#endif
};
static_assert(sizeof(FunctionAttributes) == (NVMLKIT_CUDART_VERSION >= 12000 ? 144 : 56));

namespace {

template <class Work>
Error with_function(const void* symbol, Work work) {
  return with_context([&]() -> CUresult {
    CUfunction f = nullptr;
    if (const auto result = function_of(symbol, &f); result != CUDA_SUCCESS) return result;
    return work(f);
  });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaFuncGetAttributes(FunctionAttributes* out, const void* symbol) {
  if (!out) return keep(kInvalidValue);
  return with_function(symbol, [&](CUfunction f) {
    const auto get = [&](CUfunction_attribute which) {
      int value = 0;
      cuFuncGetAttribute(&value, which, f);
      return value;
    };
    *out = {};
    out->shared = static_cast<std::size_t>(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    out->constants = static_cast<std::size_t>(get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    out->local = static_cast<std::size_t>(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    out->most_threads = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    out->registers = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    out->ptx_version = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    out->binary_version = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    out->most_dynamic_shared = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    out->carveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
#if NVMLKIT_CUDART_VERSION >= 12000
    out->needs_cluster = get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
    out->cluster_width = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    out->cluster_height = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
    out->cluster_depth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
    out->cluster_policy = get(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
    out->any_cluster_size = get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
#endif
    return CUDA_SUCCESS;
  });
}

NVMLKIT_RUNTIME Error cudaFuncSetAttribute(const void* symbol, int attribute, int value) {
  return with_function(
      symbol, [&](CUfunction f) { return cuFuncSetAttribute(f, static_cast<CUfunction_attribute>(attribute), value); });
}
NVMLKIT_RUNTIME Error cudaFuncSetCacheConfig(const void* symbol, CUfunc_cache) {
  return with_function(symbol, [](CUfunction) { return CUDA_SUCCESS; });
}
NVMLKIT_RUNTIME Error cudaFuncSetSharedMemConfig(const void* symbol, CUsharedconfig) {
  return with_function(symbol, [](CUfunction) { return CUDA_SUCCESS; });
}
NVMLKIT_RUNTIME Error cudaFuncGetName(const char** name, const void* symbol) {
  if (!name) return keep(kInvalidValue);
  return with_function(symbol, [&](CUfunction f) { return cuFuncGetName(name, f); });
}
NVMLKIT_RUNTIME Error cudaGetFuncBySymbol(CUfunction* function, const void* symbol) {
  if (!function) return keep(kInvalidValue);
  return with_function(symbol,
                       [&](CUfunction f) { return cuKernelGetFunction(function, reinterpret_cast<CUkernel>(f)); });
}
NVMLKIT_RUNTIME Error cudaGetKernel(CUkernel* kernel, const void* symbol) {
  if (!kernel) return keep(kInvalidValue);
  return with_context([&] { return kernel_of(symbol, kernel); });
}

NVMLKIT_RUNTIME Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* symbol, int threads,
                                                                    std::size_t shared) {
  if (!blocks) return keep(kInvalidValue);
  return with_function(
      symbol, [&](CUfunction f) { return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared); });
}
NVMLKIT_RUNTIME Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* symbol,
                                                                             int threads, std::size_t shared,
                                                                             unsigned flags) {
  if (flags > 1) return keep(kInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, symbol, threads, shared);
}
NVMLKIT_RUNTIME Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* symbol, int blocks,
                                                                int threads) {
  if (!shared) return keep(kInvalidValue);
  return with_function(
      symbol, [&](CUfunction f) { return cuOccupancyAvailableDynamicSMemPerBlock(shared, f, blocks, threads); });
}

NVMLKIT_RUNTIME Error cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol, const LaunchConfig* config) {
  if (!clusters || !config) return keep(kInvalidValue);
  return with_function(symbol, [&](CUfunction f) {
    const auto c = of_driver(*config);
    return cuOccupancyMaxActiveClusters(clusters, f, &c);
  });
}
NVMLKIT_RUNTIME Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* symbol, const LaunchConfig* config) {
  if (!size || !config) return keep(kInvalidValue);
  return with_function(symbol, [&](CUfunction f) {
    const auto c = of_driver(*config);
    return cuOccupancyMaxPotentialClusterSize(size, f, &c);
  });
}

}  // namespace nvmlkit::cudart
