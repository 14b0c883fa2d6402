#include "libraries/cudnn/functions/pooling.hpp"

#include <algorithm>

#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/sampling.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

dnn::Pool pool_of(const Pooling& p) {
  dnn::Pool out;
  if (p.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) out.kind = dnn::Pool::Kind::average;
  if (p.mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING) out.kind = dnn::Pool::Kind::average_inside;
  out.keeps_nan = p.nan == CUDNN_PROPAGATE_NAN;
  out.window.assign(p.window.begin(), p.window.end());
  out.pad.assign(p.pad.begin(), p.pad.end());
  out.stride.assign(p.stride.begin(), p.stride.end());
  return out;
}

cudnnStatus_t check_pooling(const Pooling* p, const Tensor* x, const Tensor* y) {
  if (!are_live(p) || !are_live(x, y) || p->window.empty() || !x->is_set() || !y->is_set())
    return bad("a descriptor is none, or not set");
  if (x->layout.sizes.size() != p->window.size() + 2) return bad("the number of dimensions");
  const bool crops = std::any_of(p->pad.begin(), p->pad.end(), [](int pad) { return pad < 0; });
  if (p->window.size() > 3 || crops)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 3 dimensions, or a padding below 0");
  return pool_of(*p).output(x->layout.sizes) == y->layout.sizes ? CUDNN_STATUS_SUCCESS : bad("the sizes of the output");
}

Cost cost_of_pooling(const Pooling& p, const Operand& y) {
  double window = 1;
  for (const int size : p.window) window *= size;
  return {.operations = window * static_cast<double>(y.layout.count()), .bytes = window * y.bytes()};
}

template <class T>
void give(T* out, T value) {
  if (out) *out = value;
}

}  // namespace

cudnnStatus_t set_pooling_2d(Pooling* p, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int height, int width,
                             int pad_h, int pad_w, int stride_h, int stride_w) {
  const int window[] = {height, width}, pad[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w};
  return set_pooling(p, mode, nan, 2, window, pad, stride);
}

cudnnStatus_t get_pooling_2d(const Pooling* p, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* height,
                             int* width, int* pad_h, int* pad_w, int* stride_h, int* stride_w) {
  if (!are_live(p)) return bad("the descriptor is none");
  give(mode, p->mode), give(nan, p->nan), give(height, value_at(p->window, 0)), give(width, value_at(p->window, 1));
  give(pad_h, value_at(p->pad, 0)), give(pad_w, value_at(p->pad, 1));
  give(stride_h, value_at(p->stride, 0)), give(stride_w, value_at(p->stride, 1));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_pooling(Pooling* p, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int count, const int* window,
                          const int* pad, const int* stride) {
  if (!are_live(p)) return bad("the descriptor is none");
  if (mode > CUDNN_POOLING_MAX_DETERMINISTIC || nan > CUDNN_PROPAGATE_NAN || !window || !pad || !stride || count < 1)
    return bad("no such mode, or no sizes");
  if (count > 6) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 6 dimensions");
  for (int k = 0; k < count; ++k)
    if (window[k] < 1 || stride[k] < 1) return bad("a window or stride below 1");
  *p = {mode, nan, {window, window + count}, {pad, pad + count}, {stride, stride + count}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_pooling(const Pooling* p, int requested, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan,
                          int* count, int* window, int* pad, int* stride) {
  if (!are_live(p) || requested < 0) return bad("the descriptor is none");
  give(mode, p->mode), give(nan, p->nan), give(count, static_cast<int>(p->window.size()));
  for (std::size_t k = 0; k < std::min(p->window.size(), static_cast<std::size_t>(requested)); ++k) {
    if (window) window[k] = p->window[k];
    if (pad) pad[k] = p->pad[k];
    if (stride) stride[k] = p->stride[k];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t pooled(const Pooling* p, const Tensor* x, int count, int* sizes) {
  if (!are_live(p) || !are_live(x) || p->window.empty() || !x->is_set() || !sizes)
    return bad("a descriptor is none, or not set");
  if (x->layout.sizes.size() != p->window.size() + 2 || static_cast<std::size_t>(count) != x->layout.sizes.size())
    return bad("the number of dimensions");
  const auto found = pool_of(*p).output(x->layout.sizes);
  for (std::size_t k = 0; k < found.size(); ++k) sizes[k] = static_cast<int>(std::max<std::int64_t>(found[k], 0));
  return std::find(sizes, sizes + count, 0) == sizes + count ? CUDNN_STATUS_SUCCESS : bad("the output is empty");
}

cudnnStatus_t pooled_2d(const Pooling* p, const Tensor* x, int* n, int* c, int* h, int* w) {
  int sizes[4] = {};
  const auto status = pooled(p, x, 4, sizes);
  give(n, sizes[0]), give(c, sizes[1]), give(h, sizes[2]), give(w, sizes[3]);
  return status;
}

cudnnStatus_t run_pooling(const Call& call, const Pooling* p, const void* alpha, const Tensor* of_x, const void* x,
                          const void* beta, const Tensor* of_y, void* y) {
  if (const auto status = check_pooling(p, of_x, of_y); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !y) return bad("no memory of a tensor");
  const Operand from(of_x, x), to(of_y, y);
  return call.compute(from.is_double(), cost_of_pooling(*p, to),
                      [=, how = pool_of(*p), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::pool(how, from.read<T>(running), to.sizes()), factors.alpha,
                                 factors.beta);
                      });
}

cudnnStatus_t pooling_gradient(const Call& call, const Pooling* p, const void* alpha, const Tensor* of_y, const void* y,
                               const Tensor* of_dy, const void* dy, const Tensor* of_x, const void* x, const void* beta,
                               const Tensor* of_dx, void* dx) {
  for (const Tensor* const out : {of_y, of_dy})
    if (const auto status = check_pooling(p, of_x, out); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_pooling(p, of_dx, of_dy); status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !y || !dy || !dx || of_x->layout.sizes != of_dx->layout.sizes) return bad("no memory of a tensor");
  const Operand from(of_x, x), gradient(of_dy, dy), to(of_dx, dx);
  return call.compute(from.is_double(), cost_of_pooling(*p, gradient),
                      [=, how = pool_of(*p), factors = Factors(alpha, beta, from)](auto number, Running& running) {
                        using T = decltype(number);
                        to.write(running, dnn::pool_back(how, from.read<T>(running), gradient.read<T>(running)),
                                 factors.alpha, factors.beta);
                      });
}

}  // namespace nvmlkit::cudnn::functions
