// What stands for the types of cuDNN's headers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "libraries/common/driver.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cudnn/generated/types.hpp"
#include "libraries/dnn/layout.hpp"

namespace nvmlkit::cudnn {

using cuda::CUgraph;
using libraries::CUstream;

struct Handle {
  const libraries::Driver* driver = nullptr;
  CUstream stream = nullptr;
};

// A descriptor without sizes is not set yet.
struct Tensor {
  dnn::Layout layout;
  bool is_set() const { return !layout.sizes.empty(); }
};

struct Filter {
  dnn::Layout layout;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  bool is_set() const { return !layout.sizes.empty(); }
};

struct Convolution {
  std::vector<int> pad, stride, dilation;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math_type = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder_type = CUDNN_DEFAULT_REORDER;
  int groups = 1;
};

struct Pooling {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  std::vector<int> window, pad, stride;
};

struct Activation {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0, swish_beta = 1;
};

struct Lrn {
  unsigned n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};

struct OpTensor {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
};

struct ReduceTensor {
  cudnnReduceTensorOp_t op = CUDNN_REDUCE_TENSOR_ADD;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  cudnnIndicesType_t index_type = CUDNN_32BIT_INDICES;
};

// `states` is memory of the device: the seed, and how many numbers were drawn.
struct Dropout {
  float rate = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};

// Of eight dimensions, whatever the tensors have. `folds`: of the dimensions in space.
struct TensorTransform {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  std::array<std::int32_t, 8> before{}, after{};
  std::array<std::uint32_t, 6> folds{};
  cudnnFoldingDirection_t direction = CUDNN_TRANSFORM_FOLD;
};

struct SpatialTransformer {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> sizes;  // of the output
};

struct CtcLoss {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnLossNormalizationMode_t normalization = CUDNN_LOSS_NORMALIZATION_NONE;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnCTCGradMode_t gradients = CUDNN_CTC_ZERO_OOB_GRADIENTS;
  int longest_label = 0;
};

struct Rnn {
  cudnnRNNAlgo_t algo = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t mode = CUDNN_RNN_RELU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, math = CUDNN_DATA_FLOAT;
  cudnnMathType_t math_type = CUDNN_DEFAULT_MATH;
  std::int32_t input_size = 0, hidden_size = 0, projected_size = 0, layers = 0;
  Dropout* dropout = nullptr;  // as the program gave it
  Dropout dropped;             // what it was then
  std::uint32_t flags = 0;
  cudnnRNNClipMode_t clip = CUDNN_RNN_CLIP_NONE;
  cudnnNanPropagation_t clip_nan = CUDNN_NOT_PROPAGATE_NAN;
  double clip_low = 0, clip_high = 0;
  bool is_set() const { return layers > 0; }
};

struct RnnData {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int longest = 0, batch = 0, width = 0;
  std::vector<int> lengths;
  std::optional<double> fill;  // what stands behind a sequence of the output
};

// `sizes` by cudnnSeqDataAxis_t; `axes`: the order in which they lie, the last one fastest.
struct SequenceData {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int, 4> sizes{};
  std::array<cudnnSeqDataAxis_t, 4> axes{};
  std::vector<int> lengths;    // by batch, then by beam
  std::optional<double> fill;  // what stands behind a sequence of the output
  bool is_set() const { return !lengths.empty(); }
};

struct Attention {
  unsigned mode = 0;
  int heads = 0;
  double scale = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, math = CUDNN_DATA_FLOAT;
  cudnnMathType_t math_type = CUDNN_DEFAULT_MATH;
  Dropout *of_shares = nullptr, *of_output = nullptr;  // as the program gave them
  Dropout shares_dropped, output_dropped;              // what they were then
  std::array<int, 3> widths{};
  std::array<int, 4> projected{};
  int longest_query = 0, longest_key = 0, most_batches = 0, most_beams = 0;
  bool is_set() const { return heads > 0; }
};

// Parameters of fused operations, by their labels: copies of descriptors, and numbers of enums.
struct FusedConstants {
  cudnnFusedOps_t ops = CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS;
  std::map<unsigned, Tensor> tensors;
  std::map<unsigned, Filter> filters;
  std::map<unsigned, Convolution> convolutions;
  std::map<unsigned, Activation> activations;
  std::map<unsigned, int> numbers;

  int number(unsigned label) const {
    const auto found = numbers.find(label);
    return found == numbers.end() ? 0 : found->second;
  }
};
// Pointers, and the bytes of numbers.
struct FusedVariants {
  cudnnFusedOps_t ops = CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS;
  std::map<unsigned, std::uint64_t> values;

  std::uint64_t value(unsigned label) const {
    const auto found = values.find(label);
    return found == values.end() ? 0 : found->second;
  }
  void* pointer(cudnnFusedOpsVariantParamLabel_t label) const { return reinterpret_cast<void*>(value(label)); }
};
struct FusedPlan {
  cudnnFusedOps_t ops = CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS;
  std::optional<FusedConstants> made;
};

namespace graph {
struct Content;
}
struct BackendDescriptor {
  std::shared_ptr<graph::Content> content;
};

// Results of the choice of an algorithm; all three are alike.
template <class Algorithm>
struct Performance {
  Algorithm algo;
  cudnnStatus_t status;
  float time;
  std::size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t math_type;
  int reserved[3];
};
using ForwardPerformance = Performance<cudnnConvolutionFwdAlgo_t>;
using DataPerformance = Performance<cudnnConvolutionBwdDataAlgo_t>;
using FilterPerformance = Performance<cudnnConvolutionBwdFilterAlgo_t>;

struct Debug {
  unsigned cudnn_version;
  cudnnStatus_t status;
  unsigned time_sec, time_usec, time_delta;
  Handle* handle;
  CUstream stream;
  unsigned long long pid, tid;
  int cuda_device_id;
  int reserved[15];
};
using Callback = void (*)(cudnnSeverity_t severity, void* data, const Debug* debug, const char* message);

}  // namespace nvmlkit::cudnn
