// Tensor maps: descriptions of boxes of tensors for copies by the GPU. The limits are those of NVIDIA's documentation.
#include <algorithm>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "ptx/tensor_map.hpp"

namespace nvmlkit::cuda::functions {
namespace {

using ptx::TensorMap;

constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;

bool is_aligned(const void* address, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(address) % to == 0; }

bool is_float(CUtensorMapDataType type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

// What maps of both kinds have: the tensor, and how it lies in shared memory.
CUresult describe(TensorMap& map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* extents,
                  const cuuint64_t* strides, const cuuint32_t* steps, CUtensorMapInterleave interleave,
                  CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B || promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return CUDA_ERROR_INVALID_VALUE;
  if (rank == 0 || rank > TensorMap::kMostDimensions || !is_aligned(address, 16)) return CUDA_ERROR_INVALID_VALUE;
  if (rank > 1 && !strides) return CUDA_ERROR_INVALID_VALUE;
  if (fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && !is_float(type)) return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t k = 0; k < rank; ++k) {
    if (extents[k] == 0 || extents[k] > kMostExtent || steps[k] == 0 || steps[k] > 8) return CUDA_ERROR_INVALID_VALUE;
    map.last[k] = static_cast<std::uint32_t>(extents[k] - 1);
    map.steps[k] = static_cast<std::uint8_t>(k == 0 ? 1 : steps[k]);
    if (k == 0) continue;
    if (strides[k - 1] % 16 != 0 || strides[k - 1] >= kMostStride) return CUDA_ERROR_INVALID_VALUE;
    map.strides[k - 1] = strides[k - 1];
  }
  // Interleaved tensors, and what only newer GPUs have.
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B || type >= TensorMap::kTypes)
    return CUDA_ERROR_NOT_SUPPORTED;
  map.address = reinterpret_cast<std::uintptr_t>(address);
  map.rank = static_cast<std::uint8_t>(rank);
  map.type = static_cast<std::uint8_t>(type);
  map.swizzle = static_cast<TensorMap::Swizzle>(swizzle);
  map.fills_with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  return CUDA_SUCCESS;
}

// A row of a box in shared memory.
bool may_be_row(const TensorMap& map, std::uint64_t elements) {
  const auto bytes = elements * map.element_size();
  const bool fits = map.swizzle == TensorMap::Swizzle::none || bytes <= 16u << static_cast<unsigned>(map.swizzle);
  return elements != 0 && elements <= 256 && bytes % 16 == 0 && fits;
}

}  // namespace

CUresult TensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                              void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                              const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                              CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
  if (tensorRank < 3 && interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  const auto result = describe(map, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides,
                               interleave, swizzle, l2Promotion, oobFill);
  if (result != CUDA_SUCCESS) return result;
  if (!may_be_row(map, boxDim[0])) return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t k = 0; k < tensorRank; ++k) {
    if (boxDim[k] == 0 || boxDim[k] > 256) return CUDA_ERROR_INVALID_VALUE;
    map.box[k] = static_cast<std::uint16_t>(boxDim[k]);
  }
  std::memcpy(tensorMap, &map, sizeof map);
  return CUDA_SUCCESS;
}

CUresult TensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                               void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                               const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                               cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                               const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                               CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                               CUtensorMapFloatOOBfill oobFill) {
  if (tensorRank < 3) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  const auto result = describe(map, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, elementStrides,
                               interleave, swizzle, l2Promotion, oobFill);
  if (result != CUDA_SUCCESS) return result;
  if (!may_be_row(map, channelsPerPixel)) return CUDA_ERROR_INVALID_VALUE;
  if (pixelsPerColumn == 0 || pixelsPerColumn > 1024) return CUDA_ERROR_INVALID_VALUE;
  // Of more dimensions, fewer bits are left for each.
  const int most = tensorRank == 3 ? 32768 : tensorRank == 4 ? 128 : 16;
  for (cuuint32_t k = 0; k < tensorRank - 2; ++k) {
    const auto low = pixelBoxLowerCorner[k], high = pixelBoxUpperCorner[k];
    if (low < -most || low >= most || high < -most || high >= most) return CUDA_ERROR_INVALID_VALUE;
    if (std::int64_t{map.last[k + 1]} + high < low) return CUDA_ERROR_INVALID_VALUE;
    map.lower[k] = static_cast<std::int16_t>(low);
    map.upper[k] = static_cast<std::int16_t>(high);
  }
  map.is_columns = true;
  map.box[0] = static_cast<std::uint16_t>(channelsPerPixel);
  map.box[1] = static_cast<std::uint16_t>(pixelsPerColumn);
  std::memcpy(tensorMap, &map, sizeof map);
  return CUDA_SUCCESS;
}

CUresult TensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
  if (!is_aligned(globalAddress, 16)) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
  map.address = reinterpret_cast<std::uintptr_t>(globalAddress);
  std::memcpy(tensorMap, &map, sizeof map);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
