// The routines of BLAS and LAPACK for the four scalars of OpenBLAS, named by template. Numbers and characters as
// Fortran has them. OpenBLAS is within this library under its own names, which no other library of the process sees.
#pragma once

#include "libraries/blas/convert.hpp"

namespace nvmlkit::blas {

template <class T>
struct RealPart {
  using Type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealPart<T>::Type;

#define NVMLKIT_ROUTINE \
  template <class T>    \
  NVMLKIT_BLAS void

NVMLKIT_ROUTINE gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
                     T* c, int ldc);
NVMLKIT_ROUTINE gemv(char t, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy);
NVMLKIT_ROUTINE gbmv(char t, int m, int n, int kl, int ku, T alpha, const T* a, int lda, const T* x, int incx, T beta,
                     T* y, int incy);
// `conjugates`: of complex numbers the Hermitian routine (hemv), else the symmetric one (symv).
NVMLKIT_ROUTINE symm(bool conjugates, char side, char uplo, int m, int n, T alpha, const T* a, int lda, const T* b,
                     int ldb, T beta, T* c, int ldc);
NVMLKIT_ROUTINE syrk(char uplo, char t, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc);
NVMLKIT_ROUTINE herk(char uplo, char t, int n, int k, Real<T> alpha, const T* a, int lda, Real<T> beta, T* c, int ldc);
NVMLKIT_ROUTINE syr2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                      int ldc);
NVMLKIT_ROUTINE her2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, Real<T> beta,
                      T* c, int ldc);
NVMLKIT_ROUTINE trmm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b,
                     int ldb);
NVMLKIT_ROUTINE trsm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b,
                     int ldb);
NVMLKIT_ROUTINE trmv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx);
NVMLKIT_ROUTINE trsv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx);
NVMLKIT_ROUTINE tbmv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx);
NVMLKIT_ROUTINE tbsv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx);
NVMLKIT_ROUTINE tpmv(char uplo, char t, char diag, int n, const T* a, T* x, int incx);
NVMLKIT_ROUTINE tpsv(char uplo, char t, char diag, int n, const T* a, T* x, int incx);

// LAPACK. Answers `info`; what it needs of memory is allocated.
#undef NVMLKIT_ROUTINE
#define NVMLKIT_ROUTINE \
  template <class T>    \
  NVMLKIT_BLAS int
NVMLKIT_ROUTINE getrf(int m, int n, T* a, int lda, int* pivots);
NVMLKIT_ROUTINE getri(int n, T* a, int lda, const int* pivots);
NVMLKIT_ROUTINE getrs(char t, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb);
NVMLKIT_ROUTINE geqrf(int m, int n, T* a, int lda, T* tau);
NVMLKIT_ROUTINE gels(char t, int m, int n, int columns, T* a, int lda, T* b, int ldb);
#undef NVMLKIT_ROUTINE

}  // namespace nvmlkit::blas
