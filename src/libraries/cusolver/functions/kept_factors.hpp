// Factors of sparse matrices that a program keeps: P A = L U on the host, A = L L^H on the host and on the device.
#pragma once

#include "libraries/cusolver/functions/objects.hpp"
#include "libraries/cusolver/functions/sparse.hpp"
#include "libraries/cusolver/sparse/lu.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_lu(LuInfo** out);
cusolverStatus_t destroy_lu(LuInfo* info);
cusolverStatus_t create_cholesky(CholeskyInfo** out);
cusolverStatus_t destroy_cholesky(CholeskyInfo* info);

cusolverStatus_t check_objects(const SparseHandle* handle, bool has_info);
// The same and the pattern; factors are made anew.
cusolverStatus_t analyze_pattern(const SparseHandle* handle, bool has_info, const Pattern& pattern);

cusolverStatus_t csrlu_analysis_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                     const int* offsets, const int* columns, LuInfo* info);
cusolverStatus_t csrlu_counts_host(SparseHandle* handle, int* lower, int* upper, LuInfo* info);
cusolverStatus_t csrchol_analysis(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                  const int* offsets, const int* columns, CholeskyInfo* info);

// No buffer is used; programs allocate what they are told.
template <class T>
cusolverStatus_t tell_sizes(const cusolverStatus_t checked, const Pattern& pattern, std::size_t* own,
                            std::size_t* work) {
  if (checked != CUSOLVER_STATUS_SUCCESS) return checked;
  if (!own || !work) return CUSOLVER_STATUS_INVALID_VALUE;
  *own = sizeof(T) * static_cast<std::size_t>(pattern.count);
  *work = sizeof(T) * static_cast<std::size_t>(std::max(1, pattern.n));
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
using LuOf = std::shared_ptr<const sparse::Lu<T>>;
template <class T>
using CholeskyOf = std::shared_ptr<const sparse::Cholesky<T>>;

// work(factor) with the factor of an info, if it is of this type.
template <class Factor, class Info, class Work>
cusolverStatus_t with_factor(const SparseHandle* handle, const Info* info, Work work) {
  const auto status = check_objects(handle, is_object(info));
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const auto* const factor = std::any_cast<Factor>(&info->factor);
  return factor && *factor ? work(*factor) : CUSOLVER_STATUS_INVALID_VALUE;
}

// The same, where the arguments are real and the factor may be complex.
template <template <class> class Of, class R, class Info, class Work>
cusolverStatus_t with_factor_of(const SparseHandle* handle, const Info* info, Work work) {
  if (is_object(info) && std::any_cast<Of<std::complex<R>>>(&info->factor))
    return with_factor<Of<std::complex<R>>>(handle, info, work);
  return with_factor<Of<R>>(handle, info, work);
}

template <class T>
cusolverStatus_t csrlu_size_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T*,
                                 const int* offsets, const int* columns, LuInfo* info, std::size_t* own,
                                 std::size_t* work) {
  const Pattern pattern{n, count, options, offsets, columns};
  return tell_sizes<T>(analyze_pattern(handle, is_object(info), pattern), pattern, own, work);
}
template <class T>
cusolverStatus_t csrlu_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                            const int* offsets, const int* columns, LuInfo* info, Real<T> threshold, void* buffer) {
  const Pattern pattern{n, count, options, offsets, columns};
  if (const auto status = analyze_pattern(handle, is_object(info), pattern); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  if (!buffer || (count > 0 && !values) || !sparse::is_right(offsets, columns, n, n, count, pattern.base()))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto places = sparse::natural_order(n);
  const auto rows = sparse::rows_of(offsets, columns, values, n, pattern.base(), places);
  info->factor = LuOf<T>(std::make_shared<sparse::Lu<T>>(rows, threshold));
  return CUSOLVER_STATUS_SUCCESS;
}
template <class R>
cusolverStatus_t csrlu_pivot_host(SparseHandle* handle, LuInfo* info, R tolerance, int* position) {
  return with_factor_of<LuOf, R>(handle, info,
                                 [&](const auto& lu) { return answer(position, lu->first_below(tolerance)); });
}
template <class T>
cusolverStatus_t csrlu_solve_host(SparseHandle* handle, int n, const T* b, T* x, LuInfo* info, void*) {
  return with_factor<LuOf<T>>(handle, info, [&](const auto& lu) {
    if (static_cast<std::size_t>(n) != lu->rows().size() || (n > 0 && (!b || !x))) return CUSOLVER_STATUS_INVALID_VALUE;
    lu->solve(b, x);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

template <class T>
bool put_triangle(const sparse::Triangle<T>& from, const MatrixOptions* options, T* values, int* offsets,
                  int* columns) {
  const bool is_empty = from.columns.empty();
  if (!is_object(options) || !offsets || (!is_empty && (!values || !columns))) return false;
  const int base = static_cast<int>(options->base);
  std::copy(from.values.begin(), from.values.end(), values);
  const auto add = [&](int index) { return index + base; };
  std::transform(from.offsets.begin(), from.offsets.end(), offsets, add);
  std::transform(from.columns.begin(), from.columns.end(), columns, add);
  return true;
}
// L comes without its ones. Columns keep their order.
template <class T>
cusolverStatus_t csrlu_extract_host(SparseHandle* handle, int* p, int* q, const MatrixOptions* lower, T* lower_values,
                                    int* lower_offsets, int* lower_columns, const MatrixOptions* upper, T* upper_values,
                                    int* upper_offsets, int* upper_columns, LuInfo* info, void*) {
  return with_factor<LuOf<T>>(handle, info, [&](const auto& lu) {
    const auto n = static_cast<int>(lu->rows().size());
    if (n > 0 && (!p || !q)) return CUSOLVER_STATUS_INVALID_VALUE;
    if (!put_triangle(lu->lower(), lower, lower_values, lower_offsets, lower_columns) ||
        !put_triangle(lu->upper(), upper, upper_values, upper_offsets, upper_columns))
      return CUSOLVER_STATUS_INVALID_VALUE;
    std::copy(lu->rows().begin(), lu->rows().end(), p);
    for (int j = 0; j < n; ++j) q[j] = j;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

template <class T>
cusolverStatus_t csrchol_size(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T*,
                              const int* offsets, const int* columns, CholeskyInfo* info, std::size_t* own,
                              std::size_t* work) {
  const Pattern pattern{n, count, options, offsets, columns};
  return tell_sizes<T>(analyze_pattern(handle, is_object(info), pattern), pattern, own, work);
}

// Nothing where the arrays are no matrix.
template <class T, class Tick>
CholeskyOf<T> cholesky_of(const Pattern& pattern, const int* offsets, const int* columns, const T* values, Tick tick) {
  const int n = pattern.n, base = pattern.base();
  if (!sparse::is_right(offsets, columns, n, n, pattern.count, base)) return nullptr;
  const auto rows = sparse::lower_rows_of(offsets, columns, values, n, base, sparse::natural_order(n));
  return std::make_shared<sparse::Cholesky<T>>(rows, tick);
}
template <class T>
cusolverStatus_t csrchol_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                              const int* offsets, const int* columns, CholeskyInfo* info, void* buffer) {
  const Pattern pattern{n, count, options, offsets, columns};
  if (const auto status = analyze_pattern(handle, is_object(info), pattern); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  if (!buffer || (count > 0 && !values)) return CUSOLVER_STATUS_INVALID_VALUE;
  auto factor = cholesky_of(pattern, offsets, columns, values, [] {});
  if (!factor) return CUSOLVER_STATUS_INVALID_VALUE;
  info->factor = std::move(factor);
  return CUSOLVER_STATUS_SUCCESS;
}
// The factor is there when the call returns: the next call may ask for its pivots.
template <class T>
cusolverStatus_t csrchol(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                         const int* offsets, const int* columns, CholeskyInfo* info, void* buffer) {
  const Pattern pattern{n, count, options, offsets, columns};
  if (const auto status = analyze_pattern(handle, is_object(info), pattern); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  if (!buffer || (count > 0 && !values)) return CUSOLVER_STATUS_INVALID_VALUE;
  auto made = std::make_shared<CholeskyOf<T>>();
  const auto& driver = *handle->driver;
  const auto bytes = static_cast<double>(count) * static_cast<double>(sizeof(T) + sizeof(int));
  const auto work = [=](Running& running) {
    *made = cholesky_of(pattern, running.read(offsets, n + 1), running.read(columns, count),
                        running.read(values, count), [&] { running.tick(); });
  };
  const auto result = libraries::enqueue(driver, handle->stream, "cusolver_csrchol", Cost{bytes, bytes}, work);
  if (result != cuda::CUDA_SUCCESS) return Call::status_of(result);
  if (const auto waited = driver.wait_for_stream(handle->stream); waited != cuda::CUDA_SUCCESS)
    return Call::status_of(waited);
  if (!*made) return CUSOLVER_STATUS_INVALID_VALUE;
  info->factor = *made;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class R>
cusolverStatus_t csrchol_pivot(SparseHandle* handle, CholeskyInfo* info, R tolerance, int* position) {
  return with_factor_of<CholeskyOf, R>(handle, info,
                                       [&](const auto& l) { return answer(position, l->first_below(tolerance)); });
}
template <class T>
bool solve_by(const sparse::Cholesky<T>& factor, const T* b, T* x) {
  std::vector<T> sides(b, b + factor.diagonal().size());
  factor.solve(sides);
  std::copy(sides.begin(), sides.end(), x);
  return true;
}
template <class T>
bool fits(const CholeskyOf<T>& factor, int n, const T* b, const T* x) {
  return n >= 0 && static_cast<std::size_t>(n) == factor->diagonal().size() && (n == 0 || (b && x));
}
template <class T>
cusolverStatus_t csrchol_solve_host(SparseHandle* handle, int n, const T* b, T* x, CholeskyInfo* info, void*) {
  return with_factor<CholeskyOf<T>>(handle, info, [&](const auto& l) {
    if (!fits<T>(l, n, b, x)) return CUSOLVER_STATUS_INVALID_VALUE;
    solve_by(*l, b, x);
    return CUSOLVER_STATUS_SUCCESS;
  });
}
template <class T>
cusolverStatus_t csrchol_solve(SparseHandle* handle, int n, const T* b, T* x, CholeskyInfo* info, void*) {
  return with_factor<CholeskyOf<T>>(handle, info, [&](const CholeskyOf<T>& l) {
    if (!fits<T>(l, n, b, x)) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = [=](Running& running) { solve_by(*l, running.read(b, n), running.write(x, n)); };
    const auto size = static_cast<double>(n) * sizeof(T);
    return Call::status_of(
        libraries::enqueue(*handle->driver, handle->stream, "cusolver_csrchol_solve", Cost{size, size}, work));
  });
}
template <class R>
cusolverStatus_t csrchol_diagonal(SparseHandle* handle, CholeskyInfo* info, R* diagonal) {
  return with_factor_of<CholeskyOf, R>(handle, info, [&](const auto& l) {
    if (!diagonal) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = [=](Running& running) {
      const auto& numbers = l->diagonal();
      R* const out = running.write(diagonal, static_cast<std::int64_t>(numbers.size()));
      std::transform(numbers.begin(), numbers.end(), out, [](auto number) { return std::real(number); });
    };
    return Call::status_of(
        libraries::enqueue(*handle->driver, handle->stream, "cusolver_csrchol_diagonal", Cost{}, work));
  });
}

}  // namespace nvmlkit::cusolver::functions
