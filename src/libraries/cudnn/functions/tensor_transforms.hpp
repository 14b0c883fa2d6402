// Tensors and filters in another layout, with padding; the patches of a convolution.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

// What is null stays as it was.
cudnnStatus_t set_transform(TensorTransform* t, std::uint32_t count, cudnnTensorFormat_t format,
                            const std::int32_t* before, const std::int32_t* after, const std::uint32_t* folds,
                            cudnnFoldingDirection_t direction);
cudnnStatus_t get_transform(TensorTransform* t, std::uint32_t count, cudnnTensorFormat_t* format, std::int32_t* before,
                            std::int32_t* after, std::uint32_t* folds, cudnnFoldingDirection_t* direction);
cudnnStatus_t init_destination(const TensorTransform* t, const Tensor* from, Tensor* to, std::size_t* bytes);
cudnnStatus_t transform_tensor(const Call& call, const TensorTransform* t, const void* alpha, const Tensor* of_x,
                               const void* x, const void* beta, const Tensor* of_y, void* y);
cudnnStatus_t transform_filter(const Call& call, const TensorTransform* t, const void* alpha, const Filter* of_x,
                               const void* x, const void* beta, const Filter* of_y, void* y);
cudnnStatus_t make_patches(const Call& call, const Tensor* of_x, const void* x, const Filter* of_w,
                           const Convolution* c, void* out);

}  // namespace nvmlkit::cudnn::functions
