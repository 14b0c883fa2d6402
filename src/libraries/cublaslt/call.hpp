// The first and last steps of an exported function.
#pragma once

#include <new>

#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cublaslt/types.hpp"

namespace nvmlkit::cublaslt {

// No exception crosses the ABI.
template <class Work>
cublasStatus_t without_handle(Work work) noexcept try {
  return work();
} catch (const std::bad_alloc&) {
  return CUBLAS_STATUS_ALLOC_FAILED;
} catch (...) {
  return CUBLAS_STATUS_INTERNAL_ERROR;
}

template <class Status>
Status unsupported(const char* function, Status status) {
  libraries::note_unsupported(function);
  return status;
}

}  // namespace nvmlkit::cublaslt
