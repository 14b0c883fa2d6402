// Tensors that are added, combined, reduced, set, scaled and copied.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t set_combination(OpTensor* o, cudnnOpTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan);
cudnnStatus_t get_combination(const OpTensor* o, cudnnOpTensorOp_t* op, cudnnDataType_t* type,
                              cudnnNanPropagation_t* nan);
cudnnStatus_t set_reduction(ReduceTensor* r, cudnnReduceTensorOp_t op, cudnnDataType_t type, cudnnNanPropagation_t nan,
                            cudnnReduceTensorIndices_t indices, cudnnIndicesType_t index_type);
cudnnStatus_t get_reduction(const ReduceTensor* r, cudnnReduceTensorOp_t* op, cudnnDataType_t* type,
                            cudnnNanPropagation_t* nan, cudnnReduceTensorIndices_t* indices,
                            cudnnIndicesType_t* index_type);
cudnnStatus_t size_of_indices(const Call& call, const ReduceTensor* r, const Tensor* a, const Tensor* c, size_t* out);
cudnnStatus_t size_of_reduction(const Call& call, const ReduceTensor* r, const Tensor* a, const Tensor* c, size_t* out);

cudnnStatus_t transform(const Call& call, const void* alpha, const Tensor* of_x, const void* x, const void* beta,
                        const Tensor* of_y, void* y);
cudnnStatus_t add(const Call& call, const void* alpha, const Tensor* of_a, const void* a, const void* beta,
                  const Tensor* of_c, void* c);
cudnnStatus_t combine(const Call& call, const OpTensor* o, const void* alpha1, const Tensor* of_a, const void* a,
                      const void* alpha2, const Tensor* of_b, const void* b, const void* beta, const Tensor* of_c,
                      void* c);
cudnnStatus_t run_reduction(const Call& call, const ReduceTensor* r, void* indices, size_t indices_size, void* work,
                            size_t work_size, const void* alpha, const Tensor* of_a, const void* a, const void* beta,
                            const Tensor* of_c, void* c);
cudnnStatus_t fill(const Call& call, const Tensor* of_y, void* y, const void* value);
cudnnStatus_t scale(const Call& call, const Tensor* of_y, void* y, const void* alpha);

}  // namespace nvmlkit::cudnn::functions
