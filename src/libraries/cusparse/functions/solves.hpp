// Triangular systems with a sparse matrix.
#pragma once

#include "libraries/cusparse/functions/objects.hpp"
#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

inline cusparseStatus_t create_solver(Solver** out) { return create_object(out); }
inline cusparseStatus_t destroy_solver(Solver* solver) { return destroy_object(solver); }

cusparseStatus_t spsv_size(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                           const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t algorithm,
                           Solver* solver, std::size_t* size);
cusparseStatus_t spsv_analysis(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                               const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t algorithm,
                               Solver* solver, void* buffer);
cusparseStatus_t spsv(const Call& call, cusparseOperation_t op, const void* alpha, const SparseMatrix* a,
                      const DenseVector* x, DenseVector* y, cudaDataType compute, cusparseSpSVAlg_t algorithm,
                      Solver* solver);

cusparseStatus_t spsm_size(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                           const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                           cusparseSpSMAlg_t algorithm, Solver* solver, std::size_t* size);
cusparseStatus_t spsm_analysis(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                               const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                               cusparseSpSMAlg_t algorithm, Solver* solver, void* buffer);
cusparseStatus_t spsm(const Call& call, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                      const SparseMatrix* a, const DenseMatrix* b, DenseMatrix* c, cudaDataType compute,
                      cusparseSpSMAlg_t algorithm, Solver* solver);

// Numbers for the solves that follow: all that the analyzed matrix stores, or those of its diagonal.
cusparseStatus_t spsv_update(const Call& call, Solver* solver, void* values, cusparseSpSVUpdate_t part);
cusparseStatus_t spsm_update(const Call& call, Solver* solver, void* values, cusparseSpSMUpdate_t part);

}  // namespace nvmlkit::cusparse::functions
