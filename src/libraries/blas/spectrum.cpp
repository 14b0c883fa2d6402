// LAPACK's eigenvalues and singular values.
#include "libraries/blas/lapack_work.hpp"

namespace nvmlkit::blas {

extern "C" {
#define NVMLKIT_DECLARE(T, x)                                                                                          \
  void x##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*,     \
                 std::size_t, std::size_t);                                                                            \
  void x##sygvd_(const int*, const char*, const char*, const int*, T*, const int*, T*, const int*, T*, T*, const int*, \
                 int*, const int*, int*, std::size_t, std::size_t);                                                    \
  void x##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, \
                 T*, const int*, int*, std::size_t, std::size_t);                                                      \
  void x##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,          \
                 const int*, int*, int*, std::size_t);                                                                 \
  void x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*,      \
                const int*, int*, std::size_t, std::size_t);
NVMLKIT_DECLARE(float, s)
NVMLKIT_DECLARE(double, d)
#undef NVMLKIT_DECLARE
#define NVMLKIT_DECLARE(T, R, x)                                                                                       \
  void x##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, int*,       \
                 const int*, int*, std::size_t, std::size_t);                                                          \
  void x##hegvd_(const int*, const char*, const char*, const int*, T*, const int*, T*, const int*, R*, T*, const int*, \
                 R*, const int*, int*, const int*, int*, std::size_t, std::size_t);                                    \
  void x##gesvd_(const char*, const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, \
                 T*, const int*, R*, int*, std::size_t, std::size_t);                                                  \
  void x##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*,          \
                 const int*, R*, int*, int*, std::size_t);                                                             \
  void x##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,          \
                const int*, R*, int*, std::size_t, std::size_t);
NVMLKIT_DECLARE(Complex, float, c)
NVMLKIT_DECLARE(DoubleComplex, double, z)
#undef NVMLKIT_DECLARE
}

namespace {

// routine(work, size, real work, size, integers, size, info); of real numbers without the real work.
template <class T, class Routine>
int with_three_works(Routine routine) {
  T best{};
  Real<T> best_real{};
  int best_integer = 0, asks = -1, info = 0;
  routine(&best, &asks, &best_real, &asks, &best_integer, &asks, &info);
  if (info != 0) return info;
  const int size = size_from(best), reals = size_from(best_real), integers = std::max(best_integer, 1);
  std::vector<T> work(static_cast<std::size_t>(size));
  std::vector<Real<T>> real_work(static_cast<std::size_t>(reals));
  std::vector<int> integer_work(static_cast<std::size_t>(integers));
  routine(work.data(), &size, real_work.data(), &reals, integer_work.data(), &integers, &info);
  return info;
}

}  // namespace

template <class T>
int syevd(char job, char uplo, int n, T* a, int lda, Real<T>* w) {
  return with_three_works<T>([&](T* work, const int* size, [[maybe_unused]] Real<T>* reals,
                                 [[maybe_unused]] const int* real_size, int* integers, const int* integer_size,
                                 int* info) {
    if constexpr (kHasImaginary<T>)
      NVMLKIT_LAPACK(heevd, heevd, &job, &uplo, &n, a, &lda, w, work, size, reals, real_size, integers, integer_size,
                     info, 1, 1);
    else
      NVMLKIT_LAPACK(syevd, syevd, &job, &uplo, &n, a, &lda, w, work, size, integers, integer_size, info, 1, 1);
  });
}

template <class T>
int sygvd(int kind, char job, char uplo, int n, T* a, int lda, T* b, int ldb, Real<T>* w) {
  return with_three_works<T>([&](T* work, const int* size, [[maybe_unused]] Real<T>* reals,
                                 [[maybe_unused]] const int* real_size, int* integers, const int* integer_size,
                                 int* info) {
    if constexpr (kHasImaginary<T>)
      NVMLKIT_LAPACK(hegvd, hegvd, &kind, &job, &uplo, &n, a, &lda, b, &ldb, w, work, size, reals, real_size, integers,
                     integer_size, info, 1, 1);
    else
      NVMLKIT_LAPACK(sygvd, sygvd, &kind, &job, &uplo, &n, a, &lda, b, &ldb, w, work, size, integers, integer_size,
                     info, 1, 1);
  });
}

template <class T>
int gesvd(char jobu, char jobvt, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt,
          Real<T>* superdiagonal) {
  const auto least = static_cast<std::size_t>(std::min(m, n));
  std::vector<Real<T>> rest(5 * least + 1);
  const int info = with_work<T>([&](T* work, const int* size, int* state) {
    [[maybe_unused]] const int given = *size;
    if constexpr (kHasImaginary<T>) {
      NVMLKIT_LAPACK(gesvd, gesvd, &jobu, &jobvt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, rest.data(),
                     state, 1, 1);
    } else {
      NVMLKIT_LAPACK(gesvd, gesvd, &jobu, &jobvt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, state, 1, 1);
      for (std::size_t i = 1; given > 0 && i < least; ++i) rest[i - 1] = work[i];
    }
  });
  if (superdiagonal && least > 1) std::copy_n(rest.begin(), least - 1, superdiagonal);
  return info;
}

template <class T>
int gesdd(char job, int m, int n, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt) {
  const auto least = static_cast<std::size_t>(std::min(m, n)), most = static_cast<std::size_t>(std::max(m, n));
  std::vector<int> integers(8 * least + 1);
  std::vector<Real<T>> reals(!kHasImaginary<T> ? 0
                             : job == 'N'      ? 7 * least + 1
                                               : least * std::max(5 * least + 7, 2 * most + 2 * least + 1) + 1);
  return with_work<T>([&](T* work, const int* size, int* info) {
    if constexpr (kHasImaginary<T>)
      NVMLKIT_LAPACK(gesdd, gesdd, &job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, reals.data(),
                     integers.data(), info, 1);
    else
      NVMLKIT_LAPACK(gesdd, gesdd, &job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, integers.data(), info, 1);
  });
}

template <class T>
int geev(char jobvl, char jobvr, int n, T* a, int lda, std::complex<Real<T>>* w, T* vl, int ldvl, T* vr, int ldvr) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<Real<T>> reals(2 * count + 1), imaginaries(count + 1);
  return with_work<T>([&](T* work, const int* size, int* info) {
    [[maybe_unused]] const int given = *size;
    if constexpr (kHasImaginary<T>) {
      NVMLKIT_LAPACK(geev, geev, &jobvl, &jobvr, &n, a, &lda, w, vl, &ldvl, vr, &ldvr, work, size, reals.data(), info,
                     1, 1);
    } else {
      NVMLKIT_LAPACK(geev, geev, &jobvl, &jobvr, &n, a, &lda, reals.data(), imaginaries.data(), vl, &ldvl, vr, &ldvr,
                     work, size, info, 1, 1);
      for (std::size_t i = 0; given > 0 && i < count; ++i) w[i] = {reals[i], imaginaries[i]};
    }
  });
}

#define NVMLKIT_FOR_SPECTRUM(T)                                                               \
  template int syevd<T>(char, char, int, T*, int, Real<T>*);                                  \
  template int sygvd<T>(int, char, char, int, T*, int, T*, int, Real<T>*);                    \
  template int gesvd<T>(char, char, int, int, T*, int, Real<T>*, T*, int, T*, int, Real<T>*); \
  template int gesdd<T>(char, int, int, T*, int, Real<T>*, T*, int, T*, int);                 \
  template int geev<T>(char, char, int, T*, int, std::complex<Real<T>>*, T*, int, T*, int);
NVMLKIT_FOR_SPECTRUM(float)
NVMLKIT_FOR_SPECTRUM(double)
NVMLKIT_FOR_SPECTRUM(Complex)
NVMLKIT_FOR_SPECTRUM(DoubleComplex)
#undef NVMLKIT_FOR_SPECTRUM

}  // namespace nvmlkit::blas
