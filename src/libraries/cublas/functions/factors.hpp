// LAPACK in batches: factors of matrices, their inverses, systems of equations. Arrays of pointers, pivots and the
// state of each matrix are in memory of the device; `info` of the call is in memory of the host.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "libraries/cublas/functions/matrices.hpp"

namespace nvmlkit::cublas::functions {

inline cublasStatus_t refuse(int* info, int argument) {
  if (info) *info = -argument;
  return CUBLAS_STATUS_INVALID_VALUE;
}

// Factors without exchanges of rows, as cuBLAS has them for a null array of pivots.
template <class T>
int factors_in_place(std::int64_t n, T* a, std::int64_t lda) {
  int info = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const T pivot = a[k + k * lda];
    if (pivot == T{}) {
      if (info == 0) info = as_int(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < n; ++i) a[i + k * lda] /= pivot;
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
  }
  return info;
}

// The pivots of one matrix; without an array, rows are where they were. LAPACK follows a pivot wherever it leads: one
// that is no row is an address that is none.
inline std::vector<int> pivots_of(Running& running, const int* pivots, std::int64_t n, std::int64_t index) {
  std::vector<int> out(static_cast<std::size_t>(n));
  if (pivots)
    std::copy_n(running.read(pivots + index * n, n), n, out.begin());
  else
    std::iota(out.begin(), out.end(), 1);
  const auto is_row = [=](int pivot) { return pivot >= 1 && pivot <= n; };
  if (!std::all_of(out.begin(), out.end(), is_row)) throw libraries::Failed{cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
  return out;
}

template <class T>
cublasStatus_t getrf_batched(const Call& call, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  if (n < 0 || count < 0 || !is_leading(lda, n)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = std::int64_t{n} * n;
  return call.enqueue(matrix_cost<T>(count * size * n * 2 / 3, count * 2 * size), [=](Running& running) {
    T* const* const all = running.read(a, count);
    int* const states = running.write(info, count);
    for (int i = 0; i < count; ++i) {
      T* const own = running.write(all[i], matrix_size(n, n, lda));
      if (!pivots) {
        states[i] = factors_in_place(n, own, lda);
        continue;
      }
      std::vector<int> rows(static_cast<std::size_t>(n));  // LAPACK follows them: no program changes them meanwhile
      states[i] = blas::getrf<T>(n, n, own, lda, rows.data());
      std::copy(rows.begin(), rows.end(), running.write(pivots + std::int64_t{i} * n, n));
    }
  });
}

// The inverse in place of the factors. That of a singular matrix has infinities and NaNs, which CuPy's `cond` looks
// for; LAPACK leaves the factors.
template <class T>
int invert(int n, T* a, int lda, const std::vector<int>& pivots) {
  const int info = blas::getri<T>(n, a, lda, pivots.data());
  if (info <= 0) return info;
  std::vector<T> factors;
  for (int j = 0; j < n; ++j) {
    T* const column = a + std::int64_t{j} * lda;
    factors.insert(factors.end(), column, column + n);
    std::fill_n(column, n, T{});
    column[j] = T{1};
  }
  blas::getrs<T>('N', n, n, factors.data(), n, pivots.data(), a, lda);
  return info;
}

template <class T>
cublasStatus_t getri_batched(const Call& call, int n, const T* const* a, int lda, const int* pivots, T* const* c,
                             int ldc, int* info, int count) {
  if (n < 0 || count < 0 || !is_leading(lda, n) || !is_leading(ldc, n)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = std::int64_t{n} * n;
  return call.enqueue(matrix_cost<T>(count * size * n * 4 / 3, count * 2 * size), [=](Running& running) {
    const T* const* const from = running.read(a, count);
    T* const* const to = running.read(c, count);
    int* const states = running.write(info, count);
    for (int i = 0; i < count; ++i) {
      const T* const own = running.read(from[i], matrix_size(n, n, lda));
      T* const inverse = running.write(to[i], matrix_size(n, n, ldc));
      for (int j = 0; j < n; ++j) std::copy_n(own + std::int64_t{j} * lda, n, inverse + std::int64_t{j} * ldc);
      states[i] = invert(n, inverse, ldc, pivots_of(running, pivots, n, i));
    }
  });
}

template <class T>
cublasStatus_t matinv_batched(const Call& call, int n, const T* const* a, int lda, T* const* c, int ldc, int* info,
                              int count) {
  if (n < 0 || n > 32 || count < 0 || !is_leading(lda, n) || !is_leading(ldc, n)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  return call.enqueue(matrix_cost<T>(std::int64_t{count} * n * n * n * 2, std::int64_t{count} * 2 * n * n),
                      [=](Running& running) {
                        const T* const* const from = running.read(a, count);
                        T* const* const to = running.read(c, count);
                        int* const states = running.write(info, count);
                        std::vector<int> pivots(static_cast<std::size_t>(n));
                        for (int i = 0; i < count; ++i) {
                          const T* const own = running.read(from[i], matrix_size(n, n, lda));
                          T* const out = running.write(to[i], matrix_size(n, n, ldc));
                          for (std::int64_t j = 0; j < n; ++j) std::copy_n(own + j * lda, n, out + j * ldc);
                          states[i] = blas::getrf<T>(n, n, out, ldc, pivots.data());
                          if (states[i] == 0) states[i] = blas::getri<T>(n, out, ldc, pivots.data());
                        }
                      });
}

template <class T>
cublasStatus_t getrs_batched(const Call& call, cublasOperation_t t, int n, int columns, const T* const* a, int lda,
                             const int* pivots, T* const* b, int ldb, int* info, int count) {
  if (!info) return CUBLAS_STATUS_INVALID_VALUE;
  if (!letter_of(t)) return refuse(info, 1);
  if (n < 0) return refuse(info, 2);
  if (columns < 0) return refuse(info, 3);
  if (!is_leading(lda, n)) return refuse(info, 5);
  if (!is_leading(ldb, n)) return refuse(info, 8);
  if (count < 0) return refuse(info, 10);
  *info = 0;
  if (n == 0 || columns == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const auto work = std::int64_t{count} * n * n * columns;
  return call.enqueue(matrix_cost<T>(2 * work, std::int64_t{count} * n * (n + columns)), [=](Running& running) {
    const T* const* const factors = running.read(a, count);
    T* const* const all = running.read(b, count);
    for (int i = 0; i < count; ++i) {
      const T* const own = running.read(factors[i], matrix_size(n, n, lda));
      const auto rows = pivots_of(running, pivots, n, i);
      blas::getrs<T>(letter_of(t), n, columns, own, lda, rows.data(),
                     running.write(all[i], matrix_size(n, columns, ldb)), ldb);
    }
  });
}

template <class T>
cublasStatus_t geqrf_batched(const Call& call, int m, int n, T* const* a, int lda, T* const* tau, int* info,
                             int count) {
  if (!info) return CUBLAS_STATUS_INVALID_VALUE;
  if (m < 0) return refuse(info, 1);
  if (n < 0) return refuse(info, 2);
  if (!is_leading(lda, m)) return refuse(info, 4);
  if (count < 0) return refuse(info, 7);
  *info = 0;
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(matrix_cost<T>(count * size * n * 2, count * 2 * size), [=](Running& running) {
    T* const* const all = running.read(a, count);
    T* const* const factors = running.read(tau, count);
    for (int i = 0; i < count; ++i) {
      T* const own = running.write(all[i], matrix_size(m, n, lda));
      blas::geqrf<T>(m, n, own, lda, running.write(factors[i], std::min(m, n)));
    }
  });
}

template <class T>
cublasStatus_t gels_batched(const Call& call, cublasOperation_t t, int m, int n, int columns, T* const* a, int lda,
                            T* const* c, int ldc, int* info, int* states, int count) {
  if (!info) return CUBLAS_STATUS_INVALID_VALUE;
  // Documented: no other operation, and at least as many rows as columns.
  if (t != CUBLAS_OP_N) {
    refuse(info, 1);
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (m < 0 || m < n) return refuse(info, 2);
  if (n < 0) return refuse(info, 3);
  if (columns < 0) return refuse(info, 4);
  if (!is_leading(lda, m)) return refuse(info, 6);
  if (!is_leading(ldc, m)) return refuse(info, 8);
  if (count < 0) return refuse(info, 11);
  *info = 0;
  if (n == 0 || columns == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = std::int64_t{m} * n;
  return call.enqueue(matrix_cost<T>(count * size * (n + columns) * 2, count * 3 * size), [=](Running& running) {
    T* const* const all_a = running.read(a, count);
    T* const* const all_c = running.read(c, count);
    int* const each = states ? running.write(states, count) : nullptr;
    for (int i = 0; i < count; ++i) {
      T* const own = running.write(all_a[i], matrix_size(m, n, lda));
      const int state =
          blas::gels<T>('N', m, n, columns, own, lda, running.write(all_c[i], matrix_size(m, columns, ldc)), ldc);
      if (each) each[i] = state;
    }
  });
}

}  // namespace nvmlkit::cublas::functions
