// Launches and occupancy.
#include <algorithm>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/launches/clusters.hpp"
#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/launches/occupancy.hpp"
#include "driver/cuda/work/enqueue.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// The head of CUlaunchAttribute, and its value as bytes: 72 bytes each.
struct LaunchAttribute {
  unsigned id;
  char pad[4];
  union {
    int cooperative;
    unsigned cluster[3];
    char bytes[64];
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

CUresult shape_of(const CUlaunchConfig& c, LaunchShape& shape) {
  shape = {{c.gridDimX, c.gridDimY, c.gridDimZ}, {c.blockDimX, c.blockDimY, c.blockDimZ}, c.sharedMemBytes, false, {}};
  if (c.numAttrs > 64 || (c.numAttrs > 0 && !c.attrs)) return CUDA_ERROR_INVALID_VALUE;
  const auto* const attributes = reinterpret_cast<const LaunchAttribute*>(c.attrs);
  for (unsigned k = 0; k < c.numAttrs; ++k) {
    const auto& a = attributes[k];
    if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = a.value.cooperative != 0;
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) std::copy_n(a.value.cluster, 3, shape.cluster);
  }
  return CUDA_SUCCESS;
}

CUresult launch_kernel(Context& context, CUfunction f, const LaunchShape& shape, CUstream stream, void** params,
                       void** extra) {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(f, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  KernelWork work{f, context.handle(), shape, {}};
  if (const auto result = pack_arguments(*code, params, extra, work.arguments); result != CUDA_SUCCESS) return result;
  context.printed().flush();
  return enqueue(context, stream, std::move(work));
}

}  // namespace

CUresult LaunchKernel(Context& context, CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                      unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                      unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  if (kernelParams && extra) return CUDA_ERROR_INVALID_VALUE;
  const LaunchShape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, false, {}};
  return launch_kernel(context, f, shape, hStream, kernelParams, extra);
}

CUresult LaunchCooperativeKernel(Context& context, CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                 unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                 void** kernelParams) {
  const LaunchShape shape{{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, true, {}};
  return launch_kernel(context, f, shape, hStream, kernelParams, nullptr);
}

CUresult LaunchKernelEx(Context& context, const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                        void** extra) {
  LaunchShape shape;
  if (const auto result = shape_of(*config, shape); result != CUDA_SUCCESS) return result;
  return launch_kernel(context, f, shape, config->hStream, kernelParams, extra);
}

CUresult OccupancyMaxActiveClusters(Context& context, int* numClusters, CUfunction func, const CUlaunchConfig* config) {
  KernelFunction kernel;
  LaunchShape shape;
  std::shared_ptr<const ptx::Function> code;
  if (!modules::look_at(func, code, kernel.settings)) return CUDA_ERROR_INVALID_HANDLE;
  kernel.code = code.get();
  if (const auto result = shape_of(*config, shape); result != CUDA_SUCCESS) return result;
  unsigned size[3];
  const auto result = clusters::of_launch(context.device, kernel, shape, size);
  if (result != CUDA_SUCCESS) return result;
  *numClusters = clusters::active(context.device, *kernel.code, shape, std::max(size[0] * size[1] * size[2], 1u));
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxPotentialClusterSize(Context& context, int* clusterSize, CUfunction func,
                                          const CUlaunchConfig* config) {
  KernelFunction kernel;
  LaunchShape shape;
  std::shared_ptr<const ptx::Function> code;
  if (!modules::look_at(func, code, kernel.settings)) return CUDA_ERROR_INVALID_HANDLE;
  kernel.code = code.get();
  if (const auto result = shape_of(*config, shape); result != CUDA_SUCCESS) return result;
  if (!attribute_of(context.device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) return CUDA_ERROR_NOT_SUPPORTED;
  unsigned asked[3];
  const auto refused = shape.cluster[0] == 0 ? CUDA_SUCCESS : clusters::of_launch(context.device, kernel, shape, asked);
  if (refused != CUDA_SUCCESS) return refused;
  auto size = kernel.settings->may_be_non_portable ? clusters::kMost : clusters::kMostPortable;
  while (size > 1 && clusters::active(context.device, *kernel.code, shape, size) == 0) size /= 2;
  *clusterSize = static_cast<int>(size);
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxActiveBlocksPerMultiprocessor(Context& context, int* numBlocks, CUfunction func, int blockSize,
                                                   std::size_t dynamicSMemSize) {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(func, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  if (blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
  *numBlocks = active_blocks(context.device, *code, blockSize, dynamicSMemSize);
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Context& context, int* numBlocks, CUfunction func,
                                                            int blockSize, std::size_t dynamicSMemSize,
                                                            unsigned int flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return OccupancyMaxActiveBlocksPerMultiprocessor(context, numBlocks, func, blockSize, dynamicSMemSize);
}

CUresult OccupancyMaxPotentialBlockSize(Context& context, int* minGridSize, int* blockSize, CUfunction func,
                                        CUoccupancyB2DSize blockSizeToDynamicSMemSize, std::size_t dynamicSMemSize,
                                        int blockSizeLimit) {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(func, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  int largest = static_cast<int>(code->max_threads);
  if (blockSizeLimit > 0) largest = std::min(largest, blockSizeLimit);
  int best_threads = 0, best_size = 0, best_blocks = 0;
  for (int size = largest; size > 0; size = size % 32 ? size - size % 32 : size - 32) {
    const auto shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
    const auto blocks = active_blocks(context.device, *code, size, shared);
    if (blocks * size > best_threads) {
      best_threads = blocks * size;
      best_size = size;
      best_blocks = blocks;
    }
  }
  const auto& device = context.device;
  const auto multiprocessors = attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  *blockSize = best_size;
  *minGridSize = best_blocks * static_cast<int>(multiprocessors);
  return CUDA_SUCCESS;
}

CUresult OccupancyMaxPotentialBlockSizeWithFlags(Context& context, int* minGridSize, int* blockSize, CUfunction func,
                                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                 std::size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
  if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
  return OccupancyMaxPotentialBlockSize(context, minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                        dynamicSMemSize, blockSizeLimit);
}

CUresult OccupancyAvailableDynamicSMemPerBlock(Context& context, std::size_t* dynamicSmemSize, CUfunction func,
                                               int numBlocks, int blockSize) {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(func, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  if (numBlocks <= 0 || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
  const auto& device = context.device;
  const auto of = [&](CUdevice_attribute which) { return attribute_of(device, which); };
  const auto each = of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / numBlocks -
                    of(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  const auto most = std::min(each, of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) -
                    static_cast<long long>(code->shared_bytes);
  *dynamicSmemSize = static_cast<std::size_t>(std::max(most, 0LL));
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
