// What every exported function does around its own work.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/nvrtc/types.hpp"

namespace nvmlkit::nvrtc {

using libraries::unsupported;

template <class Work>
nvrtcResult without_handle(Work work) noexcept {
  return libraries::guarded<NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_INTERNAL_ERROR>(work);
}

}  // namespace nvmlkit::nvrtc
