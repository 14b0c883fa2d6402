// What every exported function does around its own work.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/nvjitlink/types.hpp"

namespace nvmlkit::nvjitlink {

using libraries::unsupported;

template <class Work>
nvJitLinkResult without_handle(Work work) noexcept {
  return libraries::guarded<NVJITLINK_ERROR_INTERNAL, NVJITLINK_ERROR_INTERNAL>(work);
}

}  // namespace nvmlkit::nvjitlink
