// Batch normalization.
#pragma once

#include <tuple>

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t derive_normalization(Tensor* out, const Tensor* x, cudnnBatchNormMode_t mode);
cudnnStatus_t normalize(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                        const Tensor* of_x, const void* x, const Tensor* of_y, void* y, const Tensor* of_scale,
                        const void* scale, const void* bias, const void* mean, const void* variance, double epsilon);
cudnnStatus_t train_normalization(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                                  const Tensor* of_x, const void* x, const Tensor* of_y, void* y,
                                  const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                  void* running_mean, void* running_variance, double epsilon, void* saved_mean,
                                  void* saved_inverse);
cudnnStatus_t train_normalization_fused(const Call& call, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
                                        const void* alpha, const void* beta, const Tensor* of_x, const void* x,
                                        const Tensor* of_z, const void* z, const Tensor* of_y, void* y,
                                        const Tensor* of_scale, const void* scale, const void* bias, double factor,
                                        void* running_mean, void* running_variance, double epsilon, void* saved_mean,
                                        void* saved_inverse, Activation* activation, void* work, size_t work_size,
                                        void* reserve, size_t reserve_size);
cudnnStatus_t normalization_gradients(const Call& call, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
                                      const void* alpha_scale, const void* beta_scale, const Tensor* of_x,
                                      const void* x, const Tensor* of_dy, const void* dy, const Tensor* of_dx, void* dx,
                                      const Tensor* of_scale, const void* scale, void* dscale, void* dbias,
                                      double epsilon, const void* saved_mean, const void* saved_inverse);
cudnnStatus_t normalization_gradients_fused(const Call& call, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
                                            const void* alpha, const void* beta, const void* alpha_scale,
                                            const void* beta_scale, const Tensor* of_x, const void* x,
                                            const Tensor* of_y, const void* y, const Tensor* of_dy, const void* dy,
                                            const Tensor* of_dz, void* dz, const Tensor* of_dx, void* dx,
                                            const Tensor* of_scale, const void* scale, const void* bias, void* dscale,
                                            void* dbias, double epsilon, const void* saved_mean,
                                            const void* saved_inverse, Activation* activation, void* work,
                                            size_t work_size, void* reserve, size_t reserve_size);

// No memory is needed besides that of the tensors.
template <class... Rest>
cudnnStatus_t no_memory(const Call&, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t, Rest... rest) {
  size_t* const out = std::get<sizeof...(Rest) - 1>(std::tuple(rest...));
  if (!out || mode > CUDNN_BATCHNORM_SPATIAL_PERSISTENT) return bad("no place for the size");
  *out = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cudnn::functions
