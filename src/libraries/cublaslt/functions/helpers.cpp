#include "libraries/cublaslt/functions/helpers.hpp"

#include "libraries/blas/status_texts.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t create(Handle** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  *out = new Handle{driver, libraries::capability(*driver)};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(Handle* handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  // A handle of libcublas is one of this library, too: this one is only freed by its own function.
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

std::size_t get_version() { return 130000; }
std::size_t get_cudart_version() { return 13000; }
cublasStatus_t get_property(libraryPropertyType type, int* value) {
  constexpr int kVersion[] = {13, 0, 0};
  if (static_cast<unsigned>(type) > 2 || !value) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kVersion[static_cast<unsigned>(type)];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_log_callback(LogCallback) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t set_log_number(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t disable_log() { return CUBLAS_STATUS_SUCCESS; }
const char* name_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).name; }
const char* text_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).text; }

}  // namespace nvmlkit::cublaslt::functions
