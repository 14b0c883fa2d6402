#include "driver/cuda/launches/clusters.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/launches/occupancy.hpp"

namespace nvmlkit::cuda::clusters {
namespace {

constexpr long long kMostOfClusters = 8;  // blocks of clusters on a multiprocessor

// Groups that give the figures of an H100 with 132 multiprocessors: 8 of them take no clusters of more than 2 blocks.
constexpr long long kOfH100 = 132;
constexpr long long kGroupsOfH100[] = {16, 16, 16, 16, 16, 16, 18, 10};

}  // namespace

long long multiprocessors_of(const Device& device) {
  const auto all = attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return all == kOfH100 ? std::accumulate(std::begin(kGroupsOfH100), std::end(kGroupsOfH100), 0LL) : all;
}

CUresult of_launch(const Device& device, const KernelFunction& function, const LaunchShape& shape, unsigned out[3]) {
  const auto& code = *function.code;
  const bool is_compiled = code.cluster[0] != 0, is_asked = shape.cluster[0] != 0;
  if (is_compiled && is_asked && !std::equal(shape.cluster, shape.cluster + 3, code.cluster))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (code.needs_cluster && !is_compiled && !is_asked) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  std::copy_n(is_asked ? shape.cluster : code.cluster, 3, out);
  if (out[0] == 0) return CUDA_SUCCESS;
  std::uint64_t blocks = 1;
  for (int k = 0; k < 3; ++k) {
    if (out[k] == 0 || shape.grid[k] % out[k] != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    blocks = std::min<std::uint64_t>(blocks * out[k], kMost + 1);
  }
  if (blocks > 1 && !attribute_of(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) return CUDA_ERROR_NOT_SUPPORTED;
  if (blocks > (function.settings->may_be_non_portable ? kMost : kMostPortable)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (code.max_cluster != 0 && blocks > code.max_cluster) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  return CUDA_SUCCESS;
}

int active(const Device& device, const ptx::Function& kernel, const LaunchShape& shape, unsigned size) {
  const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  long long each = active_blocks(device, kernel, threads, shape.dynamic_shared);
  const auto all = attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  each = std::min(each, kMostOfClusters);
  if (size <= 2) return static_cast<int>(all * each / size);
  if (all == kOfH100) {
    long long count = 0;
    for (const auto group : kGroupsOfH100) count += group * each / size;
    return static_cast<int>(count);
  }
  // A cluster lies in one group of multiprocessors; the last group has what is left.
  constexpr long long kGroup = 16;
  return static_cast<int>(all / kGroup * (kGroup * each / size) + all % kGroup * each / size);
}

}  // namespace nvmlkit::cuda::clusters
