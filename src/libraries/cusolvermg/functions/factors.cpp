#include "libraries/cusolvermg/functions/factors.hpp"

#include "libraries/blas/lapack.hpp"
#include "libraries/blas/plain_factors.hpp"
#include "libraries/cusolvermg/functions/matrices.hpp"

namespace nvmlkit::cusolvermg::functions {
namespace {

// The pivots of a part of a matrix: a row of numbers whose tiles are those of its columns.
Distributed<int> pivots_of(const Part& a, int* const* pivots, std::int64_t count) {
  Description row = *a.of;
  row.rows = 1;
  return {row, pivots, 0, a.column - 1, 1, count};
}

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

// Documented, of LU.
constexpr std::int64_t kLargestTile = 512;

bool is_operand_of_lu(const Call& call, const Part& part, cudaDataType compute) {
  return is_operand(call, part, compute) && part.of->tile <= kLargestTile;
}

template <class T>
cusolverStatus_t getrf_of(const Call& call, const Distributed<T>& a, const Distributed<int>& rows, bool exchanges,
                          int* info) {
  const auto whole = std::make_shared<Whole<T>>(a.size());
  const auto pivots = std::make_shared<Whole<int>>(rows.size());
  const auto result = std::make_shared<int>(0);
  const auto m = a.rows(), n = a.columns();
  Steps steps(call);
  steps.bring(a, whole);
  const auto least = static_cast<double>(std::min(m, n));
  steps.compute(operations_of<T>(2.0 / 3 * static_cast<double>(m * n) * least), [=] {
    const auto leading = std::max<std::int64_t>(m, 1);
    *result = exchanges ? blas::getrf<T>(static_cast<int>(m), static_cast<int>(n), whole->data(),
                                         static_cast<int>(leading), pivots->data())
                        : blas::lu_without_exchanges(m, n, whole->data(), leading);
  });
  steps.give(whole, a);
  if (exchanges) steps.give(pivots, rows);
  if (steps.status() == CUSOLVER_STATUS_SUCCESS) *info = *result;
  return steps.status();
}

// LAPACK follows a pivot wherever it leads: one that is no row is an address that is none.
void need_rows(const Whole<int>& pivots) {
  for (const int pivot : pivots)
    if (pivot < 1 || static_cast<std::size_t>(pivot) > pivots.size())
      throw libraries::Failed{cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
}

template <class T>
cusolverStatus_t getrs_of(const Call& call, const Distributed<T>& a, const Distributed<int>& rows, bool exchanges,
                          const Distributed<T>& b, int* info) {
  const auto factor = std::make_shared<Whole<T>>(a.size()), right = std::make_shared<Whole<T>>(b.size());
  const auto pivots = std::make_shared<Whole<int>>(rows.size());
  const auto result = std::make_shared<int>(0);
  Steps steps(call);
  steps.bring(a, factor);
  steps.bring(b, right);
  if (exchanges) steps.bring(rows, pivots);
  const auto n = static_cast<int>(a.rows()), columns = static_cast<int>(b.columns());
  for (int i = 0; !exchanges && i < n; ++i) (*pivots)[static_cast<std::size_t>(i)] = i + 1;
  steps.compute(operations_of<T>(2.0 * n * n * columns), [=] {
    need_rows(*pivots);
    *result =
        blas::getrs<T>('N', n, columns, factor->data(), std::max(n, 1), pivots->data(), right->data(), std::max(n, 1));
  });
  steps.give(right, b);
  if (steps.status() == CUSOLVER_STATUS_SUCCESS) *info = *result;
  return steps.status();
}

// A routine of the lower triangle, in place: info = routine(triangle, n, matrix, leading dimension).
template <class T, class Routine>
cusolverStatus_t in_triangle(const Call& call, const Distributed<T>& a, double operations, int* info, Routine routine) {
  const auto whole = std::make_shared<Whole<T>>(a.size());
  const auto result = std::make_shared<int>(0);
  Steps steps(call);
  steps.bring(a, whole);
  steps.compute(operations_of<T>(operations),
                [=, n = static_cast<int>(a.rows())] { *result = routine('L', n, whole->data(), std::max(n, 1)); });
  steps.give(whole, a);
  if (steps.status() == CUSOLVER_STATUS_SUCCESS) *info = *result;
  return steps.status();
}

template <class T>
cusolverStatus_t potrs_of(const Call& call, const Distributed<T>& a, const Distributed<T>& b, int* info) {
  const auto factor = std::make_shared<Whole<T>>(a.size()), right = std::make_shared<Whole<T>>(b.size());
  const auto result = std::make_shared<int>(0);
  Steps steps(call);
  steps.bring(a, factor);
  steps.bring(b, right);
  const auto n = static_cast<int>(a.rows()), columns = static_cast<int>(b.columns());
  steps.compute(operations_of<T>(2.0 * n * n * columns), [=] {
    *result = blas::potrs<T>('L', n, columns, factor->data(), std::max(n, 1), right->data(), std::max(n, 1));
  });
  steps.give(right, b);
  if (steps.status() == CUSOLVER_STATUS_SUCCESS) *info = *result;
  return steps.status();
}

bool is_right(const Call& call, cublasFillMode_t uplo, const Part& a, cudaDataType compute) {
  return uplo == CUBLAS_FILL_MODE_LOWER && is_operand(call, a, compute);
}

// A factor and the right sides that it solves.
bool are_right(const Call& call, const Part& a, const Part& b, cudaDataType compute) {
  return is_operand(call, a, compute) && is_operand(call, b, compute);
}

}  // namespace

cusolverStatus_t getrf_size(const Call& call, int m, int n, void* const*, int row, int column, Description* of_a,
                            int* const*, cudaDataType compute, std::int64_t* size) {
  return tell_size(size, std::max(m, n), is_operand_of_lu(call, {of_a, row, column, m, n}, compute));
}
cusolverStatus_t getrf(const Call& call, int m, int n, void* const* a, int row, int column, Description* of_a,
                       int* const* pivots, cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{of_a, row, column, m, n};
  if (!is_operand_of_lu(call, part, compute) || !has_workspace(work, size, info)) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(compute, [&](auto t) {
    const auto matrix = part.at(t, a);
    const auto rows = pivots_of(part, pivots, std::min(m, n));
    if (!matrix.has_data() || (pivots && !rows.has_data())) return CUSOLVER_STATUS_INVALID_VALUE;
    return getrf_of(call, matrix, rows, pivots != nullptr, info);
  });
}

cusolverStatus_t getrs_size(const Call& call, cublasOperation_t operation, int n, int columns, void* const*, int row,
                            int column, Description* of_a, int* const*, void* const*, int row_of_b, int column_of_b,
                            Description* of_b, cudaDataType compute, std::int64_t* size) {
  const Part a{of_a, row, column, n, n}, b{of_b, row_of_b, column_of_b, n, columns};
  return tell_size(size, n,
                   is_operation(operation) && is_operand_of_lu(call, a, compute) && is_operand_of_lu(call, b, compute));
}
cusolverStatus_t getrs(const Call& call, cublasOperation_t operation, int n, int columns, void* const* a, int row,
                       int column, Description* of_a, int* const* pivots, void* const* b, int row_of_b, int column_of_b,
                       Description* of_b, cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{of_a, row, column, n, n}, right{of_b, row_of_b, column_of_b, n, columns};
  // Documented: the matrix as it is.
  if (operation != CUBLAS_OP_N || !is_operand_of_lu(call, part, compute) || !is_operand_of_lu(call, right, compute) ||
      !has_workspace(work, size, info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(compute, [&](auto t) {
    const auto factor = part.at(t, a), solution = right.at(t, b);
    const auto rows = pivots_of(part, pivots, n);
    if (!factor.has_data() || !solution.has_data() || (pivots && !rows.has_data()))
      return CUSOLVER_STATUS_INVALID_VALUE;
    return getrs_of(call, factor, rows, pivots != nullptr, solution, info);
  });
}

cusolverStatus_t potrf_size(const Call& call, cublasFillMode_t uplo, int n, void* const*, int row, int column,
                            Description* of_a, cudaDataType compute, std::int64_t* size) {
  return tell_size(size, n, is_right(call, uplo, {of_a, row, column, n, n}, compute));
}
cusolverStatus_t potrf(const Call& call, cublasFillMode_t uplo, int n, void* const* a, int row, int column,
                       Description* of_a, cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{of_a, row, column, n, n};
  if (!is_right(call, uplo, part, compute) || !has_workspace(work, size, info)) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto status = for_type(compute, [&]<class T>(T t) {
    const auto matrix = part.at(t, a);
    return matrix.has_data() ? in_triangle(call, matrix, cube(n) / 3, info, blas::potrf<T>)
                             : CUSOLVER_STATUS_INVALID_VALUE;
  });
  // So NVIDIA's library was seen to answer for a matrix that is not positive definite.
  return status == CUSOLVER_STATUS_SUCCESS && *info > 0 ? CUSOLVER_STATUS_INTERNAL_ERROR : status;
}
cusolverStatus_t potri(const Call& call, cublasFillMode_t uplo, int n, void* const* a, int row, int column,
                       Description* of_a, cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{of_a, row, column, n, n};
  if (!is_right(call, uplo, part, compute) || !has_workspace(work, size, info)) return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(compute, [&]<class T>(T t) {
    const auto matrix = part.at(t, a);
    return matrix.has_data() ? in_triangle(call, matrix, cube(n) * 2 / 3, info, blas::potri<T>)
                             : CUSOLVER_STATUS_INVALID_VALUE;
  });
}

cusolverStatus_t potrs_size(const Call& call, cublasFillMode_t uplo, int n, int columns, void* const*, int row,
                            int column, Description* of_a, void* const*, int row_of_b, int column_of_b,
                            Description* of_b, cudaDataType compute, std::int64_t* size) {
  return tell_size(size, n,
                   uplo == CUBLAS_FILL_MODE_LOWER &&
                       are_right(call, {of_a, row, column, n, n}, {of_b, row_of_b, column_of_b, n, columns}, compute));
}
cusolverStatus_t potrs(const Call& call, cublasFillMode_t uplo, int n, int columns, void* const* a, int row, int column,
                       Description* of_a, void* const* b, int row_of_b, int column_of_b, Description* of_b,
                       cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{of_a, row, column, n, n}, right{of_b, row_of_b, column_of_b, n, columns};
  if (uplo != CUBLAS_FILL_MODE_LOWER || !are_right(call, part, right, compute) || !has_workspace(work, size, info))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(compute, [&](auto t) {
    const auto factor = part.at(t, a), solution = right.at(t, b);
    if (!factor.has_data() || !solution.has_data()) return CUSOLVER_STATUS_INVALID_VALUE;
    return potrs_of(call, factor, solution, info);
  });
}

}  // namespace nvmlkit::cusolvermg::functions
