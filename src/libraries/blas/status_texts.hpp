// The names of cublasStatus_t, which two libraries give, and their meaning.
#pragma once

namespace nvmlkit::blas {

struct StatusText {
  int number;
  const char *name, *text;
};

inline constexpr StatusText kStatusTexts[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the GPU lacks a feature of the architecture"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to memory of the GPU failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the function requires a feature that is not simulated"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the function requires a license"},
};

inline const StatusText& text_of(int status) {
  static constexpr StatusText kUnknown{-1, "CUBLAS_STATUS_UNKNOWN", "unknown status"};
  for (const auto& known : kStatusTexts)
    if (known.number == status) return known;
  return kUnknown;
}

}  // namespace nvmlkit::blas
