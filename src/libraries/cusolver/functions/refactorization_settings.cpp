// Settings of cuSolverRf.
#include "libraries/cusolver/factored.hpp"
#include "libraries/cusolver/functions/refactorization.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

template <class First, class Second>
cusolverStatus_t get(const Refactorization* handle, First* first, First Refactorization::*one, Second* second,
                     Second Refactorization::*other) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!first || !second) return CUSOLVER_STATUS_INVALID_VALUE;
  *first = handle->*one;
  *second = handle->*other;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

cusolverStatus_t get_format(Refactorization* handle, cusolverRfMatrixFormat_t* format, cusolverRfUnitDiagonal_t* unit) {
  return get(handle, format, &Refactorization::format, unit, &Refactorization::unit);
}
cusolverStatus_t set_format(Refactorization* handle, cusolverRfMatrixFormat_t format, cusolverRfUnitDiagonal_t unit) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (format > CUSOLVERRF_MATRIX_FORMAT_CSC || unit > CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U)
    return CUSOLVER_STATUS_INVALID_VALUE;
  handle->format = format;
  handle->unit = unit;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t get_numbers(Refactorization* handle, double* zero, double* boost) {
  return get(handle, zero, &Refactorization::zero, boost, &Refactorization::boost);
}
cusolverStatus_t set_numbers(Refactorization* handle, double zero, double boost) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->zero = zero;
  handle->boost = boost;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t get_boost(Refactorization* handle, cusolverRfNumericBoostReport_t* report) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!report) return CUSOLVER_STATUS_INVALID_VALUE;
  const bool is_boosted = handle->factored && handle->factored->is_boosted;
  *report = is_boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t get_ways(Refactorization* handle, cusolverRfFactorization_t* factorization,
                          cusolverRfTriangularSolve_t* solve) {
  return get(handle, factorization, &Refactorization::factorization, solve, &Refactorization::solve);
}
cusolverStatus_t set_ways(Refactorization* handle, cusolverRfFactorization_t factorization,
                          cusolverRfTriangularSolve_t solve) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (factorization > CUSOLVERRF_FACTORIZATION_ALG2 || solve < CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 ||
      solve > CUSOLVERRF_TRIANGULAR_SOLVE_ALG3)
    return CUSOLVER_STATUS_INVALID_VALUE;
  handle->factorization = factorization;
  handle->solve = solve;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t get_fast(Refactorization* handle, cusolverRfResetValuesFastMode_t* fast) {
  return get(handle, fast, &Refactorization::fast, fast, &Refactorization::fast);
}
// The pattern of A is looked up each time: the answer is the same in both modes.
cusolverStatus_t set_fast(Refactorization* handle, cusolverRfResetValuesFastMode_t fast) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (fast > CUSOLVERRF_RESET_VALUES_FAST_MODE_ON) return CUSOLVER_STATUS_INVALID_VALUE;
  handle->fast = fast;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
