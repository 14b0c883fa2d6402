// The routines of LAPACK for the four scalars of OpenBLAS, named by template: factors of matrices, and what is done
// with them. Numbers and characters as Fortran has them. Answers `info`; what a routine needs of memory is allocated.
// The names are those of the real routines; of complex numbers they stand for the unitary one (orgqr: ungqr) and the
// Hermitian one (sytrd: hetrd). sytrf, sytrs and sytri are symmetric for all numbers.
#pragma once

#include "libraries/blas/routines.hpp"

namespace nvmlkit::blas {

#define NVMLKIT_ROUTINE \
  template <class T>    \
  NVMLKIT_BLAS int

NVMLKIT_ROUTINE potrf(char uplo, int n, T* a, int lda);
NVMLKIT_ROUTINE potrs(char uplo, int n, int columns, const T* a, int lda, T* b, int ldb);
NVMLKIT_ROUTINE potri(char uplo, int n, T* a, int lda);
NVMLKIT_ROUTINE trtri(char uplo, char diag, int n, T* a, int lda);
NVMLKIT_ROUTINE lauum(char uplo, int n, T* a, int lda);
NVMLKIT_ROUTINE sytrf(char uplo, int n, T* a, int lda, int* pivots);
NVMLKIT_ROUTINE sytrs(char uplo, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb);
NVMLKIT_ROUTINE sytri(char uplo, int n, T* a, int lda, const int* pivots);
NVMLKIT_ROUTINE orgqr(int m, int n, int k, T* a, int lda, const T* tau);
NVMLKIT_ROUTINE ormqr(char side, char t, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc);
NVMLKIT_ROUTINE gebrd(int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tauq, T* taup);
NVMLKIT_ROUTINE orgbr(char vect, int m, int n, int k, T* a, int lda, const T* tau);
NVMLKIT_ROUTINE sytrd(char uplo, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau);
NVMLKIT_ROUTINE orgtr(char uplo, int n, T* a, int lda, const T* tau);
NVMLKIT_ROUTINE ormtr(char side, char uplo, char t, int m, int n, const T* a, int lda, const T* tau, T* c, int ldc);

// Eigenvalues in ascending order, singular values in descending order.
NVMLKIT_ROUTINE syevd(char job, char uplo, int n, T* a, int lda, Real<T>* w);
NVMLKIT_ROUTINE sygvd(int kind, char job, char uplo, int n, T* a, int lda, T* b, int ldb, Real<T>* w);
// `superdiagonal`: of min(m, n) - 1 elements, or null: what has not converged.
NVMLKIT_ROUTINE gesvd(char jobu, char jobvt, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt,
                      Real<T>* superdiagonal);
NVMLKIT_ROUTINE gesdd(char job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt);
// Eigenvalues as complex numbers. Vectors of a real matrix as LAPACK packs them.
NVMLKIT_ROUTINE geev(char jobvl, char jobvr, int n, T* a, int lda, std::complex<Real<T>>* w, T* vl, int ldvl, T* vr,
                     int ldvr);
#undef NVMLKIT_ROUTINE

#define NVMLKIT_ROUTINE \
  template <class T>    \
  NVMLKIT_BLAS void
NVMLKIT_ROUTINE laswp(int n, T* a, int lda, int first, int last, const int* pivots, int step);
NVMLKIT_ROUTINE larft(char direct, char storev, int n, int k, const T* v, int ldv, const T* tau, T* t, int ldt);
#undef NVMLKIT_ROUTINE

}  // namespace nvmlkit::blas
