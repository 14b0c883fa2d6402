// Handles and what is set with them; status texts; copies of vectors and matrices.
#pragma once

#include "libraries/cublas/call.hpp"

namespace nvmlkit::cublas::functions {

// What a function tells of a handle.
template <class T>
cublasStatus_t tell(T* out, T value) {
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = value;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t create(Handle** out);
cublasStatus_t destroy(const Call& call);
cublasStatus_t get_version(Handle* handle, int* version);
cublasStatus_t get_property(libraryPropertyType type, int* value);
std::size_t get_cudart_version();
cublasStatus_t set_workspace(const Call& call, void* workspace, std::size_t size);
cublasStatus_t set_stream(const Call& call, CUstream stream);
cublasStatus_t get_stream(const Call& call, CUstream* stream);
cublasStatus_t get_pointer_mode(const Call& call, cublasPointerMode_t* mode);
cublasStatus_t set_pointer_mode(const Call& call, cublasPointerMode_t mode);
cublasStatus_t get_atomics_mode(const Call& call, cublasAtomicsMode_t* mode);
cublasStatus_t set_atomics_mode(const Call& call, cublasAtomicsMode_t mode);
cublasStatus_t get_math_mode(const Call& call, cublasMath_t* mode);
cublasStatus_t set_math_mode(const Call& call, cublasMath_t mode);
cublasStatus_t get_multiprocessors(const Call& call, int* count);
cublasStatus_t set_multiprocessors(const Call& call, int count);
const char* name_of_status(cublasStatus_t status);
const char* text_of_status(cublasStatus_t status);
cublasStatus_t configure_log(int is_on, int to_stdout, int to_stderr, const char* file);
cublasStatus_t set_log_callback(LogCallback callback);
cublasStatus_t get_log_callback(LogCallback* callback);

// Between host and device, or either; a step or a leading dimension on both sides.
cublasStatus_t copy_vector(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx, void* y,
                           std::int64_t incy);
cublasStatus_t copy_vector_async(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx, void* y,
                                 std::int64_t incy, CUstream stream);
cublasStatus_t copy_matrix(std::int64_t rows, std::int64_t columns, std::int64_t size, const void* a, std::int64_t lda,
                           void* b, std::int64_t ldb);
cublasStatus_t copy_matrix_async(std::int64_t rows, std::int64_t columns, std::int64_t size, const void* a,
                                 std::int64_t lda, void* b, std::int64_t ldb, CUstream stream);

}  // namespace nvmlkit::cublas::functions
