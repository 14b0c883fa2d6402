// From data types as arguments to templates of the scalar.
#pragma once

#include "libraries/blas/scalars.hpp"
#include "libraries/cusolver/functions/generic.hpp"
#include "libraries/cusolver/functions/matrix.hpp"

namespace nvmlkit::cusolver::functions {

using blas::real_of;

inline bool are_right(const Parameters* parameters) { return !parameters || is_object(parameters); }

// work(T{}) of the scalar of a type.
template <class Work>
cusolverStatus_t for_type(DataType type, Work work) {
  return blas::for_scalar(type, CUSOLVER_STATUS_INVALID_VALUE, work);
}

// Bytes of some columns of the device; nothing of the host.
inline cusolverStatus_t tell_sizes(std::size_t* device, std::size_t* host, DataType type, Size rows, bool is_right) {
  if (!device || !host || !is_right || rows < 0 || rows > kMost || !blas::is_scalar(type))
    return CUSOLVER_STATUS_INVALID_VALUE;
  *device = static_cast<std::size_t>(std::max<Size>(rows, 1)) * 32 * blas::size_of(static_cast<blas::Type>(type));
  *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

inline bool has_shape(Size rows, Size columns, Size leading) {
  return Matrix<const char>{nullptr, rows, columns, leading}.has_shape();
}

template <class T>
T* as(T, void* data) {
  return static_cast<T*>(data);
}
template <class T>
const T* as(T, const void* data) {
  return static_cast<const T*>(data);
}

}  // namespace nvmlkit::cusolver::functions
