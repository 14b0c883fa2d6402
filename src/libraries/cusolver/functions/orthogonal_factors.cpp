#include "libraries/cusolver/functions/orthogonal_factors.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_qr(QrInfo** out) { return create_object(out); }
cusolverStatus_t destroy_qr(QrInfo* info) { return destroy_object(info); }

cusolverStatus_t Tall::check(const SparseHandle* handle, const QrInfo* info) const {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_object(info) || n <= 0 || m < n || pattern.count <= 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return pattern.check();
}
cusolverStatus_t Tall::check_analyzed(const SparseHandle* handle, const QrInfo* info) const {
  if (const auto status = check(handle, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  const bool is_same = info->m == m && info->n == n && info->count == pattern.count;
  return is_same ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t csrqr_analysis(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, QrInfo* info) {
  const auto status = Tall(m, n, count, options, offsets, columns).check(handle, info);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  info->m = m;
  info->n = n;
  info->count = count;
  info->rows.reset();
  info->factor.reset();
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
