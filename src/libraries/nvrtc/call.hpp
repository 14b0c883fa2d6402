// What every exported function does around its own work.
#pragma once

#include <new>

#include "libraries/nvrtc/types.hpp"

namespace nvmlkit::nvrtc {

template <class Work>
nvrtcResult without_handle(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

template <class T>
T unsupported(const char* function, T answer) {
  libraries::note_unsupported(function);
  return answer;
}

}  // namespace nvmlkit::nvrtc
