#include "libraries/cudnn/functions/normalizations_8.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

cudnnBatchNormMode_t mode_of(cudnnNormMode_t mode) {
  return mode == CUDNN_NORM_PER_CHANNEL ? CUDNN_BATCHNORM_SPATIAL : CUDNN_BATCHNORM_PER_ACTIVATION;
}
cudnnBatchNormOps_t ops_of(cudnnNormOps_t ops) { return static_cast<cudnnBatchNormOps_t>(ops); }

cudnnStatus_t check_statistics(const Tensor* scale, const Tensor* statistics) {
  if (!are_live(scale, statistics) || !scale->is_set() || !statistics->is_set())
    return bad("a descriptor is none, or not set");
  return scale->layout.sizes == statistics->layout.sizes ? CUDNN_STATUS_SUCCESS : bad("the sizes of the statistics");
}

}  // namespace

cudnnStatus_t check_8(cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo, int groups) {
  if (groups != 1) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "more groups than one");
  if (mode > CUDNN_NORM_PER_CHANNEL || ops > CUDNN_NORM_OPS_NORM_ADD_ACTIVATION || algo > CUDNN_NORM_ALGO_PERSIST)
    return bad("no such mode, fusion or algorithm");
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t derive_normalization_8(Tensor* scale, Tensor* statistics, const Tensor* x, cudnnNormMode_t mode,
                                     int groups) {
  const auto status = check_8(mode, CUDNN_NORM_OPS_NORM, CUDNN_NORM_ALGO_STANDARD, groups);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (!are_live(scale, statistics)) return bad("a descriptor is none");
  if (const auto derived = derive_normalization(scale, x, mode_of(mode)); derived != CUDNN_STATUS_SUCCESS)
    return derived;
  return derive_normalization(statistics, x, mode_of(mode));
}

cudnnStatus_t normalize_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
                          const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                          const Tensor* of_scale, const void* scale, const void* bias, const Tensor* of_statistics,
                          const void* mean, const void* variance, const Tensor*, const void*, Activation*,
                          const Tensor* of_y, void* y, double epsilon, int groups) {
  if (const auto status = check_8(mode, ops, algo, groups); status != CUDNN_STATUS_SUCCESS) return status;
  // As documented.
  if (ops != CUDNN_NORM_OPS_NORM) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "an activation behind an inference");
  if (const auto status = check_statistics(of_scale, of_statistics); status != CUDNN_STATUS_SUCCESS) return status;
  return normalize(call, mode_of(mode), alpha, beta, of_x, x, of_y, y, of_scale, scale, bias, mean, variance, epsilon);
}

cudnnStatus_t train_normalization_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
                                    const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                                    const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                    const Tensor* of_statistics, void* running_mean, void* running_variance,
                                    double epsilon, void* saved_mean, void* saved_inverse, Activation* activation,
                                    const Tensor* of_z, const void* z, const Tensor* of_y, void* y, void* work,
                                    size_t work_size, void* reserve, size_t reserve_size, int groups) {
  if (const auto status = check_8(mode, ops, algo, groups); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_statistics(of_scale, of_statistics); status != CUDNN_STATUS_SUCCESS) return status;
  return train_normalization_fused(call, mode_of(mode), ops_of(ops), alpha, beta, of_x, x, of_z, z, of_y, y, of_scale,
                                   scale, bias, factor, running_mean, running_variance, epsilon, saved_mean,
                                   saved_inverse, activation, work, work_size, reserve, reserve_size);
}

cudnnStatus_t normalization_gradients_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops,
                                        cudnnNormAlgo_t algo, const void* alpha, const void* beta,
                                        const void* alpha_scale, const void* beta_scale, const Tensor* of_x,
                                        const void* x, const Tensor* of_y, const void* y, const Tensor* of_dy,
                                        const void* dy, const Tensor* of_dz, void* dz, const Tensor* of_dx, void* dx,
                                        const Tensor* of_scale, const void* scale, const void* bias, void* dscale,
                                        void* dbias, double epsilon, const Tensor* of_statistics,
                                        const void* saved_mean, const void* saved_inverse, Activation* activation,
                                        void* work, size_t work_size, void* reserve, size_t reserve_size, int groups) {
  if (const auto status = check_8(mode, ops, algo, groups); status != CUDNN_STATUS_SUCCESS) return status;
  if (const auto status = check_statistics(of_scale, of_statistics); status != CUDNN_STATUS_SUCCESS) return status;
  return normalization_gradients_fused(call, mode_of(mode), ops_of(ops), alpha, beta, alpha_scale, beta_scale, of_x, x,
                                       of_y, y, of_dy, dy, of_dz, dz, of_dx, dx, of_scale, scale, bias, dscale, dbias,
                                       epsilon, saved_mean, saved_inverse, activation, work, work_size, reserve,
                                       reserve_size);
}

}  // namespace nvmlkit::cudnn::functions
