#include "libraries/cudnn/functions/fused_labels.hpp"

#include <initializer_list>
#include <iterator>

namespace nvmlkit::cudnn::functions {
namespace {

// A bit for each label; those of scalars stand behind those of pointers.
constexpr std::uint64_t bits(std::initializer_list<unsigned> labels) {
  std::uint64_t out = 0;
  for (const unsigned label : labels) out |= std::uint64_t{1} << label;
  return out;
}
constexpr unsigned kScalars = 32, kFirstScalar = CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES;
constexpr unsigned kSize = kScalars, kCount = kScalars + 1, kFactor = kScalars + 2, kEpsilon = kScalars + 3;

// By cudnnFusedOps_t, as NVIDIA's library takes them.
constexpr std::uint64_t kConstants[] = {
    bits({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 18}),
    bits({0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 14, 15}),
    bits({2, 3, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}),
    bits({2, 3, 4, 5, 19, 20, 21, 24, 25}),
    bits({0, 1, 3, 4, 6, 7, 8, 9, 12, 13, 26, 27, 28, 29, 30}),
    bits({0, 1, 2, 3, 4, 5, 6, 12, 13, 26, 27, 28, 29, 30, 31, 32}),
    bits({0, 1, 2, 6, 14, 15, 19, 20, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 38}),
};
constexpr std::uint64_t kVariants[] = {
    bits({0, 1, 2, 3, 5, 7, 8, 9, kSize}),
    bits({0, 1, 2, 4, 6, 9, kSize}),
    bits({1, 2, 7, 8, 9, 10, 11, 12, 13, 14, 15, kSize, kCount, kFactor, kEpsilon}),
    bits({1, 2, 9, 10, 11, 14, 15, kSize, kEpsilon}),
    bits({0, 1, 3, 5, 9, 16, 17, 18, kSize}),
    bits({0, 1, 2, 5, 9, 16, 17, 18, 19, kSize}),
    bits({0, 6, 9, 10, 11, 12, 13, 19, 20, 21, 22, 23, kSize, kEpsilon}),
};

struct Pointer {
  cudnnFusedOpsConstParamLabel_t constant;
  cudnnFusedOpsVariantParamLabel_t variant;
};
constexpr Pointer kPointers[] = {
    {CUDNN_PARAM_XDATA_PLACEHOLDER, CUDNN_PTR_XDATA},
    {CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE},
    {CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS},
    {CUDNN_PARAM_WDATA_PLACEHOLDER, CUDNN_PTR_WDATA},
    {CUDNN_PARAM_DWDATA_PLACEHOLDER, CUDNN_PTR_DWDATA},
    {CUDNN_PARAM_YDATA_PLACEHOLDER, CUDNN_PTR_YDATA},
    {CUDNN_PARAM_DYDATA_PLACEHOLDER, CUDNN_PTR_DYDATA},
    {CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM},
    {CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM},
    {CUDNN_PARAM_BN_SCALE_PLACEHOLDER, CUDNN_PTR_BN_SCALE},
    {CUDNN_PARAM_BN_BIAS_PLACEHOLDER, CUDNN_PTR_BN_BIAS},
    {CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER, CUDNN_PTR_BN_SAVED_MEAN},
    {CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER, CUDNN_PTR_BN_SAVED_INVSTD},
    {CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_MEAN},
    {CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_VAR},
};

bool has(const std::uint64_t (&labels)[7], cudnnFusedOps_t ops, unsigned label) {
  return ops < std::size(labels) && label < 64 && (labels[ops] >> label & 1) != 0;
}

}  // namespace

FusedKind kind_of(cudnnFusedOpsConstParamLabel_t label) {
  switch (label) {
    case CUDNN_PARAM_XDESC:
    case CUDNN_PARAM_BN_EQSCALEBIAS_DESC:
    case CUDNN_PARAM_YDESC:
    case CUDNN_PARAM_DYDESC:
    case CUDNN_PARAM_YSTATS_DESC:
    case CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC:
    case CUDNN_PARAM_ZDESC:
    case CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC:
    case CUDNN_PARAM_ACTIVATION_BITMASK_DESC:
    case CUDNN_PARAM_DXDESC:
    case CUDNN_PARAM_DZDESC:
      return FusedKind::tensor;
    case CUDNN_PARAM_WDESC:
    case CUDNN_PARAM_DWDESC:
      return FusedKind::filter;
    case CUDNN_PARAM_CONV_DESC:
      return FusedKind::convolution;
    case CUDNN_PARAM_ACTIVATION_DESC:
      return FusedKind::activation;
    default:
      return FusedKind::number;
  }
}

bool has_parameter(cudnnFusedOps_t ops, cudnnFusedOpsConstParamLabel_t label) { return has(kConstants, ops, label); }
bool has_parameter(cudnnFusedOps_t ops, cudnnFusedOpsVariantParamLabel_t label) {
  const unsigned number = label;
  if (number >= kFirstScalar)
    return number < kFirstScalar + kScalars && has(kVariants, ops, number - kFirstScalar + kScalars);
  return number < kScalars && has(kVariants, ops, number);
}

std::optional<cudnnFusedOpsVariantParamLabel_t> pointer_of(cudnnFusedOpsConstParamLabel_t label) {
  for (const auto& [constant, variant] : kPointers)
    if (constant == label) return variant;
  return std::nullopt;
}

}  // namespace nvmlkit::cudnn::functions
