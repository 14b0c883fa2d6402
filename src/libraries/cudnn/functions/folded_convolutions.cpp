#include "libraries/cudnn/functions/folded_convolutions.hpp"

#include <algorithm>
#include <array>

#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/tensor_transforms.hpp"
#include "libraries/cudnn/functions/tensors.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Channels are filled up to this number, as NVIDIA's library does.
constexpr int kChannels = 8;

int rounded(int a, int b) { return (a + b - 1) / b * b; }
int at(const dnn::Layout& layout, std::size_t k) { return static_cast<int>(layout.sizes[k]); }

// Numbers of the four dimensions.
using Four = std::array<std::int32_t, 4>;

struct Folded {
  Four before_w{}, after_w{}, after_dy{}, after_dx{}, cut_dx{};
  Four w{}, dx{}, dy{};
  std::array<std::uint32_t, 2> folds{};
  Convolution c;
};

// Steps become folds: the filter is padded until its padding and its size are multiples of them. `outputs`: sizes of
// what the convolution makes. What of dx it does not reach stays outside.
Folded folded_of(const Filter& w, const Convolution& c, const Tensor& dx, const dnn::Sizes& outputs) {
  Folded out;
  out.c = c;
  const int fold = c.stride[0] * c.stride[1], filters = at(w.layout, 0), channels = at(w.layout, 1);
  const int more = rounded(channels * fold, kChannels) / fold - channels;
  out.after_w[0] = out.after_dy[1] = rounded(filters, kChannels) - filters;
  out.after_w[1] = out.after_dx[1] = more;
  out.cut_dx[1] = -more;
  out.w = {filters + out.after_w[0], (channels + more) * fold};
  out.dx = {at(dx.layout, 0), (at(dx.layout, 1) + more) * fold};
  for (std::size_t k = 0; k < 2; ++k) {
    const int step = c.stride[k], pad = (c.pad[k] + step - 1) / step, window = at(w.layout, k + 2);
    const int size = at(dx.layout, k + 2),
              last = static_cast<int>(outputs[k + 2] - 1) * step + c.dilation[k] * (window - 1);
    out.folds[k] = static_cast<std::uint32_t>(step);
    out.c.pad[k] = pad;
    out.c.stride[k] = 1;
    out.before_w[k + 2] = pad * step - c.pad[k];
    const int high = out.before_w[k + 2] + window;
    out.after_w[k + 2] = rounded(high, step) - high;
    out.w[k + 2] = rounded(high, step) / step;
    out.dx[k + 2] = rounded(std::min(size, last + 1 - c.pad[k]), step) / step;
    out.cut_dx[k + 2] = size - out.dx[k + 2] * step;
    out.after_dx[k + 2] = std::min(0, -out.cut_dx[k + 2]);
  }
  return out;
}

dnn::Sizes sizes_of(const Four& from) { return {from.begin(), from.end()}; }

// What the folded convolution makes, beside what the other one does.
bool find_dy(Folded& f, const Tensor& dy, const dnn::Sizes& outputs) {
  const auto folded = convolution_of(f.c).output(sizes_of(f.dx), sizes_of(f.w));
  for (std::size_t k = 0; k < 4; ++k) {
    if (k >= 2) f.after_dy[k] = static_cast<std::int32_t>(folded[k] - outputs[k]);
    f.dy[k] = at(dy.layout, k) + f.after_dy[k];
    if (f.dy[k] < 1 || f.w[k] < 1 || f.dx[k] < 1) return false;
  }
  return true;
}

cudnnTensorFormat_t format_of(const dnn::Layout& layout) {
  Tensor last;
  const std::array sizes{at(layout, 0), at(layout, 1), at(layout, 2), at(layout, 3)};
  set_layout(last.layout, layout.type, sizes.data(), CUDNN_TENSOR_NHWC);
  return last.layout.strides == layout.strides ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

bool is_ready(const Filter* w, const Tensor* dy, const Convolution* c, const Tensor* dx) {
  return are_live(w) && are_live(dy, dx) && are_live(c) && w->layout.sizes.size() == 4 &&
         dy->layout.sizes.size() == 4 && dx->layout.sizes.size() == 4 && c->pad.size() == 2;
}

}  // namespace

cudnnStatus_t fold_convolution(const Handle* handle, const Filter* w, const Tensor* dy, const Convolution* c,
                               const Tensor* dx, cudnnTensorFormat_t format, Filter* folded_w, Tensor* padded_dy,
                               Convolution* folded_c, Tensor* folded_dx, TensorTransform* fold_w,
                               TensorTransform* pad_dy, TensorTransform* fold_dx, TensorTransform* unfold_dx) {
  if (!Live<Handle>::has(handle)) return bad("the handle is none");
  if (!is_ready(w, dy, c, dx)) return bad("a descriptor is none, or not one of two dimensions in space");
  if (!are_live(folded_w) || !are_live(padded_dy, folded_dx) || !are_live(folded_c) ||
      !are_live(fold_w, pad_dy, fold_dx) || (unfold_dx && !are_live(unfold_dx)))
    return bad("a descriptor for an answer is none");
  if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the format of the transforms");
  const auto outputs = convolution_of(*c).output(dx->layout.sizes, w->layout.sizes);
  Folded f = folded_of(*w, *c, *dx, outputs);
  if (!find_dy(f, *dy, outputs)) return bad("the convolution reaches nothing of its input");
  const auto fold = [&](TensorTransform* t, cudnnTensorFormat_t to, const Four& before, const Four& after,
                        const std::uint32_t* folds, cudnnFoldingDirection_t way) {
    *t = TensorTransform();
    return set_transform(t, 4, to, before.data(), after.data(), folds, way);
  };
  fold(fold_w, format, f.before_w, f.after_w, f.folds.data(), CUDNN_TRANSFORM_FOLD);
  fold(pad_dy, format, {}, f.after_dy, nullptr, CUDNN_TRANSFORM_FOLD);
  fold(fold_dx, format, {}, f.after_dx, f.folds.data(), CUDNN_TRANSFORM_FOLD);
  if (unfold_dx) fold(unfold_dx, format_of(dx->layout), {}, f.cut_dx, f.folds.data(), CUDNN_TRANSFORM_UNFOLD);
  folded_w->format = format;
  set_layout(folded_w->layout, w->layout.type, f.w.data(), format);
  set_layout(padded_dy->layout, dy->layout.type, f.dy.data(), format);
  set_layout(folded_dx->layout, dx->layout.type, f.dx.data(), format);
  *folded_c = f.c;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
