// Products of two sparse matrices: their sizes are known after the first steps.
#pragma once

#include "libraries/cusparse/functions/objects.hpp"
#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

inline cusparseStatus_t create_product(SparseProduct** out) { return create_object(out); }
inline cusparseStatus_t destroy_product(SparseProduct* product) { return destroy_object(product); }

cusparseStatus_t spgemm_estimate(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                 const void* alpha, const SparseMatrix* a, const SparseMatrix* b, const void* beta,
                                 SparseMatrix* c, cudaDataType compute, cusparseSpGEMMAlg_t algorithm,
                                 SparseProduct* product, std::size_t* size, void* buffer);
cusparseStatus_t spgemm_products(SparseProduct* product, Size* count);
cusparseStatus_t spgemm_memory(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                               cudaDataType compute, cusparseSpGEMMAlg_t algorithm, SparseProduct* product,
                               float fraction, std::size_t* size, void* buffer, std::size_t* next_size);
cusparseStatus_t spgemm_compute(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                                const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                                cudaDataType compute, cusparseSpGEMMAlg_t algorithm, SparseProduct* product,
                                std::size_t* size, void* buffer);
cusparseStatus_t spgemm_copy(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                             const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                             cudaDataType compute, cusparseSpGEMMAlg_t algorithm, SparseProduct* product);

// The same with its structure kept: values may change between products.
cusparseStatus_t reuse_estimate(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c,
                                cusparseSpGEMMAlg_t algorithm, SparseProduct* product, std::size_t* size, void* buffer);
cusparseStatus_t reuse_count(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                             const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c,
                             cusparseSpGEMMAlg_t algorithm, SparseProduct* product, std::size_t* size2, void* buffer2,
                             std::size_t* size3, void* buffer3, std::size_t* size4, void* buffer4);
cusparseStatus_t reuse_copy(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const SparseMatrix* a,
                            const SparseMatrix* b, SparseMatrix* c, cusparseSpGEMMAlg_t algorithm,
                            SparseProduct* product, std::size_t* size, void* buffer);
cusparseStatus_t reuse_compute(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const SparseMatrix* a, const SparseMatrix* b, const void* beta, SparseMatrix* c,
                               cudaDataType compute, cusparseSpGEMMAlg_t algorithm, SparseProduct* product);

}  // namespace nvmlkit::cusparse::functions
