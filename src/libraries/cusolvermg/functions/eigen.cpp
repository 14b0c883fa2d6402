#include "libraries/cusolvermg/functions/eigen.hpp"

#include "libraries/blas/lapack.hpp"
#include "libraries/cusolvermg/functions/matrices.hpp"

namespace nvmlkit::cusolvermg::functions {
namespace {

// A matrix from its first element on.
bool is_right(const Call& call, cusolverEigMode_t mode, cublasFillMode_t uplo, const Part& a,
              cudaDataType type_of_values, cudaDataType compute) {
  return (mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR) && uplo <= CUBLAS_FILL_MODE_UPPER &&
         a.row == 1 && a.column == 1 && is_operand(call, a, compute) && type_of_values == blas::real_of(compute);
}

template <class T>
cusolverStatus_t syevd_of(const Call& call, char job, const Distributed<T>& a, void* values, int* info) {
  struct State {
    std::vector<blas::Real<T>> values;
    int info = 0;
  };
  const auto whole = std::make_shared<Whole<T>>(a.size());
  const auto state = std::make_shared<State>();
  state->values.resize(static_cast<std::size_t>(a.rows()));
  Steps steps(call);
  steps.bring(a, whole);
  steps.compute(operations_of<T>(cube(a.rows()) * (job == 'V' ? 9 : 4.0 / 3)), [=, n = static_cast<int>(a.rows())] {
    state->info = blas::syevd<T>(job, 'L', n, whole->data(), std::max(n, 1), state->values.data());
  });
  steps.give(whole, a);
  if (steps.status() != CUSOLVER_STATUS_SUCCESS) return steps.status();
  *info = state->info;
  std::copy(state->values.begin(), state->values.end(), static_cast<blas::Real<T>*>(values));
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

cusolverStatus_t syevd_size(const Call& call, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, void* const*,
                            int row, int column, Description* description, void*, cudaDataType type_of_values,
                            cudaDataType compute, std::int64_t* size) {
  return tell_size(size, n, is_right(call, mode, uplo, {description, row, column, n, n}, type_of_values, compute));
}

cusolverStatus_t syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t uplo, int n, void* const* a, int row,
                       int column, Description* description, void* values, cudaDataType type_of_values,
                       cudaDataType compute, void* const* work, std::int64_t size, int* info) {
  const Part part{description, row, column, n, n};
  // Documented: the lower triangle.
  if (uplo != CUBLAS_FILL_MODE_LOWER || !is_right(call, mode, uplo, part, type_of_values, compute) ||
      !has_workspace(work, size, info) || (!values && n > 0))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return for_type(compute, [&](auto t) {
    const auto matrix = part.at(t, a);
    return matrix.has_data() ? syevd_of(call, mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', matrix, values, info)
                             : CUSOLVER_STATUS_INVALID_VALUE;
  });
}

}  // namespace nvmlkit::cusolvermg::functions
