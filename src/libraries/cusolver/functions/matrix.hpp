// What all functions have in common: matrices in memory of the device, letters of Fortran, sizes of workspaces.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "libraries/blas/lapack.hpp"
#include "libraries/cusolver/call.hpp"

namespace nvmlkit::cusolver::functions {

inline constexpr std::int64_t kMost = std::numeric_limits<int>::max();

// An array of the device: right if it is there, or has no elements.
template <class T>
bool is_array(const T* data, std::int64_t count) {
  return count <= 0 || data;
}

// A matrix in memory of the device, column by column.
template <class T>
struct Matrix {
  T* data;
  std::int64_t rows, columns, leading;

  // Functions that ask for a size may leave out the data.
  bool has_shape() const {
    return rows >= 0 && columns >= 0 && leading >= std::max<std::int64_t>(1, rows) && columns <= kMost &&
           leading <= kMost;
  }
  bool is_right() const { return has_shape() && is_array(data, rows * columns); }
  std::int64_t size() const { return rows > 0 && columns > 0 ? leading * (columns - 1) + rows : 0; }
  int m() const { return static_cast<int>(rows); }
  int n() const { return static_cast<int>(columns); }
  int ld() const { return static_cast<int>(leading); }

  // Its elements at their address of the host.
  T* write(Running& running) const { return running.write(data, size()); }
  const T* read(Running& running) const { return running.read(static_cast<const T*>(data), size()); }
  Matrix at(T* other) const { return {other, rows, columns, leading}; }

  // Without gaps, in memory of the host.
  std::vector<std::remove_const_t<T>> copy(Running& running) const {
    const T* const from = read(running);
    std::vector<std::remove_const_t<T>> out(static_cast<std::size_t>(rows * columns));
    for (std::int64_t j = 0; j < columns; ++j) std::copy_n(from + j * leading, rows, out.data() + j * rows);
    return out;
  }
};
template <class T>
Matrix<T> square(T* data, std::int64_t n, std::int64_t leading) {
  return {data, n, n, leading};
}

// 0: none of the header's.
inline char letter_of(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_LOWER ? 'L' : fill == CUBLAS_FILL_MODE_UPPER ? 'U' : '\0';
}
inline char letter_of(cublasOperation_t t) {
  return t == CUBLAS_OP_N ? 'N' : t == CUBLAS_OP_T ? 'T' : t == CUBLAS_OP_C ? 'C' : '\0';
}
inline char letter_of(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? 'L' : side == CUBLAS_SIDE_RIGHT ? 'R' : '\0';
}
inline char letter_of(cusolverEigMode_t mode) {
  return mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : '\0';
}

template <class T>
Cost cost_of(double operations, std::int64_t elements) {
  return {.operations = operations * (blas::is_complex(blas::kTypeOf<T>) ? 4 : 1),
          .bytes = static_cast<double>(elements) * static_cast<double>(sizeof(T))};
}
inline double cube(std::int64_t n) {
  const auto x = static_cast<double>(n);
  return x * x * x;
}

// The CPU needs no workspace of the device. A program gets a size that it can allocate: some columns.
inline cusolverStatus_t tell_size(int* out, std::int64_t rows, bool is_right) {
  if (!is_right || !out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = static_cast<int>(std::clamp<std::int64_t>(32 * rows, 32, kMost));
  return CUSOLVER_STATUS_SUCCESS;
}

// LAPACK follows a pivot wherever it leads: one that is no row is an address that is none.
inline void need_row(std::int64_t pivot, std::int64_t rows) {
  if (pivot < 1 || pivot > rows) throw libraries::Failed{cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
}
// The pivots of a matrix; without an array, rows are where they were.
template <class Pivot>
std::vector<int> pivots_of(Running& running, const Pivot* pivots, std::int64_t n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  const Pivot* const from = pivots ? running.read(pivots, n) : nullptr;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (from) need_row(static_cast<std::int64_t>(from[i]), n);
    out[i] = static_cast<int>(from ? from[i] : static_cast<Pivot>(i) + 1);
  }
  return out;
}
// The same of L D L^T, where two negative ones are a block of 2 by 2.
template <class Pivot>
std::vector<int> pivots_of_blocks(Running& running, const Pivot* pivots, std::int64_t n) {
  if (!pivots) return pivots_of(running, pivots, n);
  const Pivot* const from = running.read(pivots, n);
  std::vector<int> out;
  bool has_half = false;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t each = from[i];
    need_row(each < 0 ? -each : each, n);
    if (has_half && each > 0) need_row(0, n);
    has_half = each < 0 && !has_half;
    out.push_back(static_cast<int>(each));
  }
  if (has_half) need_row(0, n);
  return out;
}
template <class Pivot>
void put_pivots(Running& running, const std::vector<int>& from, Pivot* pivots) {
  std::copy(from.begin(), from.end(), running.write(pivots, static_cast<std::int64_t>(from.size())));
}

}  // namespace nvmlkit::cusolver::functions
