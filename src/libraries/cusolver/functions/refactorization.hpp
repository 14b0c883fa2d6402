// cuSolverRf: factors of a sparse matrix that are made again for other numbers. The work is done in the default stream.
#pragma once

#include "libraries/cusolver/call.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_refactorization(Refactorization** out);
cusolverStatus_t destroy_refactorization(Refactorization* handle);

cusolverStatus_t get_format(Refactorization* handle, cusolverRfMatrixFormat_t* format, cusolverRfUnitDiagonal_t* unit);
cusolverStatus_t set_format(Refactorization* handle, cusolverRfMatrixFormat_t format, cusolverRfUnitDiagonal_t unit);
cusolverStatus_t get_numbers(Refactorization* handle, double* zero, double* boost);
cusolverStatus_t set_numbers(Refactorization* handle, double zero, double boost);
cusolverStatus_t get_boost(Refactorization* handle, cusolverRfNumericBoostReport_t* report);
cusolverStatus_t get_ways(Refactorization* handle, cusolverRfFactorization_t* factorization,
                          cusolverRfTriangularSolve_t* solve);
cusolverStatus_t set_ways(Refactorization* handle, cusolverRfFactorization_t factorization,
                          cusolverRfTriangularSolve_t solve);
cusolverStatus_t get_fast(Refactorization* handle, cusolverRfResetValuesFastMode_t* fast);
cusolverStatus_t set_fast(Refactorization* handle, cusolverRfResetValuesFastMode_t fast);

cusolverStatus_t setup_on_host(int n, int count, const int* offsets, const int* columns, const double* values,
                               int lower_count, const int* lower_offsets, const int* lower_columns,
                               const double* lower_values, int upper_count, const int* upper_offsets,
                               const int* upper_columns, const double* upper_values, const int* p, const int* q,
                               Refactorization* handle);
cusolverStatus_t setup_on_device(int n, int count, const int* offsets, const int* columns, const double* values,
                                 int lower_count, const int* lower_offsets, const int* lower_columns,
                                 const double* lower_values, int upper_count, const int* upper_offsets,
                                 const int* upper_columns, const double* upper_values, const int* p, const int* q,
                                 Refactorization* handle);
cusolverStatus_t setup_batch(int batch, int n, int count, const int* offsets, const int* columns, double* const* values,
                             int lower_count, const int* lower_offsets, const int* lower_columns,
                             const double* lower_values, int upper_count, const int* upper_offsets,
                             const int* upper_columns, const double* upper_values, const int* p, const int* q,
                             Refactorization* handle);

cusolverStatus_t reset(int n, int count, const int* offsets, const int* columns, const double* values, const int* p,
                       const int* q, Refactorization* handle);
cusolverStatus_t reset_batch(int batch, int n, int count, const int* offsets, const int* columns, double* const* values,
                             const int* p, const int* q, Refactorization* handle);
cusolverStatus_t analyze(Refactorization* handle);
cusolverStatus_t refactor(Refactorization* handle);
cusolverStatus_t refactor_batch(Refactorization* handle);
cusolverStatus_t solve(Refactorization* handle, const int* p, const int* q, int sides, double*, int ldt, double* x,
                       int ldx);
cusolverStatus_t solve_batch(Refactorization* handle, const int* p, const int* q, int sides, double*, int ldt,
                             double* const* x, int ldx);
cusolverStatus_t batch_pivots(Refactorization* handle, int* positions);

// The arrays of the host are the program's: it frees them.
cusolverStatus_t access_bundle(Refactorization* handle, int* count, int** offsets, int** columns, double** values);
cusolverStatus_t extract_bundle(Refactorization* handle, int* count, int** offsets, int** columns, double** values);
cusolverStatus_t extract_split(Refactorization* handle, int* lower_count, int** lower_offsets, int** lower_columns,
                               double** lower_values, int* upper_count, int** upper_offsets, int** upper_columns,
                               double** upper_values);

}  // namespace nvmlkit::cusolver::functions
