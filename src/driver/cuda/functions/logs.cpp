// The log of errors.
#include "driver/cuda/logs.hpp"

#include <cstdio>
#include <cstring>
#include <limits>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {

CUresult LogsRegisterCallback(CUlogsCallback callbackFunc, void* userData, CUlogsCallbackHandle* callback_out) {
  if (!callbackFunc) return CUDA_ERROR_INVALID_VALUE;
  const auto handle = logs::add(callbackFunc, userData);
  if (callback_out) *callback_out = handle;
  return CUDA_SUCCESS;
}

CUresult LogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return logs::remove(callback) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult LogsCurrent(CUlogIterator* iterator_out, unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *iterator_out = logs::end();
  return CUDA_SUCCESS;
}

CUresult LogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int flags) {
  if (flags != 0 || *pathToFile == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto lines = logs::from(iterator ? *iterator : 0, std::numeric_limits<std::size_t>::max());
  auto* const file = std::fopen(pathToFile, "we");
  if (!file) return CUDA_ERROR_INVALID_VALUE;
  const bool is_written = std::fwrite(lines.text.data(), 1, lines.text.size(), file) == lines.text.size();
  if (std::fclose(file) != 0 || !is_written) return CUDA_ERROR_INVALID_VALUE;
  if (iterator) *iterator = lines.next;
  return CUDA_SUCCESS;
}

// Documented: the text ends with a null that does not count in its size.
CUresult LogsDumpToMemory(CUlogIterator* iterator, char* buffer, std::size_t* size, unsigned int flags) {
  if (flags != 0 || *size == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto lines = logs::from(iterator ? *iterator : 0, *size - 1);
  std::memcpy(buffer, lines.text.c_str(), lines.text.size() + 1);
  *size = lines.text.size();
  if (lines.text.empty() && !lines.is_complete) return CUDA_ERROR_INVALID_VALUE;
  if (iterator) *iterator = lines.next;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
