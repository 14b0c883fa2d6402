// Objects that a program creates, sets and destroys.
#pragma once

#include "libraries/cusparse/types.hpp"

namespace nvmlkit::cusparse::functions {

template <class T>
cusparseStatus_t answer(T* out, T value) {
  if (!out) return CUSPARSE_STATUS_INVALID_VALUE;
  *out = value;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Object>
cusparseStatus_t create_object(Object** out) {
  return out ? answer(out, new std::remove_const_t<Object>) : CUSPARSE_STATUS_INVALID_VALUE;
}
// Programs destroy objects through pointers to const. Null is fine, as in NVIDIA's library.
template <class Object>
cusparseStatus_t destroy_object(const Object* object) {
  if (!object) return CUSPARSE_STATUS_SUCCESS;
  if (!is_object(object)) return CUSPARSE_STATUS_INVALID_VALUE;
  const_cast<Object*>(object)->mark = 0;
  delete object;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusparse::functions
