#include "libraries/blas/lapack.hpp"

#include "libraries/blas/lapack_work.hpp"

namespace nvmlkit::blas {

// Fortran's names, with a hidden length for each character.
extern "C" {
#define NVMLKIT_DECLARE(T, R, x)                                                                                   \
  void x##potrf_(const char*, const int*, T*, const int*, int*, std::size_t);                                      \
  void x##potrs_(const char*, const int*, const int*, const T*, const int*, T*, const int*, int*, std::size_t);    \
  void x##potri_(const char*, const int*, T*, const int*, int*, std::size_t);                                      \
  void x##trtri_(const char*, const char*, const int*, T*, const int*, int*, std::size_t, std::size_t);            \
  void x##lauum_(const char*, const int*, T*, const int*, int*, std::size_t);                                      \
  void x##laswp_(const int*, T*, const int*, const int*, const int*, const int*, const int*);                      \
  void x##sytrf_(const char*, const int*, T*, const int*, int*, T*, const int*, int*, std::size_t);                \
  void x##sytrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*,      \
                 std::size_t);                                                                                     \
  void x##sytri_(const char*, const int*, T*, const int*, const int*, T*, int*, std::size_t);                      \
  void x##gebrd_(const int*, const int*, T*, const int*, R*, R*, T*, T*, T*, const int*, int*);                    \
  void x##larft_(const char*, const char*, const int*, const int*, const T*, const int*, const T*, T*, const int*, \
                 std::size_t, std::size_t);
NVMLKIT_DECLARE(float, float, s)
NVMLKIT_DECLARE(double, double, d)
NVMLKIT_DECLARE(Complex, float, c)
NVMLKIT_DECLARE(DoubleComplex, double, z)
#undef NVMLKIT_DECLARE
#define NVMLKIT_DECLARE(T, R, x, sym, ort)                                                                             \
  void x##ort##gqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);               \
  void x##ort##mqr_(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*,  \
                    const int*, T*, const int*, int*, std::size_t, std::size_t);                                       \
  void x##ort##gbr_(const char*, const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*,   \
                    std::size_t);                                                                                      \
  void x##sym##trd_(const char*, const int*, T*, const int*, R*, R*, T*, T*, const int*, int*, std::size_t);           \
  void x##ort##gtr_(const char*, const int*, T*, const int*, const T*, T*, const int*, int*, std::size_t);             \
  void x##ort##mtr_(const char*, const char*, const char*, const int*, const int*, const T*, const int*, const T*, T*, \
                    const int*, T*, const int*, int*, std::size_t, std::size_t, std::size_t);
NVMLKIT_DECLARE(float, float, s, sy, or)
NVMLKIT_DECLARE(double, double, d, sy, or)
NVMLKIT_DECLARE(Complex, float, c, he, un)
NVMLKIT_DECLARE(DoubleComplex, double, z, he, un)
#undef NVMLKIT_DECLARE
}

namespace {

// OpenBLAS's lauum reads the column behind a complex matrix, and does not use it: routine(matrix with room, lda).
template <class T, class Routine>
void with_a_column_behind(int n, T* a, int lda, Routine routine) {
  if (!kHasImaginary<T> || n < 1) return routine(a, lda);
  const auto rows = static_cast<std::size_t>(n), leading = static_cast<std::size_t>(lda);
  std::vector<T> own(rows * (rows + 1));
  for (std::size_t j = 0; j < rows; ++j) std::copy_n(a + j * leading, rows, own.data() + j * rows);
  routine(own.data(), n);
  for (std::size_t j = 0; j < rows; ++j) std::copy_n(own.data() + j * rows, rows, a + j * leading);
}

}  // namespace

template <class T>
int potrf(char uplo, int n, T* a, int lda) {
  int info = 0;
  NVMLKIT_LAPACK(potrf, potrf, &uplo, &n, a, &lda, &info, 1);
  return info;
}
template <class T>
int potrs(char uplo, int n, int columns, const T* a, int lda, T* b, int ldb) {
  int info = 0;
  NVMLKIT_LAPACK(potrs, potrs, &uplo, &n, &columns, a, &lda, b, &ldb, &info, 1);
  return info;
}
template <class T>
int potri(char uplo, int n, T* a, int lda) {
  int info = 0;
  with_a_column_behind(n, a, lda,
                       [&](T* own, int leading) { NVMLKIT_LAPACK(potri, potri, &uplo, &n, own, &leading, &info, 1); });
  return info;
}
template <class T>
int trtri(char uplo, char diag, int n, T* a, int lda) {
  int info = 0;
  NVMLKIT_LAPACK(trtri, trtri, &uplo, &diag, &n, a, &lda, &info, 1, 1);
  return info;
}
template <class T>
int lauum(char uplo, int n, T* a, int lda) {
  int info = 0;
  with_a_column_behind(n, a, lda,
                       [&](T* own, int leading) { NVMLKIT_LAPACK(lauum, lauum, &uplo, &n, own, &leading, &info, 1); });
  return info;
}
template <class T>
void laswp(int n, T* a, int lda, int first, int last, const int* pivots, int step) {
  NVMLKIT_LAPACK(laswp, laswp, &n, a, &lda, &first, &last, pivots, &step);
}
template <class T>
int sytrf(char uplo, int n, T* a, int lda, int* pivots) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(sytrf, sytrf, &uplo, &n, a, &lda, pivots, work, size, info, 1);
  });
}
template <class T>
int sytrs(char uplo, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb) {
  int info = 0;
  NVMLKIT_LAPACK(sytrs, sytrs, &uplo, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1);
  return info;
}
template <class T>
int sytri(char uplo, int n, T* a, int lda, const int* pivots) {
  int info = 0;
  std::vector<T> work(static_cast<std::size_t>(n) * 2 + 1);
  NVMLKIT_LAPACK(sytri, sytri, &uplo, &n, a, &lda, pivots, work.data(), &info, 1);
  return info;
}
template <class T>
int orgqr(int m, int n, int k, T* a, int lda, const T* tau) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(orgqr, ungqr, &m, &n, &k, a, &lda, tau, work, size, info);
  });
}
template <class T>
int ormqr(char side, char t, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(ormqr, unmqr, &side, &t, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, info, 1, 1);
  });
}
template <class T>
int gebrd(int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tauq, T* taup) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(gebrd, gebrd, &m, &n, a, &lda, d, e, tauq, taup, work, size, info);
  });
}
template <class T>
int orgbr(char vect, int m, int n, int k, T* a, int lda, const T* tau) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(orgbr, ungbr, &vect, &m, &n, &k, a, &lda, tau, work, size, info, 1);
  });
}
template <class T>
int sytrd(char uplo, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(sytrd, hetrd, &uplo, &n, a, &lda, d, e, tau, work, size, info, 1);
  });
}
template <class T>
int orgtr(char uplo, int n, T* a, int lda, const T* tau) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(orgtr, ungtr, &uplo, &n, a, &lda, tau, work, size, info, 1);
  });
}
template <class T>
int ormtr(char side, char uplo, char t, int m, int n, const T* a, int lda, const T* tau, T* c, int ldc) {
  return with_work<T>([&](T* work, const int* size, int* info) {
    NVMLKIT_LAPACK(ormtr, unmtr, &side, &uplo, &t, &m, &n, a, &lda, tau, c, &ldc, work, size, info, 1, 1, 1);
  });
}
template <class T>
void larft(char direct, char storev, int n, int k, const T* v, int ldv, const T* tau, T* t, int ldt) {
  NVMLKIT_LAPACK(larft, larft, &direct, &storev, &n, &k, v, &ldv, tau, t, &ldt, 1, 1);
}

#define NVMLKIT_FOR_LAPACK(T)                                                          \
  template int potrf<T>(char, int, T*, int);                                           \
  template int potrs<T>(char, int, int, const T*, int, T*, int);                       \
  template int potri<T>(char, int, T*, int);                                           \
  template int trtri<T>(char, char, int, T*, int);                                     \
  template int lauum<T>(char, int, T*, int);                                           \
  template void laswp<T>(int, T*, int, int, int, const int*, int);                     \
  template int sytrf<T>(char, int, T*, int, int*);                                     \
  template int sytrs<T>(char, int, int, const T*, int, const int*, T*, int);           \
  template int sytri<T>(char, int, T*, int, const int*);                               \
  template int orgqr<T>(int, int, int, T*, int, const T*);                             \
  template int ormqr<T>(char, char, int, int, int, const T*, int, const T*, T*, int);  \
  template int gebrd<T>(int, int, T*, int, Real<T>*, Real<T>*, T*, T*);                \
  template int orgbr<T>(char, int, int, int, T*, int, const T*);                       \
  template int sytrd<T>(char, int, T*, int, Real<T>*, Real<T>*, T*);                   \
  template int orgtr<T>(char, int, T*, int, const T*);                                 \
  template int ormtr<T>(char, char, char, int, int, const T*, int, const T*, T*, int); \
  template void larft<T>(char, char, int, int, const T*, int, const T*, T*, int);
NVMLKIT_FOR_LAPACK(float)
NVMLKIT_FOR_LAPACK(double)
NVMLKIT_FOR_LAPACK(Complex)
NVMLKIT_FOR_LAPACK(DoubleComplex)
#undef NVMLKIT_FOR_LAPACK

}  // namespace nvmlkit::blas
