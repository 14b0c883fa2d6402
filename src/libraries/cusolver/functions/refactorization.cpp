#include "libraries/cusolver/functions/refactorization.hpp"

#include "libraries/cusolver/functions/objects.hpp"
#include "libraries/cusolver/functions/with_factors.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

using sparse::Arrays;

sparse::Shape shape_of(const Refactorization& handle, int n) {
  return {.n = n,
          .by_columns = handle.format == CUSOLVERRF_MATRIX_FORMAT_CSC,
          .unit_is_upper =
              handle.unit == CUSOLVERRF_UNIT_DIAGONAL_STORED_U || handle.unit == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U,
          .stores_unit =
              handle.unit == CUSOLVERRF_UNIT_DIAGONAL_STORED_L || handle.unit == CUSOLVERRF_UNIT_DIAGONAL_STORED_U};
}

bool are_there(int n, const Arrays& arrays) {
  return n >= 0 && arrays.count >= 0 && arrays.offsets && (arrays.count == 0 || (arrays.indices && arrays.values));
}

struct Matrices {
  Arrays a, lower, upper;
  const int *p, *q;
};

// Arrays of the host; the numbers of A are for a later call, which sets them.
cusolverStatus_t setup(Refactorization& handle, int n, const Matrices& m, std::size_t batch) {
  const auto bundle = sparse::Bundle::make(shape_of(handle, n), m.lower, m.upper);
  std::vector<double> values(bundle ? bundle->first_values().size() : 0);
  if (!bundle || !bundle->reset(m.a, m.p, m.q, values)) return CUSOLVER_STATUS_INVALID_VALUE;
  handle.factored = std::make_shared<Factored>(*handle.driver, *bundle, batch);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t checked_setup(Refactorization* handle, int n, const Matrices& m, int batch) {
  return with_handle(handle, [&] {
    const bool is_right =
        are_there(n, m.a) && are_there(n, m.lower) && are_there(n, m.upper) && batch > 0 && m.p && m.q;
    return is_right ? setup(*handle, n, m, static_cast<std::size_t>(batch)) : CUSOLVER_STATUS_INVALID_VALUE;
  });
}

Arrays read(Running& running, int n, const Arrays& from) {
  return {from.count, running.read(from.offsets, n + 1), running.read(from.indices, from.count),
          running.read(from.values, from.count)};
}

// find(k, Running&) is the address of the numbers of the k-th matrix.
template <class Find>
cusolverStatus_t reset_any(Refactorization* handle, int n, int batch, const Arrays& a, const int* p, const int* q,
                           Find find) {
  return with_factors(handle, [&](const std::shared_ptr<Factored>& factored) {
    if (n != factored->bundle.shape().n || static_cast<std::size_t>(batch) != factored->values.size() || a.count < 0 ||
        !a.offsets || !a.indices || !p || !q)
      return CUSOLVER_STATUS_INVALID_VALUE;
    factored->is_right = true;
    const auto status = run(factored->driver, "cusolver_rf_reset", a.count, [=](Running& running) {
      for (int k = 0; k < batch; ++k) {
        Arrays own = a;
        own.values = find(k, running);
        factored->is_right = factored->bundle.reset(read(running, n, own), running.read(p, n), running.read(q, n),
                                                    factored->values[static_cast<std::size_t>(k)]) &&
                             factored->is_right;
      }
    });
    return status != CUSOLVER_STATUS_SUCCESS || factored->is_right ? status : CUSOLVER_STATUS_INVALID_VALUE;
  });
}

// The ways of solving that go with a factorization, as documented.
bool fit(cusolverRfFactorization_t factorization, cusolverRfTriangularSolve_t solve) {
  return (factorization == CUSOLVERRF_FACTORIZATION_ALG0) == (solve == CUSOLVERRF_TRIANGULAR_SOLVE_ALG1);
}

cusolverStatus_t refactor_all(Refactorization* handle) {
  return with_factors(handle, [&](const std::shared_ptr<Factored>& factored) {
    if (!factored->is_analyzed || !fit(handle->factorization, handle->solve)) return CUSOLVER_STATUS_INVALID_VALUE;
    const double zero = handle->zero, boost = handle->boost;
    return run(factored->driver, "cusolver_rf_refactor", factored->bundle.count(), [=](Running& running) {
      factored->is_boosted = false;
      for (std::size_t k = 0; k < factored->values.size(); ++k)
        factored->zero_pivots[k] =
            factored->bundle.refactor(factored->values[k], zero, boost, factored->is_boosted, [&] { running.tick(); });
      write_numbers(running, *factored);
    });
  });
}

template <class Find>
cusolverStatus_t solve_any(Refactorization* handle, int sides, int ldt, int ldx, const int* p, const int* q,
                           Find find) {
  return with_factors(handle, [&](const std::shared_ptr<Factored>& factored) {
    const int n = factored->bundle.shape().n;
    if (sides != 1 || ldt < n || ldx < n || !p || !q || !fit(handle->factorization, handle->solve))
      return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = [=](Running& running) {
      const int *const rows = running.read(p, n), *const columns = running.read(q, n);
      for (std::size_t k = 0; k < factored->values.size(); ++k)
        if (!factored->bundle.solve(factored->values[k], rows, columns, running.write(find(k, running), n)))
          throw libraries::Failed{cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
    };
    return Call::status_of(libraries::enqueue(factored->driver, nullptr, "cusolver_rf_solve",
                                              Cost{2.0 * factored->bundle.count(), 12.0 * factored->bundle.count()},
                                              work));
  });
}

}  // namespace

cusolverStatus_t create_refactorization(Refactorization** out) {
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const auto status = create_object(out);
  if (status == CUSOLVER_STATUS_SUCCESS) (*out)->driver = driver;
  return status;
}
cusolverStatus_t destroy_refactorization(Refactorization* handle) {
  return with_handle(handle, [&] { return destroy_object(handle); });
}

cusolverStatus_t setup_on_host(int n, int count, const int* offsets, const int* columns, const double* values,
                               int lower_count, const int* lower_offsets, const int* lower_columns,
                               const double* lower_values, int upper_count, const int* upper_offsets,
                               const int* upper_columns, const double* upper_values, const int* p, const int* q,
                               Refactorization* handle) {
  return checked_setup(handle, n,
                       {{count, offsets, columns, values},
                        {lower_count, lower_offsets, lower_columns, lower_values},
                        {upper_count, upper_offsets, upper_columns, upper_values},
                        p,
                        q},
                       1);
}

cusolverStatus_t setup_on_device(int n, int count, const int* offsets, const int* columns, const double* values,
                                 int lower_count, const int* lower_offsets, const int* lower_columns,
                                 const double* lower_values, int upper_count, const int* upper_offsets,
                                 const int* upper_columns, const double* upper_values, const int* p, const int* q,
                                 Refactorization* handle) {
  const Matrices there{{count, offsets, columns, values},
                       {lower_count, lower_offsets, lower_columns, lower_values},
                       {upper_count, upper_offsets, upper_columns, upper_values},
                       p,
                       q};
  return with_handle(handle, [&] {
    if (!are_there(n, there.a) || !are_there(n, there.lower) || !are_there(n, there.upper) || !p || !q)
      return CUSOLVER_STATUS_INVALID_VALUE;
    auto status = std::make_shared<cusolverStatus_t>(CUSOLVER_STATUS_EXECUTION_FAILED);
    const auto ran = run(*handle->driver, "cusolver_rf_setup", count, [=](Running& running) {
      const Matrices here{read(running, n, there.a), read(running, n, there.lower), read(running, n, there.upper),
                          running.read(p, n), running.read(q, n)};
      *status = setup(*handle, n, here, 1);
    });
    return ran == CUSOLVER_STATUS_SUCCESS ? *status : ran;
  });
}

cusolverStatus_t setup_batch(int batch, int n, int count, const int* offsets, const int* columns, double* const* values,
                             int lower_count, const int* lower_offsets, const int* lower_columns,
                             const double* lower_values, int upper_count, const int* upper_offsets,
                             const int* upper_columns, const double* upper_values, const int* p, const int* q,
                             Refactorization* handle) {
  return checked_setup(handle, n,
                       {{count, offsets, columns, values && batch > 0 ? values[0] : nullptr},
                        {lower_count, lower_offsets, lower_columns, lower_values},
                        {upper_count, upper_offsets, upper_columns, upper_values},
                        p,
                        q},
                       batch);
}

cusolverStatus_t reset(int n, int count, const int* offsets, const int* columns, const double* values, const int* p,
                       const int* q, Refactorization* handle) {
  return reset_any(handle, n, 1, {count, offsets, columns, nullptr}, p, q,
                   [=](int, Running&) -> const double* { return values; });
}
cusolverStatus_t reset_batch(int batch, int n, int count, const int* offsets, const int* columns, double* const* values,
                             const int* p, const int* q, Refactorization* handle) {
  return reset_any(handle, n, batch, {count, offsets, columns, nullptr}, p, q,
                   [=](int k, Running& running) -> const double* { return *running.read(values + k, 1); });
}

cusolverStatus_t analyze(Refactorization* handle) {
  return with_factors(handle, [](const auto& factored) {
    factored->is_analyzed = true;
    return CUSOLVER_STATUS_SUCCESS;
  });
}
cusolverStatus_t refactor(Refactorization* handle) {
  const auto status = refactor_all(handle);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  return handle->factored->zero_pivots[0] < 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
}
cusolverStatus_t refactor_batch(Refactorization* handle) { return refactor_all(handle); }

cusolverStatus_t solve(Refactorization* handle, const int* p, const int* q, int sides, double*, int ldt, double* x,
                       int ldx) {
  if (is_object(handle) && !x) return CUSOLVER_STATUS_INVALID_VALUE;
  return solve_any(handle, sides, ldt, ldx, p, q, [=](std::size_t, Running&) { return x; });
}
cusolverStatus_t solve_batch(Refactorization* handle, const int* p, const int* q, int sides, double*, int ldt,
                             double* const* x, int ldx) {
  if (is_object(handle) && !x) return CUSOLVER_STATUS_INVALID_VALUE;
  return solve_any(handle, sides, ldt, ldx, p, q,
                   [=](std::size_t k, Running& running) { return *running.read(x + k, 1); });
}

cusolverStatus_t batch_pivots(Refactorization* handle, int* positions) {
  return with_factors(handle, [&](const auto& factored) {
    if (!positions) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto& pivots = factored->zero_pivots;
    std::copy(pivots.begin(), pivots.end(), positions);
    const bool has_none = std::all_of(pivots.begin(), pivots.end(), [](int pivot) { return pivot < 0; });
    return has_none ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
  });
}

}  // namespace nvmlkit::cusolver::functions
