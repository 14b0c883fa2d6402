// Batches of prefetches and discards. Both are hints here: managed memory stays where it is, and keeps what it holds.
#include "driver/cuda/call.hpp"
#include "driver/cuda/functions/batches.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/work/capture.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_managed(CUdeviceptr address, std::size_t size) {
  const auto found = memory::find(address);
  return found && found->kind == MemoryKind::managed && size > 0 && size <= found->size - (address - found->address);
}

CUresult check(Context& context, const CUdeviceptr* addresses, const std::size_t* sizes, std::size_t count,
               unsigned long long flags, CUstream handle) {
  if (flags != 0 || count == 0 || !batches::takes_batches(handle)) return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get()) return capture->refuse();
  for (std::size_t i = 0; i < count; ++i)
    if (!is_managed(addresses[i], sizes[i])) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult MemPrefetchBatchAsync(Context& context, CUdeviceptr* dptrs, std::size_t* sizes, std::size_t count,
                               CUmemLocation* prefetchLocs, std::size_t* prefetchLocIdxs, std::size_t numPrefetchLocs,
                               unsigned long long flags, CUstream hStream) {
  if (!batches::are_starts(prefetchLocIdxs, numPrefetchLocs, count)) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = check(context, dptrs, sizes, count, flags, hStream); result != CUDA_SUCCESS) return result;
  std::size_t of = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (of + 1 < numPrefetchLocs && prefetchLocIdxs[of + 1] <= i) ++of;
    const auto result = MemPrefetchAsync_v2(context, dptrs[i], sizes[i], prefetchLocs[of], 0, hStream);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult MemDiscardBatchAsync(Context& context, CUdeviceptr* dptrs, std::size_t* sizes, std::size_t count,
                              unsigned long long flags, CUstream hStream) {
  return check(context, dptrs, sizes, count, flags, hStream);
}

CUresult MemDiscardAndPrefetchBatchAsync(Context& context, CUdeviceptr* dptrs, std::size_t* sizes, std::size_t count,
                                         CUmemLocation* prefetchLocs, std::size_t* prefetchLocIdxs,
                                         std::size_t numPrefetchLocs, unsigned long long flags, CUstream hStream) {
  const auto result = MemDiscardBatchAsync(context, dptrs, sizes, count, flags, hStream);
  return result == CUDA_SUCCESS ? MemPrefetchBatchAsync(context, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                                        numPrefetchLocs, flags, hStream)
                                : result;
}

}  // namespace nvmlkit::cuda::functions
