// Convolutions and their gradients.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t convolve(const Call& call, const void* alpha, const Tensor* of_x, const void* x, const Filter* of_w,
                       const void* w, const Convolution* c, cudnnConvolutionFwdAlgo_t algo, void* work,
                       size_t work_size, const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t convolve_fused(const Call& call, const void* alpha1, const Tensor* of_x, const void* x,
                             const Filter* of_w, const void* w, const Convolution* c, cudnnConvolutionFwdAlgo_t algo,
                             void* work, size_t work_size, const void* alpha2, const Tensor* of_z, const void* z,
                             const Tensor* of_bias, const void* bias, const Activation* activation, const Tensor* of_y,
                             void* y);
cudnnStatus_t convolve_to_data(const Call& call, const void* alpha, const Filter* of_w, const void* w,
                               const Tensor* of_dy, const void* dy, const Convolution* c,
                               cudnnConvolutionBwdDataAlgo_t algo, void* work, size_t work_size, const void* beta,
                               const Tensor* of_dx, void* dx);
cudnnStatus_t convolve_to_filter(const Call& call, const void* alpha, const Tensor* of_x, const void* x,
                                 const Tensor* of_dy, const void* dy, const Convolution* c,
                                 cudnnConvolutionBwdFilterAlgo_t algo, void* work, size_t work_size, const void* beta,
                                 const Filter* of_dw, void* dw);
cudnnStatus_t convolve_to_bias(const Call& call, const void* alpha, const Tensor* of_dy, const void* dy,
                               const void* beta, const Tensor* of_db, void* db);
// A filter of INT8x32 and its bias in the order that tensor cores take.
cudnnStatus_t reorder_filter(const Call& call, const Filter* of_w, cudnnReorderType_t type, const void* from, void* to,
                             int has_bias, const void* bias, void* to_bias);

}  // namespace nvmlkit::cudnn::functions
