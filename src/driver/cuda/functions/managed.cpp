// Advice about managed memory. Host and GPUs always share it: advice is kept and reported, and has no
// effect.
#include <cstring>
#include <mutex>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/work/capture.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr int kHost = -1;           // CU_DEVICE_CPU
constexpr int kNowhere = -2;        // CU_DEVICE_INVALID
constinit std::mutex advice_mutex;  // of all memory

std::shared_ptr<Allocation> managed(CUdeviceptr address, std::size_t size) {
  auto found = memory::find(address);
  if (!found || found->kind != MemoryKind::managed || size > found->size - (address - found->address)) return nullptr;
  return found;
}

CUmemLocation location_of(CUdevice device) {
  return device == kHost ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0}
                         : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device};
}

// The number of a GPU, or of the host.
int number_of(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return location.id;
  return location.type == CU_MEM_LOCATION_TYPE_INVALID ? kNowhere : kHost;
}

CUresult check(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return find_device(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult number(void* data, std::size_t size, int value) {
  if (size != sizeof value) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult tell(const Advice& advice, CUmem_range_attribute attribute, void* data, std::size_t size) {
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return number(data, size, advice.read_mostly);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return number(data, size, number_of(advice.preferred));
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return number(data, size, number_of(advice.prefetched));
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return number(data, size, static_cast<int>(advice.preferred.type));
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return number(data, size, advice.preferred.id);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return number(data, size, static_cast<int>(advice.prefetched.type));
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return number(data, size, advice.prefetched.id);
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
      if (size == 0 || size % sizeof(int) != 0) return CUDA_ERROR_INVALID_VALUE;
      auto next = advice.accessed_by.begin();
      for (std::size_t at = 0; at < size; at += sizeof(int)) {
        const int entry = next == advice.accessed_by.end() ? kNowhere : *next++;
        std::memcpy(static_cast<char*>(data) + at, &entry, sizeof entry);
      }
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult MemAdvise_v2(Context&, CUdeviceptr devPtr, std::size_t count, CUmem_advise advice, CUmemLocation location) {
  const auto allocation = managed(devPtr, count);
  if (!allocation || count == 0) return CUDA_ERROR_INVALID_VALUE;
  const bool needs_location = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                              advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  if (needs_location)
    if (const auto result = check(location); result != CUDA_SUCCESS) return result;
  const std::lock_guard lock(advice_mutex);
  auto& kept = allocation->advice;
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      kept.read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      kept.preferred = location;
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      kept.preferred = {};
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
      kept.accessed_by.insert(number_of(location));
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      kept.accessed_by.erase(number_of(location));
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult MemAdvise(Context& context, CUdeviceptr devPtr, std::size_t count, CUmem_advise advice, CUdevice device) {
  return MemAdvise_v2(context, devPtr, count, advice, location_of(device));
}

CUresult MemPrefetchAsync_v2(Context& context, CUdeviceptr devPtr, std::size_t count, CUmemLocation location,
                             unsigned int flags, CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto capture = stream->capture.get()) return capture->refuse();
  const auto allocation = managed(devPtr, count);
  if (flags != 0 || count == 0 || !allocation) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = check(location); result != CUDA_SUCCESS) return result;
  const std::lock_guard lock(advice_mutex);
  allocation->advice.prefetched = location;
  return CUDA_SUCCESS;
}

CUresult MemPrefetchAsync(Context& context, CUdeviceptr devPtr, std::size_t count, CUdevice dstDevice,
                          CUstream hStream) {
  return MemPrefetchAsync_v2(context, devPtr, count, location_of(dstDevice), 0, hStream);
}

CUresult MemRangeGetAttribute(void* data, std::size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                              std::size_t count) {
  const auto allocation = managed(devPtr, count);
  if (!allocation || count == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(advice_mutex);
  return tell(allocation->advice, attribute, data, dataSize);
}

CUresult MemRangeGetAttributes(void** data, std::size_t* dataSizes, CUmem_range_attribute* attributes,
                               std::size_t numAttributes, CUdeviceptr devPtr, std::size_t count) {
  if (!managed(devPtr, count) || numAttributes == 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < numAttributes; ++i) {
    if (!data[i]) return CUDA_ERROR_INVALID_VALUE;
    const auto result = MemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult PointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  const auto allocation = memory::find(ptr);
  if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !allocation) return CUDA_ERROR_INVALID_VALUE;
  unsigned is_wanted = 0;
  std::memcpy(&is_wanted, value, sizeof is_wanted);
  allocation->is_synchronous = is_wanted != 0;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
