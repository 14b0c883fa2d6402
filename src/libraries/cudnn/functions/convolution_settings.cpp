#include "libraries/cudnn/functions/convolution_settings.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

constexpr int kMostInSpace = 6;

template <class T>
void answer(T* out, T value) {
  if (out) *out = value;
}

dnn::Sizes wide(const std::vector<int>& values, std::size_t count) {
  dnn::Sizes out(values.begin(), values.end());
  out.resize(std::min(count, out.size()));
  return out;
}

}  // namespace

dnn::Convolution convolution_of(const Convolution& c) {
  const auto count = c.pad.size();
  return {wide(c.pad, count), wide(c.pad, count), wide(c.stride, count), wide(c.dilation, count),
          c.mode == CUDNN_CONVOLUTION};
}

cudnnStatus_t check_convolution(const Convolution* c, const Tensor* x, const Filter* w, const Tensor* y) {
  if (!are_live(c) || !are_live(w) || !are_live(x, y) || c->pad.empty() || !w->is_set() || !x->is_set() || !y->is_set())
    return bad("a descriptor is none, or not set");
  const auto& sizes = x->layout.sizes;
  if (sizes.size() < 3 || sizes.size() > 5 || c->pad.size() + 2 < sizes.size())
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the number of dimensions");
  if (w->layout.sizes.size() != sizes.size() || sizes[1] != w->layout.sizes[1] * c->groups ||
      !convolution_of(*c).fits(sizes, w->layout.sizes, y->layout.sizes))
    return bad("the sizes of a convolution");
  if ((x->layout.type == dnn::Type::f64) != (y->layout.type == dnn::Type::f64))
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "double and another type");
  if (x->layout.vector != w->layout.vector) return bad("the vectors of the input and of the filter");
  if (y->layout.vector != x->layout.vector && (y->layout.vector > 1 || y->layout.type != dnn::Type::f32))
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the vectors of the output");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_convolution_2d(Convolution* c, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w,
                                 cudnnConvolutionMode_t mode, cudnnDataType_t type) {
  const int pad[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
  return set_convolution(c, 2, pad, stride, dilation, mode, type);
}

cudnnStatus_t get_convolution_2d(const Convolution* c, int* pad_h, int* pad_w, int* u, int* v, int* dilation_h,
                                 int* dilation_w, cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
  if (!are_live(c)) return bad("the descriptor is none");
  answer(pad_h, value_at(c->pad, 0)), answer(pad_w, value_at(c->pad, 1)), answer(u, value_at(c->stride, 0)),
      answer(v, value_at(c->stride, 1));
  answer(dilation_h, value_at(c->dilation, 0)), answer(dilation_w, value_at(c->dilation, 1));
  answer(mode, c->mode), answer(type, c->compute_type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_convolution(Convolution* c, int count, const int* pad, const int* stride, const int* dilation,
                              cudnnConvolutionMode_t mode, cudnnDataType_t type) {
  if (!are_live(c)) return bad("the descriptor is none");
  if (!pad || !stride || !dilation || count < 0) return bad("no paddings, strides or dilations");
  if (count > kMostInSpace) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 6 dimensions");
  for (int k = 0; k < count; ++k)
    if (pad[k] < 0 || stride[k] <= 0 || dilation[k] <= 0)
      return bad("a padding below 0, or a stride or dilation below 1");
  if (mode > CUDNN_CROSS_CORRELATION) return bad("no such mode");
  if (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE && type != CUDNN_DATA_HALF && type != CUDNN_DATA_INT32)
    return bad("the type of the sums");
  c->pad.assign(pad, pad + count), c->stride.assign(stride, stride + count);
  c->dilation.assign(dilation, dilation + count);
  c->mode = mode, c->compute_type = type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_convolution(const Convolution* c, int requested, int* count, int* pad, int* stride, int* dilation,
                              cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
  if (!are_live(c) || requested < 0) return bad("the descriptor is none");
  answer(count, static_cast<int>(c->pad.size()));
  for (std::size_t k = 0; k < std::min(c->pad.size(), static_cast<std::size_t>(requested)); ++k) {
    if (pad) pad[k] = c->pad[k];
    if (stride) stride[k] = c->stride[k];
    if (dilation) dilation[k] = c->dilation[k];
  }
  answer(mode, c->mode), answer(type, c->compute_type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_math_type(Convolution* c, cudnnMathType_t type) {
  if (!are_live(c) || type > CUDNN_FMA_MATH) return bad("the descriptor is none");
  c->math_type = type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_math_type(Convolution* c, cudnnMathType_t* type) {
  if (!are_live(c) || !type) return bad("the descriptor is none");
  *type = c->math_type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t set_groups(Convolution* c, int groups) {
  if (!are_live(c) || groups < 1) return bad("the descriptor is none, or less than 1 group");
  c->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_groups(Convolution* c, int* groups) {
  if (!are_live(c) || !groups) return bad("the descriptor is none");
  *groups = c->groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t set_reorder(Convolution* c, cudnnReorderType_t type) {
  if (!are_live(c) || type > CUDNN_NO_REORDER) return bad("the descriptor is none");
  c->reorder_type = type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t get_reorder(Convolution* c, cudnnReorderType_t* type) {
  if (!are_live(c) || !type) return bad("the descriptor is none");
  *type = c->reorder_type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t output_2d(const Convolution* c, const Tensor* x, const Filter* w, int* n, int* k, int* h, int* width) {
  int sizes[4] = {};
  const auto status = output_of(c, x, w, 4, sizes);
  answer(n, sizes[0]), answer(k, sizes[1]), answer(h, sizes[2]), answer(width, sizes[3]);
  return status;
}

cudnnStatus_t output_of(const Convolution* c, const Tensor* x, const Filter* w, int count, int* sizes) {
  if (!are_live(c) || !are_live(x) || !are_live(w) || !x->is_set() || !w->is_set() || !sizes)
    return bad("a descriptor is none, or not set");
  const auto rank = x->layout.sizes.size();
  if (static_cast<std::size_t>(count) != rank || w->layout.sizes.size() != rank || c->pad.size() + 2 != rank)
    return bad("the number of dimensions");
  std::fill_n(sizes, rank, 0);
  if (x->layout.sizes[1] != w->layout.sizes[1] * c->groups) return bad("the number of channels");
  const auto found = convolution_of(*c).output(x->layout.sizes, w->layout.sizes);
  for (std::size_t k = 0; k < rank; ++k) sizes[k] = static_cast<int>(std::max<std::int64_t>(found[k], 0));
  return std::find(sizes, sizes + rank, 0) == sizes + rank ? CUDNN_STATUS_SUCCESS : bad("the output is empty");
}

}  // namespace nvmlkit::cudnn::functions
