// Activations, pooling, softmax.
#pragma once

#include "libraries/cudnn/call.hpp"
#include "libraries/dnn/pointwise.hpp"

namespace nvmlkit::cudnn::functions {

// Of the forward direction; nothing for a mode that is none.
std::optional<dnn::Pointwise> pointwise_of(const Activation& a);

cudnnStatus_t set_activation(Activation* a, cudnnActivationMode_t mode, cudnnNanPropagation_t nan, double coefficient);
cudnnStatus_t get_activation(const Activation* a, cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan,
                             double* coefficient);
cudnnStatus_t set_swish(Activation* a, double beta);
cudnnStatus_t get_swish(Activation* a, double* beta);
cudnnStatus_t activate(const Call& call, Activation* a, const void* alpha, const Tensor* of_x, const void* x,
                       const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t activate_back(const Call& call, Activation* a, const void* alpha, const Tensor* of_y, const void* y,
                            const Tensor* of_dy, const void* dy, const Tensor* of_x, const void* x, const void* beta,
                            const Tensor* of_dx, void* dx);

cudnnStatus_t run_softmax(const Call& call, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode, const void* alpha,
                          const Tensor* of_x, const void* x, const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t softmax_gradient(const Call& call, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                               const void* alpha, const Tensor* of_y, const void* y, const Tensor* of_dy,
                               const void* dy, const void* beta, const Tensor* of_dx, void* dx);

}  // namespace nvmlkit::cudnn::functions
