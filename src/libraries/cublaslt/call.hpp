// The first and last steps of an exported function.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cublaslt/types.hpp"

namespace nvmlkit::cublaslt {

using libraries::unsupported;

template <class Work>
cublasStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INTERNAL_ERROR>(work);
}

}  // namespace nvmlkit::cublaslt
