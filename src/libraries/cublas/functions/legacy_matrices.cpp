#include "libraries/cublas/functions/legacy_matrices.hpp"

#include <cstdio>

namespace nvmlkit::cublas::functions {

cublasStatus_t legacy_version(int* version) { return get_version(nullptr, version); }

cublasStatus_t legacy_alloc(int count, int size, void** out) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = nullptr;
  if (count <= 0 || size <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  libraries::CUdeviceptr at = 0;
  if (driver->allocate(&at, static_cast<std::size_t>(count) * static_cast<std::size_t>(size)) != cuda::CUDA_SUCCESS)
    return CUBLAS_STATUS_ALLOC_FAILED;
  *out = reinterpret_cast<void*>(at);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t legacy_free(void* memory) {
  if (!memory) return CUBLAS_STATUS_SUCCESS;
  const auto* const driver = libraries::driver();
  if (!driver) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto result = driver->release(reinterpret_cast<libraries::CUdeviceptr>(memory));
  return result == cuda::CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}

void xerbla(const char* name, int position) {
  std::printf(" ** On entry to %s parameter number %d had an illegal value\n", name ? name : "", position);
}

}  // namespace nvmlkit::cublas::functions
