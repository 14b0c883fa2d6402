// Spatial transformers: grids of an affine map, and the bilinear sampler.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t set_spatial(SpatialTransformer* s, cudnnSamplerType_t sampler, cudnnDataType_t type, int count,
                          const int* sizes);
cudnnStatus_t make_grid(const Call& call, const SpatialTransformer* s, const void* theta, void* grid);
cudnnStatus_t grid_gradient(const Call& call, const SpatialTransformer* s, const void* dgrid, void* dtheta);
cudnnStatus_t run_sampler(const Call& call, SpatialTransformer* s, const void* alpha, const Tensor* of_x, const void* x,
                          const void* grid, const void* beta, Tensor* of_y, void* y);
cudnnStatus_t sampler_gradient(const Call& call, SpatialTransformer* s, const void* alpha, const Tensor* of_x,
                               const void* x, const void* beta, const Tensor* of_dx, void* dx, const void* alpha_grid,
                               const Tensor* of_dy, const void* dy, const void* grid, const void* beta_grid,
                               void* dgrid);

}  // namespace nvmlkit::cudnn::functions
