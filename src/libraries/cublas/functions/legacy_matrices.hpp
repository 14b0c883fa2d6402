// Rotations, updates, symmetric, band and packed matrices in the first interface of cuBLAS (cublas.h), and its memory.
#pragma once

#include "libraries/cublas/functions/legacy.hpp"
#include "libraries/cublas/functions/rotations.hpp"
#include "libraries/cublas/functions/symmetric.hpp"
#include "libraries/cublas/functions/updates.hpp"
#include "libraries/cublas/functions/vectors.hpp"

namespace nvmlkit::cublas::functions {

cublasStatus_t legacy_version(int* version);
cublasStatus_t legacy_alloc(int count, int size, void** out);
cublasStatus_t legacy_free(void* memory);
// What BLAS prints of a wrong argument.
void xerbla(const char* name, int position);

template <class T, class S>
void legacy_rot(int n, T* x, int incx, T* y, int incy, Real<T> c, S s) {
  legacy("cublasRot", [&](const Call& call) { return rot(call, n, x, incx, y, incy, &c, &s); });
}
template <class T>
void legacy_rotg(T* a, T* b, Real<T>* c, T* s) {
  legacy("cublasRotg", [&](const Call& call) { return rotg(call, a, b, c, s); });
}
// Of complex numbers: b is not changed.
template <class T>
void legacy_rotg_by_value(T* a, T b, Real<T>* c, T* s) {
  legacy_rotg(a, &b, c, s);
}
template <class T>
void legacy_rotm(int n, T* x, int incx, T* y, int incy, const T* parameters) {
  legacy("cublasRotm", [&](const Call& call) { return rotm(call, n, x, incx, y, incy, parameters); });
}
template <class T>
void legacy_rotmg(T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  legacy("cublasRotmg", [&](const Call& call) { return rotmg(call, d1, d2, x1, y1, parameters); });
}

template <class T>
void legacy_gbmv(char t, int m, int n, int kl, int ku, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y,
                 int incy) {
  legacy("cublasGbmv", [&](const Call& call) {
    return gbmv(call, operation_of(t), m, n, kl, ku, &alpha, a, lda, x, incx, &beta, y, incy);
  });
}
template <class T>
void legacy_gerc(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  legacy("cublasGerc", [&](const Call& call) { return gerc(call, m, n, &alpha, x, incx, y, incy, a, lda); });
}
template <class T>
void legacy_trmv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx) {
  legacy("cublasTrmv", [&](const Call& call) {
    return trmv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, a, lda, x, incx);
  });
}
template <class T>
void legacy_tbmv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx) {
  legacy("cublasTbmv", [&](const Call& call) {
    return tbmv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, k, a, lda, x, incx);
  });
}
template <class T>
void legacy_tbsv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx) {
  legacy("cublasTbsv", [&](const Call& call) {
    return tbsv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, k, a, lda, x, incx);
  });
}
template <class T>
void legacy_tpmv(char uplo, char t, char diag, int n, const T* a, T* x, int incx) {
  legacy("cublasTpmv", [&](const Call& call) {
    return tpmv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, a, x, incx);
  });
}
template <class T>
void legacy_tpsv(char uplo, char t, char diag, int n, const T* a, T* x, int incx) {
  legacy("cublasTpsv", [&](const Call& call) {
    return tpsv(call, fill_of(uplo), operation_of(t), diagonal_of(diag), n, a, x, incx);
  });
}

template <class T>
void legacy_symv(char uplo, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasSymv",
         [&](const Call& call) { return symv(call, fill_of(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_hemv(char uplo, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasHemv",
         [&](const Call& call) { return hemv(call, fill_of(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_sbmv(char uplo, int n, int k, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasSbmv",
         [&](const Call& call) { return sbmv(call, fill_of(uplo), n, k, &alpha, a, lda, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_hbmv(char uplo, int n, int k, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasHbmv",
         [&](const Call& call) { return hbmv(call, fill_of(uplo), n, k, &alpha, a, lda, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_spmv(char uplo, int n, T alpha, const T* a, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasSpmv",
         [&](const Call& call) { return spmv(call, fill_of(uplo), n, &alpha, a, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_hpmv(char uplo, int n, T alpha, const T* a, const T* x, int incx, T beta, T* y, int incy) {
  legacy("cublasHpmv",
         [&](const Call& call) { return hpmv(call, fill_of(uplo), n, &alpha, a, x, incx, &beta, y, incy); });
}
template <class T>
void legacy_syr(char uplo, int n, T alpha, const T* x, int incx, T* a, int lda) {
  legacy("cublasSyr", [&](const Call& call) { return syr(call, fill_of(uplo), n, &alpha, x, incx, a, lda); });
}
template <class T>
void legacy_her(char uplo, int n, Real<T> alpha, const T* x, int incx, T* a, int lda) {
  legacy("cublasHer", [&](const Call& call) { return her(call, fill_of(uplo), n, &alpha, x, incx, a, lda); });
}
template <class T>
void legacy_spr(char uplo, int n, T alpha, const T* x, int incx, T* a) {
  legacy("cublasSpr", [&](const Call& call) { return spr(call, fill_of(uplo), n, &alpha, x, incx, a); });
}
template <class T>
void legacy_hpr(char uplo, int n, Real<T> alpha, const T* x, int incx, T* a) {
  legacy("cublasHpr", [&](const Call& call) { return hpr(call, fill_of(uplo), n, &alpha, x, incx, a); });
}
template <class T>
void legacy_syr2(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  legacy("cublasSyr2",
         [&](const Call& call) { return syr2(call, fill_of(uplo), n, &alpha, x, incx, y, incy, a, lda); });
}
template <class T>
void legacy_her2(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) {
  legacy("cublasHer2",
         [&](const Call& call) { return her2(call, fill_of(uplo), n, &alpha, x, incx, y, incy, a, lda); });
}
template <class T>
void legacy_spr2(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a) {
  legacy("cublasSpr2", [&](const Call& call) { return spr2(call, fill_of(uplo), n, &alpha, x, incx, y, incy, a); });
}
template <class T>
void legacy_hpr2(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a) {
  legacy("cublasHpr2", [&](const Call& call) { return hpr2(call, fill_of(uplo), n, &alpha, x, incx, y, incy, a); });
}

template <class T>
void legacy_hemm(char side, char uplo, int m, int n, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                 int ldc) {
  legacy("cublasHemm", [&](const Call& call) {
    return hemm(call, side_of(side), fill_of(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
  });
}
template <class T>
void legacy_herk(char uplo, char t, int n, int k, Real<T> alpha, const T* a, int lda, Real<T> beta, T* c, int ldc) {
  legacy("cublasHerk", [&](const Call& call) {
    return herk(call, fill_of(uplo), operation_of(t), n, k, &alpha, a, lda, &beta, c, ldc);
  });
}
template <class T>
void legacy_syr2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                  int ldc) {
  legacy("cublasSyr2k", [&](const Call& call) {
    return syr2k(call, fill_of(uplo), operation_of(t), n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  });
}
template <class T>
void legacy_her2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, Real<T> beta,
                  T* c, int ldc) {
  legacy("cublasHer2k", [&](const Call& call) {
    return her2k(call, fill_of(uplo), operation_of(t), n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  });
}

}  // namespace nvmlkit::cublas::functions
