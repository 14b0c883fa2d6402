#include "libraries/cusolver/functions/sparse.hpp"

#include <algorithm>

namespace nvmlkit::cusolver::functions {
namespace {

using sparse::at;

// Orders are computed at once, on the host.
template <class Make>
cusolverStatus_t make_order(const SparseHandle* handle, const Pattern& pattern, int* order, Make make) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (pattern.n == 0) return CUSOLVER_STATUS_SUCCESS;
  if (!order ||
      !sparse::is_right(pattern.offsets, pattern.columns, pattern.n, pattern.n, pattern.count, pattern.base()))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto made = make(sparse::graph_of(pattern.offsets, pattern.columns, pattern.n, pattern.base()));
  std::copy(made.begin(), made.end(), order);
  return CUSOLVER_STATUS_SUCCESS;
}

// Each number below n once.
bool is_permutation(const int* order, int n) {
  std::vector<char> seen(at(n), 0);
  return std::all_of(order, order + n, [&](int k) { return k >= 0 && k < n && std::exchange(seen[at(k)], 1) == 0; });
}

}  // namespace

cusolverStatus_t Pattern::check() const {
  if (!is_object(options) || n < 0 || count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  if (options->type != 0) return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  if (n > 0 && (!offsets || (count > 0 && !columns))) return CUSOLVER_STATUS_INVALID_VALUE;
  return CUSOLVER_STATUS_SUCCESS;
}

sparse::Order order_by(int number, const Pattern& pattern, const int* offsets, const int* columns) {
  if (number == 0) return sparse::natural_order(pattern.n);
  auto graph = sparse::graph_of(offsets, columns, pattern.n, pattern.base());
  return number == 1 ? sparse::reverse_cuthill_mckee(graph) : sparse::minimum_degree(std::move(graph));
}

cusolverStatus_t csrissym_host(SparseHandle* handle, int n, int count, const MatrixOptions* options, const int* starts,
                               const int* ends, const int* columns, int* is_symmetric) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const Pattern pattern{n, count, options, starts, columns};
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (!is_symmetric || (n > 0 && !ends)) return CUSOLVER_STATUS_INVALID_VALUE;
  const int base = pattern.base();
  std::vector<std::vector<int>> rows(at(n));
  for (int i = 0; i < n; ++i) {
    if (starts[i] < base || ends[i] < starts[i] || ends[i] - base > count) return CUSOLVER_STATUS_INVALID_VALUE;
    rows[at(i)].assign(columns + (starts[i] - base), columns + (ends[i] - base));
    std::sort(rows[at(i)].begin(), rows[at(i)].end());
  }
  *is_symmetric = 1;
  for (int i = 0; i < n; ++i)
    for (const int column : rows[at(i)]) {
      const int j = column - base;
      if (j < 0 || j >= n) return CUSOLVER_STATUS_INVALID_VALUE;
      if (!std::binary_search(rows[at(j)].begin(), rows[at(j)].end(), i + base)) *is_symmetric = 0;
    }
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t csrsymrcm_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, int* order) {
  return make_order(handle, {n, count, options, offsets, columns}, order, sparse::reverse_cuthill_mckee);
}
cusolverStatus_t csrsymmdq_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, int* order) {
  return make_order(handle, {n, count, options, offsets, columns}, order, sparse::minimum_degree);
}
cusolverStatus_t csrmetisnd_host(SparseHandle* handle, int n, int count, const MatrixOptions* options,
                                 const int* offsets, const int* columns, const std::int64_t*, int* order) {
  return csrsymmdq_host(handle, n, count, options, offsets, columns, order);
}

cusolverStatus_t order_diagonal(const SparseHandle* handle, const Pattern& pattern, const std::vector<char>& is_number,
                                int* p, int* found) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  const int n = pattern.n, base = pattern.base();
  if (!found || (n > 0 && !p)) return CUSOLVER_STATUS_INVALID_VALUE;
  *found = 0;
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  if (!sparse::is_right(pattern.offsets, pattern.columns, n, n, pattern.count, base))
    return CUSOLVER_STATUS_INVALID_VALUE;
  sparse::Graph rows(at(n));
  for (int i = 0; i < n; ++i)
    for (int k = pattern.offsets[i] - base; k < pattern.offsets[i + 1] - base; ++k)
      if (is_number[at(k)]) rows[at(i)].push_back(pattern.columns[k] - base);
  const auto columns = sparse::matched_columns(rows);
  std::vector<char> is_taken(at(n), 0);
  for (const int j : columns)
    if (j >= 0) is_taken[at(j)] = 1;
  int free = 0;
  for (int i = 0; i < n; ++i) {
    if (columns[at(i)] >= 0) ++*found;
    while (columns[at(i)] < 0 && std::exchange(is_taken[at(free)], 1)) ++free;
    p[i] = columns[at(i)] >= 0 ? columns[at(i)] : free;
  }
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t csrperm_size_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                   const int* offsets, const int* columns, const int* p, const int* q,
                                   std::size_t* bytes) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const Pattern pattern{m, count, options, offsets, columns};
  if (const auto status = pattern.check(); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (n < 0 || !bytes || (m > 0 && !p) || (n > 0 && !q)) return CUSOLVER_STATUS_INVALID_VALUE;
  *bytes = sizeof(int) * (at(m) + at(n) + 2 * at(count) + 1);
  return CUSOLVER_STATUS_SUCCESS;
}

// B = A(p, q): row i of B is row p[i] of A, and map says which entry of A each one was.
cusolverStatus_t csrperm_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options, int* offsets,
                              int* columns, const int* p, const int* q, int* map, void*) {
  std::size_t bytes = 0;
  const auto status = csrperm_size_host(handle, m, n, count, options, offsets, columns, p, q, &bytes);
  if (status != CUSOLVER_STATUS_SUCCESS || m == 0) return status;
  const auto base = static_cast<int>(options->base);
  if (!map || !sparse::is_right(offsets, columns, m, n, count, base) || !is_permutation(p, m) || !is_permutation(q, n))
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto places = sparse::places_of(sparse::Order(q, q + n));
  std::vector<int> starts{base}, moved, origins;
  for (int i = 0; i < m; ++i) {
    std::vector<std::pair<int, int>> row;
    for (int k = offsets[p[i]] - base; k < offsets[p[i] + 1] - base; ++k)
      row.emplace_back(places[at(columns[k] - base)] + base, map[k]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, origin] : row) {
      moved.push_back(column);
      origins.push_back(origin);
    }
    starts.push_back(base + static_cast<int>(moved.size()));
  }
  std::copy(starts.begin(), starts.end(), offsets);
  std::copy(moved.begin(), moved.end(), columns);
  std::copy(origins.begin(), origins.end(), map);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusolver::functions
