#include "libraries/cudnn/functions/tensor_transforms.hpp"

#include <algorithm>

#include "libraries/cudnn/functions/convolution_settings.hpp"
#include "libraries/cudnn/functions/tensors.hpp"
#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/places.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

constexpr std::uint32_t kMostTransformed = 8;

std::int64_t fold_of(const TensorTransform& t, std::size_t dimension) {
  return dimension < 2 ? 1 : std::max<std::int64_t>(1, t.folds[dimension - 2]);
}

bool has_folds(const TensorTransform& t, std::size_t count) {
  for (std::size_t k = 2; k < count; ++k)
    if (fold_of(t, k) > 1) return true;
  return false;
}

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// Padded, then folded; or unfolded, then padded. What is folded out of the space goes to the channels.
dnn::Sizes sizes_after(const TensorTransform& t, dnn::Sizes sizes) {
  const bool folds = t.direction == CUDNN_TRANSFORM_FOLD;
  const auto pad = [&] {
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] += t.before[k] + t.after[k];
  };
  if (folds) pad();
  for (std::size_t k = 2; k < sizes.size(); ++k) {
    const auto by = fold_of(t, k);
    sizes[1] = folds ? sizes[1] * by : rounded_up(sizes[1], by);
    sizes[k] = folds ? rounded_up(sizes[k], by) : sizes[k] * by;
  }
  if (!folds) pad();
  return sizes;
}

dnn::Folding folding_of(const TensorTransform& t, std::size_t count) {
  dnn::Folding out{dnn::Sizes(t.before.begin(), t.before.begin() + static_cast<std::ptrdiff_t>(count)),
                   dnn::Sizes(t.after.begin(), t.after.begin() + static_cast<std::ptrdiff_t>(count)),
                   {}};
  for (std::size_t k = 2; k < count; ++k) out.folds.push_back(fold_of(t, k));
  return out;
}

template <class T>
dnn::Array<T> transformed(const dnn::Array<T>& from, const dnn::Folding& how, bool folds, bool unfolds,
                          const dnn::Sizes& sizes) {
  if (folds) return dnn::folded(from, how, sizes);
  return unfolds ? dnn::unfolded(from, how, sizes) : dnn::padded(from, how.before, sizes);
}

cudnnStatus_t transform(const Call& call, const TensorTransform* t, const void* alpha, const Operand& from,
                        const void* beta, const Operand& to) {
  const auto count = from.sizes().size();
  if (to.sizes() != sizes_after(*t, from.sizes())) return bad("the sizes of the destination");
  if (!from.address || !to.address) return bad("no memory of a tensor");
  const Factors factors(alpha, beta, to);
  const bool has = has_folds(*t, count), folds = has && t->direction == CUDNN_TRANSFORM_FOLD, unfolds = has && !folds;
  // As reported of NVIDIA's library.
  if (folds && factors.beta != 0) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "folding adds nothing to what was there");
  if (unfolds && (t->before[1] > 0 || t->after[1] > 0)) return call.unsupported("unfolding into more channels");
  const Cost cost{.operations = 2.0 * static_cast<double>(to.layout.count()), .bytes = from.bytes() + to.bytes()};
  return call.compute(to.is_double(), cost, [=, how = folding_of(*t, count)](auto number, Running& running) {
    to.write(running, transformed(from.read<decltype(number)>(running), how, folds, unfolds, to.sizes()), factors.alpha,
             factors.beta);
  });
}

}  // namespace

cudnnStatus_t set_transform(TensorTransform* t, std::uint32_t count, cudnnTensorFormat_t format,
                            const std::int32_t* before, const std::int32_t* after, const std::uint32_t* folds,
                            cudnnFoldingDirection_t direction) {
  if (!are_live(t) || count < 2) return bad("the descriptor is none, or less than 2 dimensions");
  if (count > kMostTransformed) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more than 8 dimensions");
  if (static_cast<int>(format) > static_cast<int>(CUDNN_TENSOR_NCHW_VECT_C))
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "no such format");
  t->format = format;
  t->direction = direction;
  if (before) std::copy_n(before, count, t->before.begin());
  if (after) std::copy_n(after, count, t->after.begin());
  if (folds) std::copy_n(folds, count - 2, t->folds.begin());
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get_transform(TensorTransform* t, std::uint32_t count, cudnnTensorFormat_t* format, std::int32_t* before,
                            std::int32_t* after, std::uint32_t* folds, cudnnFoldingDirection_t* direction) {
  if (!are_live(t) || count < 3 || count > kMostTransformed) return bad("the descriptor is none, or the dimensions");
  if (format) *format = t->format;
  if (before) std::copy_n(t->before.begin(), count, before);
  if (after) std::copy_n(t->after.begin(), count, after);
  if (folds) std::copy_n(t->folds.begin(), count - 2, folds);
  if (direction) *direction = t->direction;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t init_destination(const TensorTransform* t, const Tensor* from, Tensor* to, std::size_t* bytes) {
  if (!are_live(t) || !are_live(from, to) || !bytes) return bad("a descriptor is none, or no place for the size");
  if (!from->is_set()) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the source is not set");
  if (from->layout.vector > 1) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a source of vectors");
  const auto sizes = sizes_after(*t, from->layout.sizes);
  if (std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size < 1; })) return bad("a size below 1");
  if (t->format != CUDNN_TENSOR_NCHW && t->format != CUDNN_TENSOR_NHWC)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the format of the destination");
  std::vector<int> narrow(sizes.begin(), sizes.end());
  // As NVIDIA's library: one dimension in space has no channels behind it.
  const auto format = sizes.size() < 4 ? CUDNN_TENSOR_NCHW : t->format;
  const auto status = set_tensor_of_format(to, format, static_cast<cudnnDataType_t>(from->layout.type),
                                           static_cast<int>(narrow.size()), narrow.data());
  return status == CUDNN_STATUS_SUCCESS ? size_of_tensor(to, bytes) : status;
}

cudnnStatus_t transform_tensor(const Call& call, const TensorTransform* t, const void* alpha, const Tensor* of_x,
                               const void* x, const void* beta, const Tensor* of_y, void* y) {
  if (!are_live(t) || !are_live(of_x, of_y) || !of_x->is_set() || !of_y->is_set())
    return bad("a descriptor is none, or not set");
  return transform(call, t, alpha, Operand(of_x, x), beta, Operand(of_y, y));
}

cudnnStatus_t transform_filter(const Call& call, const TensorTransform* t, const void* alpha, const Filter* of_x,
                               const void* x, const void* beta, const Filter* of_y, void* y) {
  if (!are_live(t) || !are_live(of_x, of_y) || !of_x->is_set() || !of_y->is_set())
    return bad("a descriptor is none, or not set");
  return transform(call, t, alpha, Operand(of_x, x), beta, Operand(of_y, y));
}

cudnnStatus_t make_patches(const Call& call, const Tensor* of_x, const void* x, const Filter* of_w,
                           const Convolution* c, void* out) {
  if (!are_live(c) || !are_live(of_x) || !are_live(of_w)) return bad("a descriptor is none");
  std::vector<int> sizes(of_x->layout.sizes.size());
  const auto status = output_of(c, of_x, of_w, static_cast<int>(sizes.size()), sizes.data());
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (!x || !out) return bad("no memory of a tensor");
  const dnn::Sizes y(sizes.begin(), sizes.end());
  const Operand from(of_x, x);
  const auto& w = of_w->layout.sizes;
  const dnn::Sizes rows_and_columns{y[0] * dnn::product({y.begin() + 2, y.end()}),
                                    from.sizes()[1] * dnn::product({w.begin() + 2, w.end()})};
  const Operand to(dnn::Layout{from.layout.type, rows_and_columns, dnn::dense_strides(rows_and_columns)}, out);
  const Cost cost{.operations = static_cast<double>(to.layout.count()), .bytes = from.bytes() + to.bytes()};
  return call.compute(to.is_double(), cost, [=, how = convolution_of(*c)](auto number, Running& running) {
    to.write(running, dnn::patches(how, from.read<decltype(number)>(running), w, y));
  });
}

}  // namespace nvmlkit::cudnn::functions
