// Layouts of matrices, descriptions of products, preferences, and their attributes.
#pragma once

#include "libraries/cublaslt/functions/attributes.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t create_layout(MatrixLayout** out, cudaDataType type, std::uint64_t rows, std::uint64_t columns,
                             std::int64_t ld);
cublasStatus_t init_layout(MatrixLayout* out, std::size_t size, cudaDataType type, std::uint64_t rows,
                           std::uint64_t columns, std::int64_t ld);
cublasStatus_t create_description(MatmulDescription** out, cublasComputeType_t compute, cudaDataType scalar);
cublasStatus_t init_description(MatmulDescription* out, std::size_t size, cublasComputeType_t compute,
                                cudaDataType scalar);
cublasStatus_t create_preference(Preference** out);
cublasStatus_t init_preference(Preference* out, std::size_t size);

template <class Description>
cublasStatus_t destroy_description(Description* description) {
  return unmake(description);
}

cublasStatus_t set_attribute(MatrixLayout* layout, cublasLtMatrixLayoutAttribute_t which, const void* value,
                             std::size_t size);
cublasStatus_t set_attribute(MatmulDescription* description, cublasLtMatmulDescAttributes_t which, const void* value,
                             std::size_t size);
cublasStatus_t set_attribute(Preference* preference, cublasLtMatmulPreferenceAttributes_t which, const void* value,
                             std::size_t size);
cublasStatus_t get_attribute(MatrixLayout* layout, cublasLtMatrixLayoutAttribute_t which, void* value, std::size_t size,
                             std::size_t* written);
cublasStatus_t get_attribute(MatmulDescription* description, cublasLtMatmulDescAttributes_t which, void* value,
                             std::size_t size, std::size_t* written);
cublasStatus_t get_attribute(Preference* preference, cublasLtMatmulPreferenceAttributes_t which, void* value,
                             std::size_t size, std::size_t* written);

}  // namespace nvmlkit::cublaslt::functions
