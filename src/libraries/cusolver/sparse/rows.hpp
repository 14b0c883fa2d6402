// A sparse matrix by rows, as orderings and solvers take it: indices from 0, columns in ascending order, each once.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace nvmlkit::cusolver::sparse {

constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

template <class T>
struct Entry {
  int column = 0;
  T value{};
};
template <class T>
using Row = std::vector<Entry<T>>;

// Of a row with its columns in any order; the sum of those that come twice.
template <class T>
void put_in_order(Row<T>& row) {
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
  std::size_t kept = 0;
  for (const auto& entry : row) {
    if (kept > 0 && row[kept - 1].column == entry.column)
      row[kept - 1].value += entry.value;
    else
      row[kept++] = entry;
  }
  row.resize(kept);
}

// The arrays of CSR. False for offsets or columns that are none of a matrix of this size.
inline bool is_right(const int* offsets, const int* columns, int rows, int columns_of_matrix, int count, int base) {
  if (offsets[0] != base) return false;
  for (int i = 0; i < rows; ++i)
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] - base > count) return false;
  return std::all_of(columns, columns + (offsets[rows] - base),
                     [&](int column) { return column >= base && column - base < columns_of_matrix; });
}

// `places[old]` is where a row and its column go: P A P^T.
template <class T>
std::vector<Row<T>> rows_of(const int* offsets, const int* columns, const T* values, int rows, int base,
                            const std::vector<int>& places) {
  std::vector<Row<T>> out(at(rows));
  for (int i = 0; i < rows; ++i) {
    auto& row = out[at(places[at(i)])];
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k)
      row.push_back({places[at(columns[k] - base)], values[k]});
    put_in_order(row);
  }
  return out;
}

// The same of n columns, in its own order, less `shift` on the diagonal.
template <class T>
std::vector<Row<T>> shifted_rows_of(const int* offsets, const int* columns, const T* values, int rows, int n, int base,
                                    T shift) {
  std::vector<Row<T>> out(at(rows));
  for (int i = 0; i < rows; ++i) {
    auto& row = out[at(i)];
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k) row.push_back({columns[k] - base, values[k]});
    if (shift != T{} && i < n) row.push_back({i, -shift});
    put_in_order(row);
  }
  return out;
}

// The lower triangle of P A P^T for a Hermitian A, of which the lower triangle is read.
template <class T>
std::vector<Row<T>> lower_rows_of(const int* offsets, const int* columns, const T* values, int rows, int base,
                                  const std::vector<int>& places) {
  std::vector<Row<T>> out(at(rows));
  for (int i = 0; i < rows; ++i)
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k) {
      const int j = columns[k] - base;
      if (j > i) continue;
      const int row = places[at(i)], column = places[at(j)];
      if (row >= column)
        out[at(row)].push_back({column, values[k]});
      else
        out[at(column)].push_back({row, conjugate(values[k])});
    }
  for (auto& row : out) put_in_order(row);
  return out;
}

}  // namespace nvmlkit::cusolver::sparse
