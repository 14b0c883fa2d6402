// Local response normalization.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t set_response(Lrn* l, unsigned n, double alpha, double beta, double k);
cudnnStatus_t get_response(const Lrn* l, unsigned* n, double* alpha, double* beta, double* k);
cudnnStatus_t respond(const Call& call, const Lrn* l, cudnnLRNMode_t mode, const void* alpha, const Tensor* of_x,
                      const void* x, const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t response_gradient(const Call& call, const Lrn* l, cudnnLRNMode_t mode, const void* alpha,
                                const Tensor* of_y, const void* y, const Tensor* of_dy, const void* dy,
                                const Tensor* of_x, const void* x, const void* beta, const Tensor* of_dx, void* dx);

}  // namespace nvmlkit::cudnn::functions
