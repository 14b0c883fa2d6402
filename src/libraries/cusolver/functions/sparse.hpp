// Systems of equations of sparse matrices in CSR, and orders of their rows. The functions with Host in their names read
// memory of the host at once, the others work in the stream of the handle, and return when they are through.
#pragma once

#include "libraries/cusolver/call.hpp"
#include "libraries/cusolver/sparse/cholesky.hpp"
#include "libraries/cusolver/sparse/orderings.hpp"
#include "libraries/cusolver/sparse/row_solver.hpp"

namespace nvmlkit::cusolver::functions {

// The arrays of a matrix of n rows and columns, as a program gives them.
struct Pattern {
  int n = 0, count = 0;
  const MatrixOptions* options = nullptr;
  const int *offsets = nullptr, *columns = nullptr;

  // What is wrong before anything is read.
  cusolverStatus_t check() const;
  int base() const { return static_cast<int>(options->base); }
};

// A symmetric order by the number that programs give: 0 is none.
sparse::Order order_by(int number, const Pattern& pattern, const int* offsets, const int* columns);

cusolverStatus_t csrissym_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const int* starts,
                               const int* ends, const int* columns, int* is_symmetric);
cusolverStatus_t csrsymrcm_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, int* order);
// Also for csrsymamd: both leave little fill-in.
cusolverStatus_t csrsymmdq_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, int* order);
cusolverStatus_t csrmetisnd_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                 const int* offsets, const int* columns, const std::int64_t* settings, int* order);
// Columns in an order that leaves no zero on the diagonal, as far as there is one: A(:, p). `found` counts its numbers.
cusolverStatus_t order_diagonal(const SparseHandle* handle, const Pattern& pattern, const std::vector<char>& is_number,
                                int* p, int* found);
cusolverStatus_t csrperm_size_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                   const int* offsets, const int* columns, const int* p, const int* q,
                                   std::size_t* bytes);
cusolverStatus_t csrperm_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options, int* offsets,
                              int* columns, const int* p, const int* q, int* map, void* buffer);

// Work in the stream that is through when the call returns.
template <class Work>
cusolverStatus_t run_in_stream(const SparseHandle& handle, const char* name, double bytes, Work work) {
  const auto result = libraries::enqueue(*handle.driver, handle.stream, name, Cost{bytes, bytes}, std::move(work));
  return Call::status_of(result == cuda::CUDA_SUCCESS ? handle.driver->wait_for_stream(handle.stream) : result);
}
// What a matrix takes in memory.
template <class T>
double bytes_of(const Pattern& pattern) {
  return static_cast<double>(pattern.count) * static_cast<double>(sizeof(T) + sizeof(int));
}

// One system: where its arrays lie, on the host or on the device.
template <class T>
struct System {
  Pattern pattern;
  const T *values, *right;
  double tolerance;
  int order;
  T* solution;
  int* singular;

  cusolverStatus_t check(const SparseHandle* handle) const {
    if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
    const bool is_there = pattern.n == 0 || (values && right && solution);
    return is_there && singular && order >= 0 && order <= 3 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
  }

  // Arrays of the host. False where the offsets or the columns are none.
  template <bool is_positive, class Tick>
  bool solve(const int* offsets, const int* columns, const T* numbers, const T* b, T* x, Tick tick) const {
    const int n = pattern.n, base = pattern.base();
    if (!sparse::is_right(offsets, columns, n, n, pattern.count, base)) return false;
    const auto limit = static_cast<Real<T>>(tolerance);
    if constexpr (is_positive) {
      const auto places = sparse::places_of(order_by(order, pattern, offsets, columns));
      auto sides = sparse::moved(b, places);
      const sparse::Cholesky<T> factor(sparse::lower_rows_of(offsets, columns, numbers, n, base, places), tick);
      *singular = factor.first_below(limit);
      if (factor.failed() >= 0) return true;
      factor.solve(sides);
      sparse::move_back(sides, places, x);
    } else {
      // Rotations of rows need a narrow band: an order of minimum degree costs a hundred times more.
      const auto places_by = [&](int number) { return sparse::places_of(order_by(number, pattern, offsets, columns)); };
      *singular = sparse::solve_by_rows<T>({offsets, columns, numbers, n, base}, b, limit, std::min(order, 1),
                                           places_by, x, tick);
    }
    return true;
  }
};

template <bool is_positive, class T>
cusolverStatus_t solve_on_host(SparseHandle* handle, const System<T>& system) {
  if (const auto status = system.check(handle); status != CUSOLVER_STATUS_SUCCESS) return status;
  const auto& p = system.pattern;
  *system.singular = -1;
  if (p.n == 0) return CUSOLVER_STATUS_SUCCESS;
  const bool is_done =
      system.template solve<is_positive>(p.offsets, p.columns, system.values, system.right, system.solution, [] {});
  return is_done ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

template <bool is_positive, class T>
cusolverStatus_t solve_on_device(SparseHandle* handle, const char* name, const System<T>& system) {
  if (const auto status = system.check(handle); status != CUSOLVER_STATUS_SUCCESS) return status;
  const auto& p = system.pattern;
  *system.singular = -1;
  if (p.n == 0) return CUSOLVER_STATUS_SUCCESS;
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  const auto status = run_in_stream(*handle, name, bytes_of<T>(p), [=](Running& running) {
    const auto& s = system;
    const int n = s.pattern.n, count = s.pattern.count;
    *is_done = s.template solve<is_positive>(
        running.read(s.pattern.offsets, n + 1), running.read(s.pattern.columns, count), running.read(s.values, count),
        running.read(s.right, n), running.write(s.solution, n), [&] { running.tick(); });
  });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  return *is_done ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

template <class T>
cusolverStatus_t csrzfd_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                             const int* offsets, const int* columns, int* p, int* found) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (count > 0 && !values) return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<char> is_number;
  for (int k = 0; k < count; ++k) is_number.push_back(values[k] != T{});
  return order_diagonal(handle, {n, count, options, offsets, columns}, is_number, p, found);
}

// A x = b by A = Q R. `singular` is the first row of R whose diagonal is below the tolerance, or -1.
template <class T>
cusolverStatus_t csrlsvqr(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                          const int* offsets, const int* columns, const T* b, Real<T> tolerance, int order, T* x,
                          int* singular) {
  return solve_on_device<false>(
      handle, "cusolverSpXcsrlsvqr",
      System<T>{{n, count, options, offsets, columns}, values, b, tolerance, order, x, singular});
}
template <class T>
cusolverStatus_t csrlsvqr_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                               const int* offsets, const int* columns, const T* b, Real<T> tolerance, int order, T* x,
                               int* singular) {
  return solve_on_host<false>(
      handle, System<T>{{n, count, options, offsets, columns}, values, b, tolerance, order, x, singular});
}
// A x = b by A = L L^H.
template <class T>
cusolverStatus_t csrlsvchol(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                            const int* offsets, const int* columns, const T* b, Real<T> tolerance, int order, T* x,
                            int* singular) {
  return solve_on_device<true>(
      handle, "cusolverSpXcsrlsvchol",
      System<T>{{n, count, options, offsets, columns}, values, b, tolerance, order, x, singular});
}
template <class T>
cusolverStatus_t csrlsvchol_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const T* values,
                                 const int* offsets, const int* columns, const T* b, Real<T> tolerance, int order, T* x,
                                 int* singular) {
  return solve_on_host<true>(
      handle, System<T>{{n, count, options, offsets, columns}, values, b, tolerance, order, x, singular});
}

}  // namespace nvmlkit::cusolver::functions
