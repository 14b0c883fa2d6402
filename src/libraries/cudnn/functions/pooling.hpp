// Pooling.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t set_pooling_2d(Pooling* p, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int height, int width,
                             int pad_h, int pad_w, int stride_h, int stride_w);
cudnnStatus_t get_pooling_2d(const Pooling* p, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* height,
                             int* width, int* pad_h, int* pad_w, int* stride_h, int* stride_w);
cudnnStatus_t set_pooling(Pooling* p, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int count, const int* window,
                          const int* pad, const int* stride);
cudnnStatus_t get_pooling(const Pooling* p, int requested, cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan,
                          int* count, int* window, int* pad, int* stride);
cudnnStatus_t pooled(const Pooling* p, const Tensor* x, int count, int* sizes);
cudnnStatus_t pooled_2d(const Pooling* p, const Tensor* x, int* n, int* c, int* h, int* w);
cudnnStatus_t run_pooling(const Call& call, const Pooling* p, const void* alpha, const Tensor* of_x, const void* x,
                          const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t pooling_gradient(const Call& call, const Pooling* p, const void* alpha, const Tensor* of_y, const void* y,
                               const Tensor* of_dy, const void* dy, const Tensor* of_x, const void* x, const void* beta,
                               const Tensor* of_dx, void* dx);

}  // namespace nvmlkit::cudnn::functions
