// Whether an operation can run.
#include <algorithm>

#include "libraries/cudnn/graph/operations.hpp"

namespace nvmlkit::cudnn::graph {
namespace {

struct ConvolutionNames {
  Name description, x, w, y;
};
ConvolutionNames convolution_names(Kind kind) {
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  if (kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
  return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
}

bool is_convolution(Kind kind) {
  return kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
         kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
         kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}

// Each size of `small` is 1 or that of `sizes`.
bool repeats(const TensorView* small, const dnn::Sizes& sizes) {
  if (!small) return true;
  const auto& own = small->layout.sizes;
  if (own.size() != sizes.size()) return false;
  for (std::size_t k = 0; k < own.size(); ++k)
    if (own[k] != 1 && own[k] != sizes[k]) return false;
  return true;
}

bool matmul_fits(const dnn::Sizes& a, const dnn::Sizes& b, const dnn::Sizes& c) {
  const std::size_t rank = c.size();
  if (rank < 2 || a.size() != rank || b.size() != rank) return false;
  if (a[rank - 2] != c[rank - 2] || b[rank - 1] != c[rank - 1] || a[rank - 1] != b[rank - 2]) return false;
  for (std::size_t k = 0; k + 2 < rank; ++k)
    if (c[k] % a[k] != 0 || c[k] % b[k] != 0) return false;
  return true;
}

bool pointwise_fits(const Content& c) {
  const auto p = pointwise_of(*c.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR));
  const auto* const out = c.tensor_of(dnn::is_backward(p.mode) ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC
                                                               : CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  const auto* const x = c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  const auto* const b = c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  const auto* const dy = c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
  if (!out || (dnn::is_backward(p.mode) ? !dy : !x)) return false;
  if (!dnn::is_backward(p.mode) && dnn::arity(p.mode) >= 2 && !b) return false;
  if (p.mode == dnn::Mode::index && (p.axis < 0 || p.axis >= static_cast<int>(out->layout.sizes.size()))) return false;
  const auto* const t = c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
  if (p.mode == dnn::Mode::select && !t) return false;
  const auto& sizes = out->layout.sizes;
  return repeats(x, sizes) && repeats(b, sizes) && repeats(dy, sizes) && repeats(t, sizes);
}

const char* problem_of_pointwise(const Content& c) {
  const auto mode = static_cast<dnn::Mode>(
      c.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)->get<int>(CUDNN_ATTR_POINTWISE_MODE));
  if (dnn::arity(mode) == 0) return "a pointwise operation of an unknown mode";
  if (dnn::is_backward(mode) && !c.tensor_of(CUDNN_ATTR_OPERATION_POINTWISE_XDESC))
    return "a backward pointwise operation without the input of the forward one";
  return nullptr;
}

const char* problem_of_normalization(const Content& c) {
  const bool is_forward = c.kind == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR;
  const auto mode = c.get<int>(is_forward ? CUDNN_ATTR_OPERATION_NORM_FWD_MODE : CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
  if (mode == CUDNN_GROUP_NORM || mode == CUDNN_ADA_LAYER_NORM) return "group and adaptive normalization";
  if (c.has(is_forward ? CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS : CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS))
    return "normalization over several GPUs";
  if (!is_forward) {
    if (!c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC) ||
        (mode != CUDNN_RMS_NORM && !c.tensor_of(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC)))
      return "backward normalization without the saved statistics";
    return nullptr;
  }
  const bool is_training = c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING;
  if (mode == CUDNN_BATCH_NORM && !c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC))
    return is_training ? "batch normalization that saves no statistics" : "batch normalization without statistics";
  if (!c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC) &&
      !c.tensor_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC))
    return "normalization without scale and statistics";
  return nullptr;
}

const char* problem_of_tensor(const Content& tensor) {
  const auto& layout = tensor.tensor.layout;
  if (dnn::size_of(layout.type) == 0) return "a type of elements";
  for (const auto stride : layout.strides)
    if (stride < 0) return "a stride below 0";
  if (tensor.child(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC)) return "a ragged tensor";
  if (tensor.get<int>(CUDNN_ATTR_TENSOR_REORDERING_MODE) != CUDNN_TENSOR_REORDERING_NONE) return "a reordered tensor";
  if (tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) > 1) return "a vectorized tensor";
  return nullptr;
}

}  // namespace

bool has_right_sizes(const Content& c) {
  if (is_convolution(c.kind)) {
    const auto names = convolution_names(c.kind);
    const Content* const description = c.child(names.description);
    return description->kind == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR &&
           convolution_of(*description)
               .fits(c.tensor_of(names.x)->layout.sizes, c.tensor_of(names.w)->layout.sizes,
                     c.tensor_of(names.y)->layout.sizes);
  }
  if (c.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
    return matmul_fits(c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_ADESC)->layout.sizes,
                       c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_BDESC)->layout.sizes,
                       c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_CDESC)->layout.sizes);
  if (c.kind == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
    return repeats(c.tensor_of(CUDNN_ATTR_OPERATION_REDUCTION_YDESC),
                   c.tensor_of(CUDNN_ATTR_OPERATION_REDUCTION_XDESC)->layout.sizes);
  if (c.kind == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)
    return c.tensor_of(CUDNN_ATTR_OPERATION_RESHAPE_XDESC)->layout.extent() ==
           c.tensor_of(CUDNN_ATTR_OPERATION_RESHAPE_YDESC)->layout.extent();
  if (c.kind == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
    return c.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)->kind == CUDNN_BACKEND_POINTWISE_DESCRIPTOR &&
           pointwise_fits(c);
  return true;
}

const TensorView* factor_of(const Content& c) {
  if (c.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) return c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  if (c.kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)
    return c.tensor_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
  return is_convolution(c.kind) ? c.tensor_of(convolution_names(c.kind).x) : nullptr;
}

const char* problem_of(const Content& c) {
  for (const Rule* const rule : rules_of(c.kind)) {
    const Content* const child = c.child(rule->name);
    if (!child || child->kind != CUDNN_BACKEND_TENSOR_DESCRIPTOR) continue;
    if (const char* const problem = problem_of_tensor(*child)) return problem;
  }
  if (!is_simulated(c.kind)) return name_of(c.kind);
  if (c.kind == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) return problem_of_pointwise(c);
  if (c.kind == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR ||
      c.kind == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR)
    return problem_of_normalization(c);
  if (c.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR &&
      (c.child(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC) ||
       c.child(CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC) ||
       c.child(CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC)))
    return "a product of matrices whose sizes come from the device";
  return nullptr;
}

double work_of(const Content& c) {
  if (is_convolution(c.kind)) {
    const auto names = convolution_names(c.kind);
    return convolution_of(*c.child(names.description))
        .operations(c.tensor_of(names.w)->layout.sizes, c.tensor_of(names.y)->layout.sizes);
  }
  if (c.kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
    return 2.0 * static_cast<double>(c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_CDESC)->layout.count()) *
           static_cast<double>(c.tensor_of(CUDNN_ATTR_OPERATION_MATMUL_ADESC)->layout.sizes.back());
  double out = 0;
  for (const Rule* const rule : rules_of(c.kind))
    if (const auto* const view = c.tensor_of(rule->name); view && rule->role != Role::setting)
      out = std::max(out, static_cast<double>(view->layout.count()));
  return out;
}

}  // namespace nvmlkit::cudnn::graph
