// Factors without fill-in, in the place of the matrix: ILU(0) and incomplete Cholesky. A block matrix has the factors
// of its entries.
#pragma once

#include "libraries/cusparse/functions/blocks.hpp"

namespace nvmlkit::cusparse::functions {

// A 0 or a number below the tolerance on the diagonal becomes the boost.
template <class T>
struct Boost {
  bool is_on = false;
  double tolerance = 0;
  T value{};

  T of(T pivot) const { return is_on && std::abs(pivot) <= tolerance ? value : pivot; }
};

// The place of the diagonal of each row; -1: it has none.
inline std::vector<Size> diagonals_of(const Entries& entries) {
  std::vector<Size> out(at(entries.rows), -1);
  for (Size i = 0; i < entries.rows; ++i)
    for (Size k = entries.begin(i); k < entries.end(i); ++k)
      if (entries.column(k) == i) out[at(i)] = k;
  return out;
}
// The entries of a row by their columns, small ones first.
inline std::vector<Size> sorted_row(const Entries& entries, Size row) {
  std::vector<Size> out;
  for (Size k = entries.begin(row); k < entries.end(row); ++k) out.push_back(k);
  std::sort(out.begin(), out.end(), [&](Size x, Size y) { return entries.column(x) < entries.column(y); });
  return out;
}

// Row i minus the rows above it, where it has entries. The first zero of the diagonal; -1 without one.
template <class T>
Size factor_lu(Running& running, Sparse<T>& a, const Boost<T>& boost) {
  const auto& entries = a.entries;
  const auto diagonals = diagonals_of(entries);
  std::vector<Size> place(at(entries.columns), -1);
  Size zero = -1;
  for (Size i = 0; i < entries.rows; ++i) {
    const auto row = sorted_row(entries, i);
    for (const Size k : row) place[at(entries.column(k))] = k;
    for (const Size k : row) {
      const Size j = entries.column(k);
      if (j >= i) break;
      const T pivot = diagonals[at(j)] < 0 ? T{} : a.value(diagonals[at(j)]);
      const T factor = a.value(k) /= pivot;
      for (Size n = entries.begin(j); n < entries.end(j); ++n)
        if (entries.column(n) > j && place[at(entries.column(n))] >= 0)
          a.value(place[at(entries.column(n))]) -= factor * a.value(n);
    }
    for (const Size k : row) place[at(entries.column(k))] = -1;
    const Size d = diagonals[at(i)];
    if (d >= 0) a.value(d) = boost.of(a.value(d));
    if (zero < 0 && (d < 0 || a.value(d) == T{})) zero = i;
    if (i % 256 == 255) running.tick();
  }
  return zero;
}

// The lower triangle of a matrix that is its own adjoint.
template <class T>
Size factor_cholesky(Running& running, Sparse<T>& a, const Boost<T>&) {
  const auto& entries = a.entries;
  const auto diagonals = diagonals_of(entries);
  std::vector<T> row_values(at(entries.columns));
  Size zero = -1;
  for (Size i = 0; i < entries.rows; ++i) {
    T diagonal = diagonals[at(i)] < 0 ? T{} : a.value(diagonals[at(i)]);
    const auto row = sorted_row(entries, i);
    for (const Size k : row) {
      const Size j = entries.column(k);
      if (j >= i) break;
      T number = a.value(k);
      for (Size n = entries.begin(j); n < entries.end(j); ++n)
        if (entries.column(n) < j) number -= row_values[at(entries.column(n))] * conjugated(a.value(n));
      number /= diagonals[at(j)] < 0 ? T{} : conjugated(a.value(diagonals[at(j)]));
      a.value(k) = row_values[at(j)] = number;
      diagonal -= number * conjugated(number);
    }
    for (const Size k : row) row_values[at(entries.column(k))] = T{};
    const bool is_positive = std::real(diagonal) > 0;
    if (diagonals[at(i)] >= 0) a.value(diagonals[at(i)]) = std::sqrt(diagonal);
    if (zero < 0 && !is_positive) zero = i;
    if (i % 256 == 255) running.tick();
  }
  return zero;
}

template <class T, class Factor>
cusparseStatus_t factor_later(const Call& call, const SparseMatrix& a, const PivotInfo& info, Factor factor) {
  if (!has_arrays(a)) return CUSPARSE_STATUS_INVALID_VALUE;
  Boost<T> boost{info.is_boosted, info.tolerance, {}};
  if constexpr (std::is_floating_point_v<T>)
    boost.value = static_cast<T>(info.boost.real());
  else
    boost.value = static_cast<T>(info.boost);
  return call.enqueue(cost_of<T>(a.stored(), 8), [=, zero = info.zero](Running& running) {
    auto matrix = read_sparse<T>(running, a);
    const Size row = factor(running, matrix, boost);
    *zero = row < 0 ? -1 : static_cast<int>(row / a.block_rows + static_cast<Size>(a.base));
    write_values(running, a, matrix.values);
  });
}

inline bool is_square(const MatrixOptions* options, int m, int count, const PivotInfo* info) {
  return is_object(options) && m >= 0 && count >= 0 && is_object(info);
}
template <class T, class Number>
cusparseStatus_t csr_factor_size(const Call&, int m, int count, const MatrixOptions* options, T*, const int*,
                                 const int*, PivotInfo* info, Number* size) {
  return tell_size(size, is_square(options, m, count, info));
}
template <class T>
cusparseStatus_t csr_factor_analysis(const Call&, int m, int count, const MatrixOptions* options, const T*, const int*,
                                     const int*, PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_square(options, m, count, info)) return CUSPARSE_STATUS_INVALID_VALUE;
  *info->zero = -1;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t csrilu(const Call& call, int m, int count, const MatrixOptions* options, T* values, const int* offsets,
                        const int* indices, PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_square(options, m, count, info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return factor_later<T>(call, typed_csr(options, m, m, count, values, offsets, indices), *info, factor_lu<T>);
}
template <class T>
cusparseStatus_t csric(const Call& call, int m, int count, const MatrixOptions* options, T* values, const int* offsets,
                       const int* indices, PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_square(options, m, count, info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return factor_later<T>(call, typed_csr(options, m, m, count, values, offsets, indices), *info, factor_cholesky<T>);
}

template <class T, class Number>
cusparseStatus_t bsr_factor_size(const Call&, cusparseDirection_t direction, int rows, int count,
                                 const MatrixOptions* options, T*, const int*, const int*, int block, PivotInfo* info,
                                 Number* size) {
  return tell_size(size, is_block_matrix(options, direction, rows, rows, count, block) && is_object(info));
}
template <class T>
cusparseStatus_t bsr_factor_analysis(const Call&, cusparseDirection_t direction, int rows, int count,
                                     const MatrixOptions* options, const T*, const int*, const int*, int block,
                                     PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_object(info))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *info->zero = -1;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t bsrilu(const Call& call, cusparseDirection_t direction, int rows, int count,
                        const MatrixOptions* options, T* values, const int* offsets, const int* indices, int block,
                        PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_object(info))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr<T>(options, direction, rows, rows, count, values, offsets, indices, block, block);
  return factor_later<T>(call, a, *info, factor_lu<T>);
}
template <class T>
cusparseStatus_t bsric(const Call& call, cusparseDirection_t direction, int rows, int count,
                       const MatrixOptions* options, T* values, const int* offsets, const int* indices, int block,
                       PivotInfo* info, cusparseSolvePolicy_t, void*) {
  if (!is_block_matrix(options, direction, rows, rows, count, block) || !is_object(info))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr<T>(options, direction, rows, rows, count, values, offsets, indices, block, block);
  return factor_later<T>(call, a, *info, factor_cholesky<T>);
}

// Of the host, as the other modes of a matrix.
template <class T>
cusparseStatus_t set_boost(const Call&, PivotInfo* info, int is_on, double* tolerance, T* value) {
  if (!is_object(info) || (is_on && (!tolerance || !value))) return CUSPARSE_STATUS_INVALID_VALUE;
  info->is_boosted = is_on != 0;
  if (!is_on) return CUSPARSE_STATUS_SUCCESS;
  info->tolerance = *tolerance;
  info->boost = blas::load_one<DoubleComplex>(blas::kTypeOf<T>, value);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusparse::functions
