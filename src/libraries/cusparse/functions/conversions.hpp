// Between dense and sparse matrices; indices counted, sorted, turned into others.
#pragma once

#include "libraries/cusparse/functions/sparse_objects.hpp"
#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

cusparseStatus_t sparse_to_dense_size(const Call& call, const SparseMatrix* a, DenseMatrix* b,
                                      cusparseSparseToDenseAlg_t algorithm, std::size_t* size);
cusparseStatus_t sparse_to_dense(const Call& call, const SparseMatrix* a, DenseMatrix* b,
                                 cusparseSparseToDenseAlg_t algorithm, void* buffer);
cusparseStatus_t dense_to_sparse_size(const Call& call, const DenseMatrix* a, SparseMatrix* b,
                                      cusparseDenseToSparseAlg_t algorithm, std::size_t* size);
cusparseStatus_t dense_to_sparse_analysis(const Call& call, const DenseMatrix* a, SparseMatrix* b,
                                          cusparseDenseToSparseAlg_t algorithm, void* buffer);
cusparseStatus_t dense_to_sparse(const Call& call, const DenseMatrix* a, SparseMatrix* b,
                                 cusparseDenseToSparseAlg_t algorithm, void* buffer);

cusparseStatus_t identity_permutation(const Call& call, int n, int* p);
cusparseStatus_t coo_to_csr(const Call& call, const int* rows, int count, int m, int* offsets,
                            cusparseIndexBase_t base);
cusparseStatus_t csr_to_coo(const Call& call, const int* offsets, int count, int m, int* rows,
                            cusparseIndexBase_t base);
cusparseStatus_t coosort_size(const Call& call, int m, int n, int count, const int* rows, const int* columns,
                              std::size_t* size);
cusparseStatus_t coosort_by_row(const Call& call, int m, int n, int count, int* rows, int* columns, int* p,
                                void* buffer);
cusparseStatus_t coosort_by_column(const Call& call, int m, int n, int count, int* rows, int* columns, int* p,
                                   void* buffer);
cusparseStatus_t compressed_sort_size(const Call& call, int m, int n, int count, const int* offsets, const int* indices,
                                      std::size_t* size);
// Of rows or of columns: the first number is how many there are.
cusparseStatus_t csrsort(const Call& call, int m, int n, int count, const MatrixOptions* options, const int* offsets,
                         int* indices, int* p, void* buffer);
cusparseStatus_t cscsort(const Call& call, int m, int n, int count, const MatrixOptions* options, const int* offsets,
                         int* indices, int* p, void* buffer);

cusparseStatus_t csr_to_csc_size(const Call& call, int m, int n, int count, const void* values, const int* offsets,
                                 const int* columns, void* out_values, int* out_offsets, int* out_rows,
                                 cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                 cusparseCsr2CscAlg_t algorithm, std::size_t* size);
cusparseStatus_t csr_to_csc(const Call& call, int m, int n, int count, const void* values, const int* offsets,
                            const int* columns, void* out_values, int* out_offsets, int* out_rows, cudaDataType type,
                            cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
                            void* buffer);

}  // namespace nvmlkit::cusparse::functions
