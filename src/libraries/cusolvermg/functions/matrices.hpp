// What the functions have in common: types, sizes of workspaces, costs.
#pragma once

#include "libraries/blas/scalars.hpp"
#include "libraries/cusolvermg/steps.hpp"

namespace nvmlkit::cusolvermg::functions {

// work(T{}) of the scalar of a type.
template <class Work>
cusolverStatus_t for_type(cudaDataType type, Work work) {
  return blas::for_scalar(type, CUSOLVER_STATUS_INVALID_VALUE, work);
}

// A part of a matrix of numbers that the call computes with.
inline bool is_operand(const Call& call, const Part& part, cudaDataType compute) {
  return blas::is_scalar(compute) && part.is_right(call.handle) && part.of->type == compute;
}

// The CPU needs no workspace of the GPUs. A program gets a number of elements that it can allocate: some columns.
inline cusolverStatus_t tell_size(std::int64_t* out, std::int64_t rows, bool is_right) {
  if (!is_right || !out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = 32 * std::max<std::int64_t>(rows, 1);
  return CUSOLVER_STATUS_SUCCESS;
}
// What a call gets beside its matrices.
inline bool has_workspace(void* const* work, std::int64_t size, const int* info) { return work && size >= 0 && info; }

template <class T>
double operations_of(double operations) {
  return operations * (blas::is_complex(blas::kTypeOf<T>) ? 4 : 1);
}
inline double cube(std::int64_t n) {
  const auto x = static_cast<double>(n);
  return x * x * x;
}

}  // namespace nvmlkit::cusolvermg::functions
