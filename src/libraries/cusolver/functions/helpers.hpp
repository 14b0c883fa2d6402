// Handles, streams, modes; parameters of functions; the log.
#pragma once

#include "libraries/cusolver/call.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create(Handle** out);
cusolverStatus_t destroy(const Call& call);
cusolverStatus_t set_stream(const Call& call, CUstream stream);
cusolverStatus_t get_stream(const Call& call, CUstream* stream);
cusolverStatus_t set_deterministic(const Call& call, cusolverDeterministicMode_t mode);
cusolverStatus_t get_deterministic(const Call& call, cusolverDeterministicMode_t* mode);
cusolverStatus_t set_math(const Call& call, cusolverMathMode_t mode);
cusolverStatus_t get_math(const Call& call, cusolverMathMode_t* mode);
cusolverStatus_t set_strategy(const Call& call, EmulationStrategy strategy);
cusolverStatus_t get_strategy(const Call& call, EmulationStrategy* strategy);
cusolverStatus_t get_version(int* version);
cusolverStatus_t get_property(libraryPropertyType type, int* value);

cusolverStatus_t create_sparse(SparseHandle** out);
cusolverStatus_t destroy_sparse(SparseHandle* handle);
cusolverStatus_t set_sparse_stream(SparseHandle* handle, CUstream stream);
cusolverStatus_t get_sparse_stream(SparseHandle* handle, CUstream* stream);

cusolverStatus_t create_parameters(Parameters** out);
cusolverStatus_t destroy_parameters(Parameters* parameters);
cusolverStatus_t set_option(Parameters* parameters, cusolverDnFunction_t function, cusolverAlgMode_t algorithm);

cusolverStatus_t create_eigen(JacobiEigen** out);
cusolverStatus_t destroy_eigen(JacobiEigen* info);
cusolverStatus_t create_singular(JacobiSingular** out);
cusolverStatus_t destroy_singular(JacobiSingular* info);

// Of both kinds. LAPACK's methods take no tolerance and no number of sweeps, and sort: a program may set what it likes.
template <class Info>
cusolverStatus_t set_tolerance(Info* info, double tolerance) {
  if (!is_object(info)) return CUSOLVER_STATUS_INVALID_VALUE;
  info->tolerance = tolerance;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Info>
cusolverStatus_t set_sweeps(Info* info, int most) {
  if (!is_object(info)) return CUSOLVER_STATUS_INVALID_VALUE;
  info->most_sweeps = most;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Info>
cusolverStatus_t set_sort(Info* info, int sort) {
  if (!is_object(info)) return CUSOLVER_STATUS_INVALID_VALUE;
  info->sort = sort;
  return CUSOLVER_STATUS_SUCCESS;
}
// Behind the work of the stream. As documented, not of batches.
template <class Info>
cusolverStatus_t get_residual(const Call& call, Info* info, double* residual) {
  if (!is_object(info) || !residual) return CUSOLVER_STATUS_INVALID_VALUE;
  if (info->result->is_batched) return CUSOLVER_STATUS_NOT_SUPPORTED;
  const auto status = Call::status_of(call.handle.driver->wait_for_stream(call.handle.stream));
  *residual = info->result->residual;
  return status;
}
// None: LAPACK's methods are others.
template <class Info>
cusolverStatus_t get_sweeps(const Call&, Info* info, int* sweeps) {
  if (!is_object(info) || !sweeps) return CUSOLVER_STATUS_INVALID_VALUE;
  if (info->result->is_batched) return CUSOLVER_STATUS_NOT_SUPPORTED;
  *sweeps = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

// What a program sets; nothing is written to it.
cusolverStatus_t set_log_callback(LogCallback callback);
cusolverStatus_t set_log_file(std::FILE* file);
cusolverStatus_t open_log_file(const char* file);
cusolverStatus_t set_log_level(int level);
cusolverStatus_t set_log_mask(int mask);
cusolverStatus_t disable_log();

}  // namespace nvmlkit::cusolver::functions
