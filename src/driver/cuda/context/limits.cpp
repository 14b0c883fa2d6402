// Values, roundings and refusals are those of an H100 with driver 580, asked for 0, 1, 1,000, 100,000, 2^20, 2^30 and
// 2^40.
#include "driver/cuda/context/limits.hpp"

#include <algorithm>

#include "driver/cuda/context/device_heap.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda::limits {
namespace {

constexpr std::size_t kKib = 1024, kMib = 1024 * kKib;
constexpr std::size_t kMostLocalMemory = 512 * kKib;  // of a thread
constexpr std::size_t kLeastPipe = 512 * kKib, kMostPipe = 2048 * kMib;
constexpr std::size_t kLeastHeap = 4 * kMib;
constexpr std::size_t kLeastLaunches = 32, kMostLaunches = 599186;
constexpr std::size_t kMostGranularity = 128;
constexpr std::size_t kHopper = 9;

std::size_t attribute(const Device& device, CUdevice_attribute which) {
  return static_cast<std::size_t>(attribute_of(device, which));
}

// The second-level cache persists in sixteenths.
std::size_t sixteenth_of_cache(const Device& device) {
  return attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) / 16;
}

std::size_t rounded_up(std::size_t value, std::size_t unit) { return unit ? (value + unit - 1) / unit * unit : 0; }

Granted persisting(const Device& device, std::size_t value) {
  if (value > attribute(device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)) return {CUDA_ERROR_INVALID_VALUE};
  return {CUDA_SUCCESS, rounded_up(value, sixteenth_of_cache(device))};
}

}  // namespace

std::optional<std::size_t> initial(const Device& device, CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return kKib;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return 8448 * kKib;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return DeviceHeap::kDefaultSize;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:  // kernels of newer GPUs cannot wait for those that they launch
      if (attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= kHopper) return std::nullopt;
      return 2;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return 2048;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return 64;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      if (attribute(device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) == 0) return 0;
      return 3 * sixteenth_of_cache(device);
    case CU_LIMIT_SHMEM_SIZE:
      return attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    case CU_LIMIT_CIG_ENABLED:
      return 0;
    default:
      return std::nullopt;
  }
}

Granted granted(const Device& device, CUlimit limit, std::size_t value) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      if (value > kMostLocalMemory) return {CUDA_ERROR_INVALID_VALUE};
      return {CUDA_SUCCESS, rounded_up(value, 16)};
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return {CUDA_SUCCESS, std::clamp(value, kLeastPipe, kMostPipe)};
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return {CUDA_SUCCESS, std::max(value, kLeastHeap)};
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return {CUDA_SUCCESS, std::clamp(value, kLeastLaunches, kMostLaunches)};
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      if (value > kMostGranularity) return {CUDA_ERROR_INVALID_VALUE};
      return {CUDA_SUCCESS, value};
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      return persisting(device, value);
    case CU_LIMIT_SHMEM_SIZE:  // of contexts that graphics share, which are not simulated
    case CU_LIMIT_CIG_ENABLED:
      return {CUDA_ERROR_NOT_PERMITTED};
    default:
      return {CUDA_SUCCESS, value};
  }
}

}  // namespace nvmlkit::cuda::limits
