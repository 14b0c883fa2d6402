// One call of the library: its handle and its name.
#pragma once

#include <utility>

#include "libraries/common/guarded.hpp"
#include "libraries/common/kernel.hpp"
#include "libraries/common/live.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/cusolvermg/types.hpp"

namespace nvmlkit::cusolvermg {

using libraries::Cost;
using libraries::Live;
using libraries::Running;

struct Call {
  Handle& handle;
  const char* name;

  static cusolverStatus_t status_of(libraries::CUresult result) {
    switch (result) {
      case cuda::CUDA_SUCCESS:
        return CUSOLVER_STATUS_SUCCESS;
      case cuda::CUDA_ERROR_OUT_OF_MEMORY:
        return CUSOLVER_STATUS_ALLOC_FAILED;
      default:
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
  }
};

// No exception crosses the ABI.
template <class Work>
cusolverStatus_t without_handle(Work work) noexcept {
  return libraries::guarded<CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR>(work);
}
template <class Work>
cusolverStatus_t with(Handle* handle, const char* name, Work work) noexcept {
  return without_handle([&] {
    if (!Live<Handle>::has(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    return work(Call{*handle, name});
  });
}

using libraries::unsupported;

}  // namespace nvmlkit::cusolvermg
