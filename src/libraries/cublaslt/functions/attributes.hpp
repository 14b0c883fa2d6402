// Descriptions that programs hold: made, initialized in the program's own memory, and read and written by attribute.
#pragma once

#include <cstring>

#include "libraries/common/live.hpp"
#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

// The member that an attribute is; null for a number that is none.
struct Member {
  void* at = nullptr;
  std::size_t size = 0;
};
template <class T>
Member member(T& value) {
  return {const_cast<std::remove_const_t<T>*>(&value), sizeof value};
}

// The size is that of the attribute and no other, as in NVIDIA's library.
inline cublasStatus_t set_member(Member found, const void* value, std::size_t size) {
  if (!value || !found.at || size != found.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(found.at, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

// Documented: a size of 0 asks for the size.
inline cublasStatus_t get_member(Member found, void* value, std::size_t size, std::size_t* written) {
  if (!found.at || (size == 0 && !written) || (size != 0 && (!value || size != found.size)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (size != 0) std::memcpy(value, found.at, size);
  if (written) *written = found.size;
  return CUBLAS_STATUS_SUCCESS;
}

template <class Description>
cublasStatus_t make(Description** out, const Description& value) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = libraries::Live<Description>::make();
  **out = value;
  return CUBLAS_STATUS_SUCCESS;
}
// Null is fine, as in NVIDIA's library.
template <class Description>
cublasStatus_t unmake(Description* made) {
  return !made || libraries::Live<Description>::destroy(made) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

template <class Description>
cublasStatus_t init(Description* out, std::size_t size, const Description& value) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  if (size < sizeof value) return CUBLAS_STATUS_ALLOC_FAILED;
  *out = value;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cublaslt::functions
