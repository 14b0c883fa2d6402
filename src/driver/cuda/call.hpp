// The first and last steps of an exported function.
#pragma once

#include <new>

#include "driver/cuda/context/context.hpp"
#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/process.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/streams/streams.hpp"

#define NVMLKIT_CUDA_EXPORT __attribute__((visibility("default")))

namespace nvmlkit::cuda {

// No exception crosses the ABI.
template <class Work>
CUresult guarded(Work work) noexcept try {
  const CUresult result = work();
  if (result != CUDA_SUCCESS && sanitizer::is_on()) [[unlikely]]
    sanitizer::note_call_error(result);
  return result;
} catch (const std::bad_alloc&) {
  return CUDA_ERROR_OUT_OF_MEMORY;
} catch (...) {
  return CUDA_ERROR_UNKNOWN;
}

// The answer of a call that is refused before it begins. A sanitizer reports it as any other error, with the name of
// the exported function that this is a part of.
[[gnu::always_inline]] inline CUresult refused(CUresult error) noexcept {
  try {
    if (sanitizer::is_on()) [[unlikely]]
      sanitizer::note_call_error(error);
  } catch (...) {  // memory is short: the report is not made
  }
  return error;
}

// The answer of what is refused, or not there yet.
[[gnu::always_inline]] inline CUresult refuse() noexcept {
  return refused(is_initialized() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED);
}

}  // namespace nvmlkit::cuda
