#include "libraries/cudnn/functions/tensors.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"
#include "libraries/cudnn/vectors.hpp"

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
cudnnStatus_t check(cudnnDataType_t type, int count, const int* sizes) {
  if (!sizes) return bad("no sizes");
  if (type > CUDNN_DATA_BFLOAT16) return bad("no type of elements of such a descriptor");
  if (count > kMostDimensions) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 8 dimensions");
  if (count < 2) return bad("less than 2 dimensions");
  for (int k = 0; k < count; ++k)
    if (sizes[k] <= 0) return bad("a size below 1");
  return CUDNN_STATUS_SUCCESS;
}

// As NVIDIA's library: a tensor has whole vectors, and a filter those that are whole.
cudnnStatus_t set_of_vectors(dnn::Layout& out, cudnnDataType_t type, int count, const int* sizes, bool is_filter) {
  const auto vector = channels_in(type);
  if (!is_filter && sizes[1] % vector != 0) return bad("channels that fill no vectors");
  out = {type_of_each(type), dnn::Sizes(sizes, sizes + count), {}, vector};
  auto of_vectors = out.sizes;
  of_vectors[1] /= vector;
  out.sizes[1] = of_vectors[1] * vector;
  out.strides = dnn::dense_strides(of_vectors);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set(dnn::Layout& out, cudnnDataType_t type, int count, const int* sizes, cudnnTensorFormat_t format,
                  const char* function, bool is_filter = false) {
  if (format > CUDNN_TENSOR_NCHW_VECT_C) return bad("no such format");
  if (format == CUDNN_TENSOR_NCHW_VECT_C && channels_in(type) == 1) return bad("a format of vectors of another type");
  if (const auto status = check(type, count, sizes); status != CUDNN_STATUS_SUCCESS) return status;
  if (format == CUDNN_TENSOR_NCHW_VECT_C) return set_of_vectors(out, type, count, sizes, is_filter);
  if (!is_type(type)) return not_simulated(function, "of vectors in another format");
  out = {static_cast<dnn::Type>(type), dnn::Sizes(sizes, sizes + count), {}};
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
  out = {type, dnn::Sizes(sizes, sizes + 4), {}};
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
  if (const auto status = check(type, count, sizes); status != CUDNN_STATUS_SUCCESS) return status;
  if (!strides) return bad("no strides");
  for (int k = 0; k < count; ++k) {
    if (strides[k] == 0 && sizes[k] != 1) return bad("a stride of 0");
    if (strides[k] < 0) return not_simulated("cudnnSetTensorNdDescriptor", "with a stride below 0");
  }
  if (!is_type(type)) return not_simulated("cudnnSetTensorNdDescriptor", "of vectors with strides");
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
  tell(type, type_of(t->layout));
  for (std::size_t k = 0; k < 4; ++k) {
    tell(sizes[k], value_at(t->layout.sizes, k));
    tell(strides[k], value_at(t->layout.strides, k));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_tensor(const Tensor* t, int requested, cudnnDataType_t* type, int* count, int* sizes, int* strides) {
  if (!are_live(t)) return bad("the descriptor is none");
  tell(type, type_of(t->layout));
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
  const auto status = set(f->layout, type, count, sizes, format, "cudnnSetFilterNdDescriptor", true);
  if (status == CUDNN_STATUS_SUCCESS) f->format = format;
  return status;
}

cudnnStatus_t get_filter_4d(const Filter* f, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* k, int* c, int* h,
                            int* w) {
  if (!are_live(f)) return bad("the descriptor is none");
  int* const sizes[] = {k, c, h, w};
  tell(type, type_of(f->layout));
  tell(format, f->format);
  for (std::size_t d = 0; d < 4; ++d) tell(sizes[d], value_at(f->layout.sizes, d));
  // As NVIDIA's library: here it counts four channels in each vector, also in those of 32.
  if (f->layout.vector > 1) tell(c, static_cast<int>(f->layout.sizes[1] / f->layout.vector * 4));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_filter(const Filter* f, int requested, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* count,
                         int* sizes) {
  if (!are_live(f)) return bad("the descriptor is none");
  tell(type, type_of(f->layout));
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
