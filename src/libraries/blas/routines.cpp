#include "libraries/blas/routines.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "libraries/blas/one_call.hpp"

namespace nvmlkit::blas {

std::mutex& OneCall::mutex() {
  static auto& the = *new std::mutex();  // work may run while the process ends
  return the;
}

namespace {

template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

}  // namespace

// Fortran's names, with a hidden length for each character that they may read.
extern "C" {
#define NVMLKIT_DECLARE(T, x)                                                                                          \
  void x##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,          \
                const T*, const int*, const T*, T*, const int*);                                                       \
  void x##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*,   \
                T*, const int*);                                                                                       \
  void x##gbmv_(const char*, const int*, const int*, const int*, const int*, const T*, const T*, const int*, const T*, \
                const int*, const T*, T*, const int*);                                                                 \
  void x##symm_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*,            \
                const int*, const T*, T*, const int*);                                                                 \
  void x##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, T*,        \
                const int*);                                                                                           \
  void x##syr2k_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*,           \
                 const int*, const T*, T*, const int*);                                                                \
  void x##trmm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,        \
                const int*, T*, const int*);                                                                           \
  void x##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, const T*,        \
                const int*, T*, const int*);                                                                           \
  void x##trmv_(const char*, const char*, const char*, const int*, const T*, const int*, T*, const int*);              \
  void x##trsv_(const char*, const char*, const char*, const int*, const T*, const int*, T*, const int*);              \
  void x##tbmv_(const char*, const char*, const char*, const int*, const int*, const T*, const int*, T*, const int*);  \
  void x##tbsv_(const char*, const char*, const char*, const int*, const int*, const T*, const int*, T*, const int*);  \
  void x##tpmv_(const char*, const char*, const char*, const int*, const T*, T*, const int*);                          \
  void x##tpsv_(const char*, const char*, const char*, const int*, const T*, T*, const int*);                          \
  void x##getrf_(const int*, const int*, T*, const int*, int*, int*);                                                  \
  void x##getri_(const int*, T*, const int*, const int*, T*, const int*, int*);                                        \
  void x##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*,          \
                 std::size_t);                                                                                         \
  void x##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                                    \
  void x##gels_(const char*, const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const int*, int*, \
                std::size_t);
NVMLKIT_DECLARE(float, s)
NVMLKIT_DECLARE(double, d)
NVMLKIT_DECLARE(Complex, c)
NVMLKIT_DECLARE(DoubleComplex, z)
#undef NVMLKIT_DECLARE
#define NVMLKIT_DECLARE(T, R, x)                                                                                \
  void x##hemm_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*,     \
                const int*, const T*, T*, const int*);                                                          \
  void x##herk_(const char*, const char*, const int*, const int*, const R*, const T*, const int*, const R*, T*, \
                const int*);                                                                                    \
  void x##her2k_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*,    \
                 const int*, const R*, T*, const int*);
NVMLKIT_DECLARE(Complex, float, c)
NVMLKIT_DECLARE(DoubleComplex, double, z)
#undef NVMLKIT_DECLARE
}

// Calls the routine of T with the arguments.
#define NVMLKIT_CALL(name, ...)                    \
  do {                                             \
    const OneCall one_call;                        \
    if constexpr (std::is_same_v<T, float>)        \
      s##name##_(__VA_ARGS__);                     \
    else if constexpr (std::is_same_v<T, double>)  \
      d##name##_(__VA_ARGS__);                     \
    else if constexpr (std::is_same_v<T, Complex>) \
      c##name##_(__VA_ARGS__);                     \
    else                                           \
      z##name##_(__VA_ARGS__);                     \
  } while (false)
#define NVMLKIT_CALL_COMPLEX(name, ...)       \
  do {                                        \
    const OneCall one_call;                   \
    if constexpr (std::is_same_v<T, Complex>) \
      c##name##_(__VA_ARGS__);                \
    else                                      \
      z##name##_(__VA_ARGS__);                \
  } while (false)

template <class T>
void gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
          int ldc) {
  NVMLKIT_CALL(gemm, &ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
template <class T>
void gemv(char t, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) {
  NVMLKIT_CALL(gemv, &t, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}
template <class T>
void gbmv(char t, int m, int n, int kl, int ku, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y,
          int incy) {
  NVMLKIT_CALL(gbmv, &t, &m, &n, &kl, &ku, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}
template <class T>
void symm(bool conjugates, char side, char uplo, int m, int n, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc) {
  if constexpr (kIsComplex<T>)
    if (conjugates) {
      NVMLKIT_CALL_COMPLEX(hemm, &side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
      return;
    }
  NVMLKIT_CALL(symm, &side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
template <class T>
void syrk(char uplo, char t, int n, int k, T alpha, const T* a, int lda, T beta, T* c, int ldc) {
  NVMLKIT_CALL(syrk, &uplo, &t, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
}
template <class T>
void herk(char uplo, char t, int n, int k, Real<T> alpha, const T* a, int lda, Real<T> beta, T* c, int ldc) {
  if constexpr (kIsComplex<T>)
    NVMLKIT_CALL_COMPLEX(herk, &uplo, &t, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
  else
    syrk<T>(uplo, t, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void syr2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  NVMLKIT_CALL(syr2k, &uplo, &t, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
template <class T>
void her2k(char uplo, char t, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, Real<T> beta, T* c,
           int ldc) {
  if constexpr (kIsComplex<T>)
    NVMLKIT_CALL_COMPLEX(her2k, &uplo, &t, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  else
    syr2k<T>(uplo, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void trmm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {
  NVMLKIT_CALL(trmm, &side, &uplo, &t, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
}
template <class T>
void trsm(char side, char uplo, char t, char diag, int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {
  NVMLKIT_CALL(trsm, &side, &uplo, &t, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
}
template <class T>
void trmv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx) {
  NVMLKIT_CALL(trmv, &uplo, &t, &diag, &n, a, &lda, x, &incx);
}
template <class T>
void trsv(char uplo, char t, char diag, int n, const T* a, int lda, T* x, int incx) {
  NVMLKIT_CALL(trsv, &uplo, &t, &diag, &n, a, &lda, x, &incx);
}
template <class T>
void tbmv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx) {
  NVMLKIT_CALL(tbmv, &uplo, &t, &diag, &n, &k, a, &lda, x, &incx);
}
template <class T>
void tbsv(char uplo, char t, char diag, int n, int k, const T* a, int lda, T* x, int incx) {
  NVMLKIT_CALL(tbsv, &uplo, &t, &diag, &n, &k, a, &lda, x, &incx);
}
template <class T>
void tpmv(char uplo, char t, char diag, int n, const T* a, T* x, int incx) {
  NVMLKIT_CALL(tpmv, &uplo, &t, &diag, &n, a, x, &incx);
}
template <class T>
void tpsv(char uplo, char t, char diag, int n, const T* a, T* x, int incx) {
  NVMLKIT_CALL(tpsv, &uplo, &t, &diag, &n, a, x, &incx);
}

template <class T>
int getrf(int m, int n, T* a, int lda, int* pivots) {
  int info = 0;
  NVMLKIT_CALL(getrf, &m, &n, a, &lda, pivots, &info);
  return info;
}
template <class T>
int getri(int n, T* a, int lda, const int* pivots) {
  int info = 0;
  const int size = std::max(64 * n, 1);
  std::vector<T> work(static_cast<std::size_t>(size));
  NVMLKIT_CALL(getri, &n, a, &lda, pivots, work.data(), &size, &info);
  return info;
}
template <class T>
int getrs(char t, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb) {
  int info = 0;
  NVMLKIT_CALL(getrs, &t, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1);
  return info;
}
template <class T>
int geqrf(int m, int n, T* a, int lda, T* tau) {
  int info = 0;
  const int size = std::max(64 * n, 1);
  std::vector<T> work(static_cast<std::size_t>(size));
  NVMLKIT_CALL(geqrf, &m, &n, a, &lda, tau, work.data(), &size, &info);
  return info;
}
template <class T>
int gels(char t, int m, int n, int columns, T* a, int lda, T* b, int ldb) {
  int info = 0;
  const int size = std::max(std::min(m, n) + 64 * std::max({m, n, columns}), 1);
  std::vector<T> work(static_cast<std::size_t>(size));
  NVMLKIT_CALL(gels, &t, &m, &n, &columns, a, &lda, b, &ldb, work.data(), &size, &info, 1);
  return info;
}

#define NVMLKIT_FOR(T)                                                                             \
  template void gemm<T>(char, char, int, int, int, T, const T*, int, const T*, int, T, T*, int);   \
  template void gemv<T>(char, int, int, T, const T*, int, const T*, int, T, T*, int);              \
  template void gbmv<T>(char, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);    \
  template void symm<T>(bool, char, char, int, int, T, const T*, int, const T*, int, T, T*, int);  \
  template void syrk<T>(char, char, int, int, T, const T*, int, T, T*, int);                       \
  template void herk<T>(char, char, int, int, Real<T>, const T*, int, Real<T>, T*, int);           \
  template void syr2k<T>(char, char, int, int, T, const T*, int, const T*, int, T, T*, int);       \
  template void her2k<T>(char, char, int, int, T, const T*, int, const T*, int, Real<T>, T*, int); \
  template void trmm<T>(char, char, char, char, int, int, T, const T*, int, T*, int);              \
  template void trsm<T>(char, char, char, char, int, int, T, const T*, int, T*, int);              \
  template void trmv<T>(char, char, char, int, const T*, int, T*, int);                            \
  template void trsv<T>(char, char, char, int, const T*, int, T*, int);                            \
  template void tbmv<T>(char, char, char, int, int, const T*, int, T*, int);                       \
  template void tbsv<T>(char, char, char, int, int, const T*, int, T*, int);                       \
  template void tpmv<T>(char, char, char, int, const T*, T*, int);                                 \
  template void tpsv<T>(char, char, char, int, const T*, T*, int);                                 \
  template int getrf<T>(int, int, T*, int, int*);                                                  \
  template int getri<T>(int, T*, int, const int*);                                                 \
  template int getrs<T>(char, int, int, const T*, int, const int*, T*, int);                       \
  template int geqrf<T>(int, int, T*, int, T*);                                                    \
  template int gels<T>(char, int, int, int, T*, int, T*, int);
NVMLKIT_FOR(float)
NVMLKIT_FOR(double)
NVMLKIT_FOR(Complex)
NVMLKIT_FOR(DoubleComplex)

}  // namespace nvmlkit::blas
