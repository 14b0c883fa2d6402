// Divisive normalization, with the descriptor of local response normalization.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t divide(const Call& call, const Lrn* l, cudnnDivNormMode_t mode, const void* alpha, const Tensor* of_x,
                     const void* x, const void* means, void* temp, void* temp2, const void* beta, const Tensor* of_y,
                     void* y);
cudnnStatus_t divide_gradients(const Call& call, const Lrn* l, cudnnDivNormMode_t mode, const void* alpha,
                               const Tensor* of_x, const void* x, const void* means, const void* dy, void* temp,
                               void* temp2, const void* beta, const Tensor* of_dx, void* dx, void* dmeans);

}  // namespace nvmlkit::cudnn::functions
