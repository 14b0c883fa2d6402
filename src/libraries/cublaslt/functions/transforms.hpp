// cublasLtMatrixTransform, and its description.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t create_transform(TransformDescription** out, cudaDataType scalar);
cublasStatus_t init_transform(TransformDescription* out, std::size_t size, cudaDataType scalar);
cublasStatus_t destroy_transform(TransformDescription* description);
cublasStatus_t set_transform_attribute(TransformDescription* description, cublasLtMatrixTransformDescAttributes_t which,
                                       const void* value, std::size_t size);
cublasStatus_t get_transform_attribute(TransformDescription* description, cublasLtMatrixTransformDescAttributes_t which,
                                       void* value, std::size_t size, std::size_t* written);
cublasStatus_t transform(Handle* handle, TransformDescription* description, const void* alpha, const void* a,
                         MatrixLayout* layout_a, const void* beta, const void* b, MatrixLayout* layout_b, void* c,
                         MatrixLayout* layout_c, CUstream stream);

}  // namespace nvmlkit::cublaslt::functions
