// What every exported function does around its own work.
#pragma once

#include "libraries/common/guarded.hpp"
#include "libraries/cupti/types.hpp"

namespace nvmlkit::cupti {

using libraries::unsupported;

// Events and metrics are of GPUs before Turing.
bool has_no_events();

template <class Work>
CUptiResult without_handle(Work work) noexcept {
  return libraries::guarded<CUPTI_ERROR_OUT_OF_MEMORY, CUPTI_ERROR_UNKNOWN>(work);
}

}  // namespace nvmlkit::cupti
