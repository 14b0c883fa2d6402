// Types whose elements are vectors of channels (CUDNN_TENSOR_NCHW_VECT_C), and the order of filters for tensor cores.
#pragma once

#include "libraries/cudnn/types.hpp"

namespace nvmlkit::cudnn {

// Channels of an element; 1: no vector.
constexpr std::int64_t channels_in(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_INT8x4:
    case CUDNN_DATA_UINT8x4:
      return 4;
    case CUDNN_DATA_INT8x32:
      return 32;
    default:
      return 1;
  }
}

constexpr dnn::Type type_of_each(cudnnDataType_t type) {
  if (channels_in(type) == 1) return static_cast<dnn::Type>(type);
  return type == CUDNN_DATA_UINT8x4 ? dnn::Type::u8 : dnn::Type::i8;
}

inline cudnnDataType_t type_of(const dnn::Layout& layout) {
  if (layout.vector == 1) return static_cast<cudnnDataType_t>(layout.type);
  if (layout.vector == 32) return CUDNN_DATA_INT8x32;
  return layout.type == dnn::Type::u8 ? CUDNN_DATA_UINT8x4 : CUDNN_DATA_INT8x4;
}

// Where the numbers of a reordered filter of vectors of 32 lie: 8 filters of one place in space and 32 channels are 256
// bytes. A filter's number is 8 o + 2 a + b, a channel's 32 i + 4 y + z; the bytes are in the order i, space, o, b, y,
// a, z. As other programs report of NVIDIA's library: XLA transposes filters so, and a measurement on a GPU gave the
// same.
inline dnn::Layout reordered_filter(const dnn::Sizes& sizes) {
  dnn::Layout out{dnn::Type::i8, {sizes[0] / 8, 4, 2, sizes[1] / 32, 8, 4}, {256, 4, 128, 0, 16, 1}};
  out.sizes.insert(out.sizes.end(), sizes.begin() + 2, sizes.end());
  out.strides.resize(out.sizes.size());
  std::int64_t stride = 32 * sizes[0];
  for (std::size_t k = out.sizes.size(); k-- > 6; stride *= out.sizes[k]) out.strides[k] = stride;
  out.strides[3] = stride;
  return out;
}

// Of its bias: 32 o + 8 a + 4 b + z, in the order o, b, a, z.
inline dnn::Layout reordered_bias(dnn::Type type, std::int64_t filters) {
  return {type, {filters / 32, 4, 2, 4}, {32, 4, 16, 1}};
}

}  // namespace nvmlkit::cudnn
