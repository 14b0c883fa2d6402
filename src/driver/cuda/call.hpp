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

// The answer of what is refused, or not there yet.
inline CUresult refuse() { return is_initialized() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED; }

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

}  // namespace nvmlkit::cuda
