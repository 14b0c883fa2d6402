// Objects behind handles, and answers in memory of the host.
#pragma once

#include "libraries/cusolver/types.hpp"

namespace nvmlkit::cusolver::functions {

template <class T>
cusolverStatus_t answer(T* out, T value) {
  if (!out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = value;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Object>
cusolverStatus_t create_object(Object** out) {
  return out ? answer(out, new Object) : CUSOLVER_STATUS_INVALID_VALUE;
}
// Null is fine, as in NVIDIA's library.
template <class Object>
cusolverStatus_t destroy_object(Object* object) {
  if (!object) return CUSOLVER_STATUS_SUCCESS;
  if (!is_object(object)) return CUSOLVER_STATUS_INVALID_VALUE;
  object->mark = 0;
  delete object;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
