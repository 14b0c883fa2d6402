// Normalization of cuDNN 8: batch normalization with a descriptor of its own for the statistics. There is one group.
#pragma once

#include "libraries/cudnn/functions/normalizations.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t derive_normalization_8(Tensor* scale, Tensor* statistics, const Tensor* x, cudnnNormMode_t mode,
                                     int groups);
cudnnStatus_t normalize_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
                          const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                          const Tensor* of_scale, const void* scale, const void* bias, const Tensor* of_statistics,
                          const void* mean, const void* variance, const Tensor* of_z, const void* z,
                          Activation* activation, const Tensor* of_y, void* y, double epsilon, int groups);
cudnnStatus_t train_normalization_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo,
                                    const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                                    const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                    const Tensor* of_statistics, void* running_mean, void* running_variance,
                                    double epsilon, void* saved_mean, void* saved_inverse, Activation* activation,
                                    const Tensor* of_z, const void* z, const Tensor* of_y, void* y, void* work,
                                    size_t work_size, void* reserve, size_t reserve_size, int groups);
cudnnStatus_t normalization_gradients_8(const Call& call, cudnnNormMode_t mode, cudnnNormOps_t ops,
                                        cudnnNormAlgo_t algo, const void* alpha, const void* beta,
                                        const void* alpha_scale, const void* beta_scale, const Tensor* of_x,
                                        const void* x, const Tensor* of_y, const void* y, const Tensor* of_dy,
                                        const void* dy, const Tensor* of_dz, void* dz, const Tensor* of_dx, void* dx,
                                        const Tensor* of_scale, const void* scale, const void* bias, void* dscale,
                                        void* dbias, double epsilon, const Tensor* of_statistics,
                                        const void* saved_mean, const void* saved_inverse, Activation* activation,
                                        void* work, size_t work_size, void* reserve, size_t reserve_size, int groups);

// One group is all that there is in NVIDIA's library, too.
cudnnStatus_t check_8(cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo, int groups);

// No memory is needed besides that of the tensors. The last two arguments are the place of the size and the groups.
template <class... Rest>
cudnnStatus_t no_memory_8(const Call&, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo, Rest... rest) {
  const auto all = std::tuple(rest...);
  if (const auto status = check_8(mode, ops, algo, std::get<sizeof...(Rest) - 1>(all)); status != CUDNN_STATUS_SUCCESS)
    return status;
  size_t* const out = std::get<sizeof...(Rest) - 2>(all);
  if (!out) return bad("no place for the size");
  *out = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
