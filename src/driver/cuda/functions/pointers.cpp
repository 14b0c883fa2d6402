// Properties of an address.
#include <cstring>

#include "driver/cuda/attribute_values.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// Of an allocation that the address lies in. What the driver cannot tell is not supported.
CUresult tell(const Allocation& a, CUdeviceptr address, CUpointer_attribute attribute, void* data) {
  const bool is_device = a.kind == MemoryKind::device || a.kind == MemoryKind::mapped || a.kind == MemoryKind::foreign;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return write_value(data, a.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: {
      const bool on_device = is_device || a.kind == MemoryKind::managed;
      return write_value<unsigned>(data, on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    }
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return write_value(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return is_device ? CUDA_ERROR_INVALID_VALUE : write_value(data, address);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return write_value(data, a.is_synchronous ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return write_value(data, a.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return write_value(data, a.kind == MemoryKind::managed ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return write_value(data, a.device->ordinal());
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return write_value(data, 0u);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return write_value(data, a.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return write_value(data, static_cast<std::size_t>(a.size));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return write_value(data, 1u);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return write_value<cuuint64_t>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return write_value<unsigned>(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return write_value<CUmemoryPool>(data, nullptr);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// Bytes that an attribute is; 0 for what is none.
std::size_t size_of(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return 8;
    default:
      return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && attribute <= CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID ? 4 : 0;
  }
}

}  // namespace

CUresult PointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  const auto allocation = memory::find(ptr);
  return allocation ? tell(*allocation, ptr, attribute, data) : CUDA_ERROR_INVALID_VALUE;
}

CUresult PointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                              CUdeviceptr ptr) {
  if (numAttributes == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto allocation = memory::find(ptr);
  for (unsigned i = 0; i < numAttributes; ++i) {
    if (!size_of(attributes[i]) || !data[i]) return CUDA_ERROR_INVALID_VALUE;
    if (allocation && tell(*allocation, ptr, attributes[i], data[i]) == CUDA_SUCCESS) continue;
    std::memset(data[i], 0, size_of(attributes[i]));
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) write_value(data[i], -2);
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
