// Calls of LAPACK: the routine of a scalar, and memory for it.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "libraries/blas/lapack.hpp"
#include "libraries/blas/one_call.hpp"

namespace nvmlkit::blas {

// Calls the routine of T with the arguments: `real` or `complex` is its name without the letter of the scalar.
#define NVMLKIT_LAPACK(real, complex, ...)         \
  do {                                             \
    const OneCall one_call;                        \
    if constexpr (std::is_same_v<T, float>)        \
      s##real##_(__VA_ARGS__);                     \
    else if constexpr (std::is_same_v<T, double>)  \
      d##real##_(__VA_ARGS__);                     \
    else if constexpr (std::is_same_v<T, Complex>) \
      c##complex##_(__VA_ARGS__);                  \
    else                                           \
      z##complex##_(__VA_ARGS__);                  \
  } while (false)

template <class T>
inline constexpr bool kHasImaginary = !std::is_same_v<T, Real<T>>;

// A size that a routine answered as a number of its own: rounded up, a float may be below it.
template <class T>
int size_from(T answered) {
  const double size = static_cast<double>(std::real(answered));
  const double step = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  return std::max(1, static_cast<int>(std::min(size * (1 + step) + 1, 2147483647.0)));
}

// routine(work, size, info), first to ask for the size, then to compute.
template <class T, class Routine>
int with_work(Routine routine) {
  T best{};
  int size = -1, info = 0;
  routine(&best, &size, &info);
  if (info != 0) return info;
  size = size_from(best);
  std::vector<T> work(static_cast<std::size_t>(size));
  routine(work.data(), &size, &info);
  return info;
}

}  // namespace nvmlkit::blas
