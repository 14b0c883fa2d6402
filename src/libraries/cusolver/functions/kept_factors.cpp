#include "libraries/cusolver/functions/kept_factors.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_lu(LuInfo** out) { return create_object(out); }
cusolverStatus_t destroy_lu(LuInfo* info) { return destroy_object(info); }
cusolverStatus_t create_cholesky(CholeskyInfo** out) { return create_object(out); }
cusolverStatus_t destroy_cholesky(CholeskyInfo* info) { return destroy_object(info); }

cusolverStatus_t check_objects(const SparseHandle* handle, bool has_info) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return has_info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t analyze_pattern(const SparseHandle* handle, bool has_info, const Pattern& pattern) {
  const auto status = check_objects(handle, has_info);
  return status == CUSOLVER_STATUS_SUCCESS ? pattern.check() : status;
}

cusolverStatus_t csrlu_analysis_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                     const int* offsets, const int* columns, LuInfo* info) {
  return analyze_pattern(handle, is_object(info), {n, count, options, offsets, columns});
}
cusolverStatus_t csrchol_analysis(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                  const int* offsets, const int* columns, CholeskyInfo* info) {
  return analyze_pattern(handle, is_object(info), {n, count, options, offsets, columns});
}

namespace {

template <class T>
bool tell_counts(const LuInfo& info, int* lower, int* upper) {
  const auto* const factor = std::any_cast<LuOf<T>>(&info.factor);
  if (!factor) return false;
  *lower = (*factor)->lower_count();
  *upper = (*factor)->upper_count();
  return true;
}

}  // namespace

cusolverStatus_t csrlu_counts_host(SparseHandle* handle, int* lower, int* upper, LuInfo* info) {
  const auto status = check_objects(handle, is_object(info) && lower && upper);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const bool is_there = tell_counts<float>(*info, lower, upper) || tell_counts<double>(*info, lower, upper) ||
                        tell_counts<Complex>(*info, lower, upper) || tell_counts<DoubleComplex>(*info, lower, upper);
  return is_there ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

}  // namespace nvmlkit::cusolver::functions
