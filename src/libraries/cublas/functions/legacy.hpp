// The first interface of cuBLAS (cublas.h): one handle for the process, scalars and results by value, errors kept until
// they are asked for. Programs that include cublas.h for cublasInit() call it.
#pragma once

#include "libraries/cublas/functions/gemm.hpp"
#include "libraries/cublas/functions/helpers.hpp"
#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

cublasStatus_t legacy_init();
cublasStatus_t legacy_shutdown();
// The first error since it was asked for last.
cublasStatus_t legacy_error();
cublasStatus_t legacy_set_stream(CUstream stream);

// work(call) with the handle of the process. Its status is kept.
void keep_legacy_error(cublasStatus_t status);
Handle* legacy_handle();
template <class Work>
void legacy(const char* name, Work work) {
  keep_legacy_error(with(legacy_handle(), name, work));
}

template <class S, class T>
void legacy_scal(int n, S alpha, T* x, int incx) {
  legacy("cublasScal", [&](const Call& call) { return scal(call, n, &alpha, x, incx); });
}
template <class T>
void legacy_axpy(int n, T alpha, const T* x, int incx, T* y, int incy) {
  legacy("cublasAxpy", [&](const Call& call) { return axpy(call, n, &alpha, x, incx, y, incy); });
}
template <class T>
void legacy_copy(int n, const T* x, int incx, T* y, int incy) {
  legacy("cublasCopy", [&](const Call& call) { return copy(call, n, x, incx, y, incy); });
}
template <class T>
void legacy_swap(int n, T* x, int incx, T* y, int incy) {
  legacy("cublasSwap", [&](const Call& call) { return swap(call, n, x, incx, y, incy); });
}
template <class T>
T legacy_dot(int n, const T* x, int incx, const T* y, int incy) {
  T out{};
  legacy("cublasDot", [&](const Call& call) { return dot(call, n, x, incx, y, incy, &out); });
  return out;
}
template <class T>
T legacy_dotc(int n, const T* x, int incx, const T* y, int incy) {
  T out{};
  legacy("cublasDotc", [&](const Call& call) { return dotc(call, n, x, incx, y, incy, &out); });
  return out;
}
template <class T>
Real<T> legacy_nrm2(int n, const T* x, int incx) {
  Real<T> out{};
  legacy("cublasNrm2", [&](const Call& call) { return nrm2(call, n, x, incx, &out); });
  return out;
}
template <class T>
Real<T> legacy_asum(int n, const T* x, int incx) {
  Real<T> out{};
  legacy("cublasAsum", [&](const Call& call) { return asum(call, n, x, incx, &out); });
  return out;
}
template <class T>
int legacy_amax(int n, const T* x, int incx) {
  int out = 0;
  legacy("cublasAmax", [&](const Call& call) { return iamax(call, n, x, incx, &out); });
  return out;
}
template <class T>
int legacy_amin(int n, const T* x, int incx) {
  int out = 0;
  legacy("cublasAmin", [&](const Call& call) { return iamin(call, n, x, incx, &out); });
  return out;
}

// What BLAS's letters stand for; a number that is none for another letter.
inline cublasOperation_t operation_of(char t) {
  const char upper = static_cast<char>(t & ~0x20);
  return upper == 'N' ? CUBLAS_OP_N : upper == 'T' ? CUBLAS_OP_T : upper == 'C' ? CUBLAS_OP_C : cublasOperation_t{99};
}
inline cublasFillMode_t fill_of(char uplo) {
  const char upper = static_cast<char>(uplo & ~0x20);
  return upper == 'L' ? CUBLAS_FILL_MODE_LOWER : upper == 'U' ? CUBLAS_FILL_MODE_UPPER : cublasFillMode_t{99};
}
inline cublasSideMode_t side_of(char side) {
  const char upper = static_cast<char>(side & ~0x20);
  return upper == 'L' ? CUBLAS_SIDE_LEFT : upper == 'R' ? CUBLAS_SIDE_RIGHT : cublasSideMode_t{99};
}
inline cublasDiagType_t diagonal_of(char diag) {
  const char upper = static_cast<char>(diag & ~0x20);
  return upper == 'N' ? CUBLAS_DIAG_NON_UNIT : upper == 'U' ? CUBLAS_DIAG_UNIT : cublasDiagType_t{99};
}

template <class T>
void legacy_gemv(char t, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasGemv",
         [&](const Call& call) { return gemv(call, operation_of(t), m, n, &alpha, a, lda, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_ger(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  legacy("cublasGer", [&](const Call& call) { return ger(call, m, n, &alpha, x, incx, y, incy, a, lda); });
}
template <class T>
void legacy_trsv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx) {
  legacy("cublasTrsv", [&](const Call& call) {
    return trsv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, a, lda, x, incx);
  });
}
template <class T>
void legacy_gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                 int ldc) {
  legacy("cublasGemm", [&](const Call& call) {
    return gemm(call, operation_of(ta), operation_of(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  });
}
template <class T>
void legacy_syrk(char uplo, char t, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc) {
  legacy("cublasSyrk", [&](const Call& call) {
    return syrk(call, fill_of(uplo), operation_of(t), n, k, &alpha, a, lda, &beta, c, ldc);
  });
}
template <class T>
void legacy_symm(char side, char uplo, int m, int n, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                 int ldc) {
  legacy("cublasSymm", [&](const Call& call) {
    return symm(call, side_of(side), fill_of(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
  });
}
template <class T>
void legacy_trsm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {
  legacy("cublasTrsm", [&](const Call& call) {
    return trsm(call, side_of(side), fill_of(uplo), operation_of(t), diagonal_of(diag), m, n, &alpha, a, lda, b, ldb);
  });
}
// In place: the result is B.
template <class T>
void legacy_trmm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {
  legacy("cublasTrmm", [&](const Call& call) {
    return trmm(call, side_of(side), fill_of(uplo), operation_of(t), diagonal_of(diag), m, n, &alpha, a, lda,
                static_cast<const T*>(b), ldb, b, ldb);
  });
}

}  // namespace nvmlkit::cublas::functions
