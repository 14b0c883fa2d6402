// The gradient of data of a convolution with steps, as one without steps of folded tensors.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

// Sets the descriptors of the folded convolution and of the transforms before and behind it. `unfold_dx` may be null.
cudnnStatus_t fold_convolution(const Handle* handle, const Filter* w, const Tensor* dy, const Convolution* c,
                               const Tensor* dx, cudnnTensorFormat_t format, Filter* folded_w, Tensor* padded_dy,
                               Convolution* folded_c, Tensor* folded_dx, TensorTransform* fold_w,
                               TensorTransform* pad_dy, TensorTransform* fold_dx, TensorTransform* unfold_dx);

}  // namespace nvmlkit::cudnn::functions
