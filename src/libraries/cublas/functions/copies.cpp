// Copies of vectors and matrices between host and device: rows of bytes for the driver.
#include "libraries/cublas/functions/helpers.hpp"

namespace nvmlkit::cublas::functions {
namespace {

using cuda::CUDA_MEMCPY2D;

// Rows of `width` bytes, of which each side has its own distance. The driver finds out what the addresses are.
cublasStatus_t copy(const CUDA_MEMCPY2D& rows, bool is_async, CUstream stream) {
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto result = is_async ? driver->copy_rows_async(&rows, stream) : driver->copy_rows(&rows);
  return result == cuda::CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

CUDA_MEMCPY2D rows_of(const void* from, std::int64_t from_pitch, void* to, std::int64_t to_pitch, std::int64_t width,
                      std::int64_t height) {
  CUDA_MEMCPY2D out{};
  out.srcMemoryType = out.dstMemoryType = cuda::CU_MEMORYTYPE_UNIFIED;
  out.srcDevice = reinterpret_cast<std::uintptr_t>(from);
  out.dstDevice = reinterpret_cast<std::uintptr_t>(to);
  out.srcPitch = static_cast<std::size_t>(from_pitch);
  out.dstPitch = static_cast<std::size_t>(to_pitch);
  out.WidthInBytes = static_cast<std::size_t>(width);
  out.Height = static_cast<std::size_t>(height);
  return out;
}

cublasStatus_t vector(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx, void* y, std::int64_t incy,
                      bool is_async, CUstream stream) {
  if (size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (incx == 1 && incy == 1) return copy(rows_of(x, n * size, y, n * size, n * size, 1), is_async, stream);
  return copy(rows_of(x, incx * size, y, incy * size, size, n), is_async, stream);
}

cublasStatus_t matrix(std::int64_t rows, std::int64_t columns, std::int64_t size, const void* a, std::int64_t lda,
                      void* b, std::int64_t ldb, bool is_async, CUstream stream) {
  if (size <= 0 || lda <= 0 || ldb <= 0 || rows < 0 || columns < 0 || lda < rows || ldb < rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  return copy(rows_of(a, lda * size, b, ldb * size, rows * size, columns), is_async, stream);
}

}  // namespace

cublasStatus_t copy_vector(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx, void* y,
                           std::int64_t incy) {
  return vector(n, size, x, incx, y, incy, false, nullptr);
}
cublasStatus_t copy_vector_async(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx, void* y,
                                 std::int64_t incy, CUstream stream) {
  return vector(n, size, x, incx, y, incy, true, stream);
}
cublasStatus_t copy_matrix(std::int64_t rows, std::int64_t columns, std::int64_t size, const void* a, std::int64_t lda,
                           void* b, std::int64_t ldb) {
  return matrix(rows, columns, size, a, lda, b, ldb, false, nullptr);
}
cublasStatus_t copy_matrix_async(std::int64_t rows, std::int64_t columns, std::int64_t size, const void* a,
                                 std::int64_t lda, void* b, std::int64_t ldb, CUstream stream) {
  return matrix(rows, columns, size, a, lda, b, ldb, true, stream);
}

}  // namespace nvmlkit::cublas::functions
