#include "libraries/cublaslt/functions/helpers.hpp"

#include "libraries/blas/status_texts.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

bool is_old() { return libraries::is_loaded_as("libcublasLt.so.12"); }

}  // namespace

cublasStatus_t create(Handle** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  *out = new Handle{driver, libraries::capability(*driver)};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(Handle* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;  // as NVIDIA's
  // A handle of libcublas is one of this library, too: this one is only freed by its own function.
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

// Of CUDA 12.9 and of CUDA 13.0.
std::size_t get_version() { return is_old() ? 120901 : 130100; }
std::size_t get_cudart_version() { return is_old() ? 12090 : 13000; }
cublasStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2 || !value) return CUBLAS_STATUS_INVALID_VALUE;
  const auto version = static_cast<int>(get_version());
  *value = type == MAJOR_VERSION ? version / 10000 : type == MINOR_VERSION ? version / 100 % 100 : version % 100;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t set_log_callback(LogCallback) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t set_log_number(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t disable_log() { return CUBLAS_STATUS_SUCCESS; }
const char* name_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).name; }
const char* text_of_status(cublasStatus_t status) { return blas::text_of(static_cast<int>(status)).text; }

}  // namespace nvmlkit::cublaslt::functions
