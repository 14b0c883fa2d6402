#include "libraries/cudnn/functions/tensors.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

constexpr int kMostDimensions = 8;

// Channels last: N, space, C.
dnn::Sizes strides_of(cudnnTensorFormat_t format, const dnn::Sizes& sizes) {
  if (format != CUDNN_TENSOR_NHWC) return dnn::dense_strides(sizes);
  dnn::Sizes out(sizes.size());
  out[1] = 1;
  std::int64_t stride = sizes[1];
  for (std::size_t k = sizes.size(); k-- > 2; stride *= sizes[k]) out[k] = stride;
  out[0] = stride;
  return out;
}

// The graph interface has more types.
cudnnStatus_t check(cudnnDataType_t type, int count, const int* sizes, const char* function) {
  if (!sizes) return bad("no sizes");
  if (type > CUDNN_DATA_BFLOAT16) return bad("no type of elements of such a descriptor");
  if (count > kMostDimensions) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 8 dimensions");
  if (count < 2) return bad("less than 2 dimensions");
  for (int k = 0; k < count; ++k)
    if (sizes[k] <= 0) return bad("a size below 1");
  if (!is_type(type)) return not_simulated(function, ("of the type " + std::to_string(type)).c_str());
  return CUDNN_STATUS_SUCCESS;
}

bool is_of_vectors(cudnnDataType_t type) {
  return type == CUDNN_DATA_INT8x4 || type == CUDNN_DATA_UINT8x4 || type == CUDNN_DATA_INT8x32;
}

cudnnStatus_t set(dnn::Layout& out, cudnnDataType_t type, int count, const int* sizes, cudnnTensorFormat_t format,
                  const char* function) {
  if (format > CUDNN_TENSOR_NCHW_VECT_C) return bad("no such format");
  if (format == CUDNN_TENSOR_NCHW_VECT_C && !is_of_vectors(type)) return bad("a format of vectors of another type");
  if (const auto status = check(type, count, sizes, function); status != CUDNN_STATUS_SUCCESS) return status;
  out.type = static_cast<dnn::Type>(type);
  out.sizes.assign(sizes, sizes + count);
  out.strides = strides_of(format, out.sizes);
  return CUDNN_STATUS_SUCCESS;
}

template <class T>
void tell(T* out, T value) {
  if (out) *out = value;
}

void tell(const dnn::Sizes& values, int* out, int count) {
  const auto most = static_cast<std::size_t>(std::max(count, 0));
  for (std::size_t k = 0; out && k < values.size() && k < most; ++k) out[k] = static_cast<int>(values[k]);
}

}  // namespace

void set_layout(dnn::Layout& out, dnn::Type type, const int* sizes, cudnnTensorFormat_t format) {
  out.type = type;
  out.sizes.assign(sizes, sizes + 4);
  out.strides = strides_of(format, out.sizes);
}

cudnnStatus_t set_tensor_4d(Tensor* t, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c, int h, int w) {
  if (!are_live(t)) return bad("the descriptor is none");
  const int sizes[] = {n, c, h, w};
  return set(t->layout, type, 4, sizes, format, "cudnnSetTensor4dDescriptor");
}

cudnnStatus_t set_tensor_4d_strides(Tensor* t, cudnnDataType_t type, int n, int c, int h, int w, int of_n, int of_c,
                                    int of_h, int of_w) {
  const int sizes[] = {n, c, h, w}, strides[] = {of_n, of_c, of_h, of_w};
  return set_tensor(t, type, 4, sizes, strides);
}

cudnnStatus_t set_tensor(Tensor* t, cudnnDataType_t type, int count, const int* sizes, const int* strides) {
  if (!are_live(t)) return bad("the descriptor is none");
  if (const auto status = check(type, count, sizes, "cudnnSetTensorNdDescriptor"); status != CUDNN_STATUS_SUCCESS)
    return status;
  if (!strides) return bad("no strides");
  for (int k = 0; k < count; ++k) {
    if (strides[k] == 0 && sizes[k] != 1) return bad("a stride of 0");
    if (strides[k] < 0) return not_simulated("cudnnSetTensorNdDescriptor", "with a stride below 0");
  }
  t->layout = {static_cast<dnn::Type>(type), dnn::Sizes(sizes, sizes + count), dnn::Sizes(strides, strides + count)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_tensor_of_format(Tensor* t, cudnnTensorFormat_t format, cudnnDataType_t type, int count,
                                   const int* sizes) {
  if (!are_live(t)) return bad("the descriptor is none");
  return set(t->layout, type, count, sizes, format, "cudnnSetTensorNdDescriptorEx");
}

cudnnStatus_t get_tensor_4d(const Tensor* t, cudnnDataType_t* type, int* n, int* c, int* h, int* w, int* of_n,
                            int* of_c, int* of_h, int* of_w) {
  if (!are_live(t)) return bad("the descriptor is none");
  int* const sizes[] = {n, c, h, w};
  int* const strides[] = {of_n, of_c, of_h, of_w};
  tell(type, static_cast<cudnnDataType_t>(t->layout.type));
  for (std::size_t k = 0; k < 4; ++k) {
    tell(sizes[k], value_at(t->layout.sizes, k));
    tell(strides[k], value_at(t->layout.strides, k));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_tensor(const Tensor* t, int requested, cudnnDataType_t* type, int* count, int* sizes, int* strides) {
  if (!are_live(t)) return bad("the descriptor is none");
  tell(type, static_cast<cudnnDataType_t>(t->layout.type));
  tell(count, static_cast<int>(t->layout.sizes.size()));
  tell(t->layout.sizes, sizes, requested);
  tell(t->layout.strides, strides, requested);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_tensor(const Tensor* t, size_t* out) {
  if (!are_live(t) || !out) return bad("the descriptor is none");
  *out = t->is_set() ? static_cast<std::size_t>(t->layout.extent()) * dnn::size_of(t->layout.type) : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_filter_4d(Filter* f, cudnnDataType_t type, cudnnTensorFormat_t format, int k, int c, int h, int w) {
  const int sizes[] = {k, c, h, w};
  return set_filter(f, type, format, 4, sizes);
}

cudnnStatus_t set_filter(Filter* f, cudnnDataType_t type, cudnnTensorFormat_t format, int count, const int* sizes) {
  if (!are_live(f)) return bad("the descriptor is none");
  if (count < 3) return bad("less than 3 dimensions");
  if (type == CUDNN_DATA_INT32) return bad("a filter of int32");
  const auto status = set(f->layout, type, count, sizes, format, "cudnnSetFilterNdDescriptor");
  if (status == CUDNN_STATUS_SUCCESS) f->format = format;
  return status;
}

cudnnStatus_t get_filter_4d(const Filter* f, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* k, int* c, int* h,
                            int* w) {
  if (!are_live(f)) return bad("the descriptor is none");
  int* const sizes[] = {k, c, h, w};
  tell(type, static_cast<cudnnDataType_t>(f->layout.type));
  tell(format, f->format);
  for (std::size_t d = 0; d < 4; ++d) tell(sizes[d], value_at(f->layout.sizes, d));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_filter(const Filter* f, int requested, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* count,
                         int* sizes) {
  if (!are_live(f)) return bad("the descriptor is none");
  tell(type, static_cast<cudnnDataType_t>(f->layout.type));
  tell(format, f->format);
  tell(count, static_cast<int>(f->layout.sizes.size()));
  tell(f->layout.sizes, sizes, requested);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t size_of_filter(const Filter* f, size_t* out) {
  if (!are_live(f) || !out) return bad("the descriptor is none");
  *out = f->is_set() ? static_cast<std::size_t>(f->layout.count()) * dnn::size_of(f->layout.type) : 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
