// What every exported function does around its own work.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl {

using libraries::unsupported;

template <class Work>
ncclResult_t without_handle(Work work) noexcept {
  return libraries::guarded<ncclSystemError, ncclInternalError>(work);
}

}  // namespace nvmlkit::nccl
