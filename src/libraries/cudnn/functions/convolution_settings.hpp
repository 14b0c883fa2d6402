// Descriptors of convolutions, choice of algorithms, sizes.
#pragma once

#include "libraries/cudnn/call.hpp"
#include "libraries/dnn/convolution.hpp"

namespace nvmlkit::cudnn::functions {

dnn::Convolution convolution_of(const Convolution& c);
// Whether the three belong together.
cudnnStatus_t check_convolution(const Convolution* c, const Tensor* x, const Filter* w, const Tensor* y);

cudnnStatus_t set_convolution_2d(Convolution* c, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w,
                                 cudnnConvolutionMode_t mode, cudnnDataType_t type);
cudnnStatus_t get_convolution_2d(const Convolution* c, int* pad_h, int* pad_w, int* u, int* v, int* dilation_h,
                                 int* dilation_w, cudnnConvolutionMode_t* mode, cudnnDataType_t* type);
cudnnStatus_t set_convolution(Convolution* c, int count, const int* pad, const int* stride, const int* dilation,
                              cudnnConvolutionMode_t mode, cudnnDataType_t type);
cudnnStatus_t get_convolution(const Convolution* c, int requested, int* count, int* pad, int* stride, int* dilation,
                              cudnnConvolutionMode_t* mode, cudnnDataType_t* type);
cudnnStatus_t set_math_type(Convolution* c, cudnnMathType_t type);
cudnnStatus_t get_math_type(Convolution* c, cudnnMathType_t* type);
cudnnStatus_t set_groups(Convolution* c, int groups);
cudnnStatus_t get_groups(Convolution* c, int* groups);
cudnnStatus_t set_reorder(Convolution* c, cudnnReorderType_t type);
cudnnStatus_t get_reorder(Convolution* c, cudnnReorderType_t* type);
cudnnStatus_t output_2d(const Convolution* c, const Tensor* x, const Filter* w, int* n, int* k, int* h, int* width);
cudnnStatus_t output_of(const Convolution* c, const Tensor* x, const Filter* w, int count, int* sizes);

}  // namespace nvmlkit::cudnn::functions
