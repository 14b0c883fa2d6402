// Factors of cuSolverRf that a program reads.
#include <cstdlib>

#include "libraries/cusolver/functions/refactorization.hpp"
#include "libraries/cusolver/functions/with_factors.hpp"

namespace nvmlkit::cusolver::functions {
namespace {

template <class T>
bool put(const std::vector<T>& from, T** out) {
  *out = static_cast<T*>(std::malloc(std::max<std::size_t>(1, from.size() * sizeof(T))));
  if (*out) std::copy(from.begin(), from.end(), *out);
  return *out != nullptr;
}
cusolverStatus_t put(const sparse::Stored& from, int* count, int** offsets, int** columns, double** values) {
  if (!count || !offsets || !columns || !values) return CUSOLVER_STATUS_INVALID_VALUE;
  *count = static_cast<int>(from.indices.size());
  const bool fits = put(from.offsets, offsets) && put(from.indices, columns) && put(from.values, values);
  return fits ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

// All work that writes the factors is through.
cusolverStatus_t settle(const Factored& factored) { return Call::status_of(factored.driver.wait_for_stream(nullptr)); }

}  // namespace

void write_numbers(Running& running, const Factored& factored) {
  if (!factored.numbers) return;
  const auto& from = factored.values[0];
  auto* const address = reinterpret_cast<double*>(factored.numbers);
  const auto stored = factored.bundle.stored(from, sparse::Part::bundle);
  std::copy(stored.values.begin(), stored.values.end(),
            running.write(address, static_cast<std::int64_t>(stored.values.size())));
}

cusolverStatus_t access_bundle(Refactorization* handle, int* count, int** offsets, int** columns, double** values) {
  return with_factors(handle, [&](const std::shared_ptr<Factored>& factored) {
    if (!count || !offsets || !columns || !values) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto& driver = factored->driver;
    if (const auto status = settle(*factored); status != CUSOLVER_STATUS_SUCCESS) return status;
    const auto stored = factored->bundle.stored(factored->values[0], sparse::Part::bundle);
    const auto size = std::max<std::size_t>(1, stored.indices.size());
    const auto allocate = [&](libraries::CUdeviceptr& at, std::size_t bytes) {
      return at || driver.allocate(&at, bytes) == cuda::CUDA_SUCCESS;
    };
    if (!allocate(factored->offsets, stored.offsets.size() * sizeof(int)) ||
        !allocate(factored->columns, size * sizeof(int)) || !allocate(factored->numbers, size * sizeof(double)))
      return CUSOLVER_STATUS_ALLOC_FAILED;
    *count = static_cast<int>(stored.indices.size());
    *offsets = reinterpret_cast<int*>(factored->offsets);
    *columns = reinterpret_cast<int*>(factored->columns);
    *values = reinterpret_cast<double*>(factored->numbers);
    return run(driver, "cusolver_rf_access", *count, [=, o = *offsets, c = *columns](Running& running) {
      const auto length = [](const auto& v) { return static_cast<std::int64_t>(v.size()); };
      std::copy(stored.offsets.begin(), stored.offsets.end(), running.write(o, length(stored.offsets)));
      std::copy(stored.indices.begin(), stored.indices.end(), running.write(c, length(stored.indices)));
      write_numbers(running, *factored);
    });
  });
}

cusolverStatus_t extract_bundle(Refactorization* handle, int* count, int** offsets, int** columns, double** values) {
  return with_factors(handle, [&](const auto& factored) {
    if (const auto status = settle(*factored); status != CUSOLVER_STATUS_SUCCESS) return status;
    return put(factored->bundle.stored(factored->values[0], sparse::Part::bundle), count, offsets, columns, values);
  });
}

cusolverStatus_t extract_split(Refactorization* handle, int* lower_count, int** lower_offsets, int** lower_columns,
                               double** lower_values, int* upper_count, int** upper_offsets, int** upper_columns,
                               double** upper_values) {
  return with_factors(handle, [&](const auto& factored) {
    if (const auto status = settle(*factored); status != CUSOLVER_STATUS_SUCCESS) return status;
    const auto stored = [&](sparse::Part part) { return factored->bundle.stored(factored->values[0], part); };
    const auto status = put(stored(sparse::Part::lower), lower_count, lower_offsets, lower_columns, lower_values);
    if (status != CUSOLVER_STATUS_SUCCESS) return status;
    return put(stored(sparse::Part::upper), upper_count, upper_offsets, upper_columns, upper_values);
  });
}

}  // namespace nvmlkit::cusolver::functions
