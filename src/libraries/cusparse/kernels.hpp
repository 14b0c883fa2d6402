// The arithmetic: products, triangular solves, sums. All matrices are in memory of the host.
#pragma once

#include <algorithm>

#include "libraries/cusparse/dense.hpp"

namespace nvmlkit::cusparse {

// c = alpha a b + beta c
template <class T>
void multiply(Running& running, const Sparse<T>& a, const Dense<T>& b, T alpha, T beta, Dense<T>& c) {
  std::vector<T> sum(at(c.columns));
  for (Size i = 0; i < c.rows; ++i) {
    std::fill(sum.begin(), sum.end(), T{});
    for (Size k = a.entries.begin(i); k < a.entries.end(i); ++k) {
      const T x = a.value(k);
      const T* const from = b.row(a.entries.column(k));
      for (Size j = 0; j < c.columns; ++j) sum[at(j)] += x * from[j];
    }
    T* const to = c.row(i);
    for (Size j = 0; j < c.columns; ++j) to[j] = alpha * sum[at(j)] + (beta == T{} ? T{} : beta * to[j]);
    if (i % 1024 == 1023) running.tick();
  }
}

// What a triangular solve takes of a matrix.
struct Triangle {
  bool is_lower = true, is_unit = false;
};
inline Triangle triangle_of(const SparseMatrix& m, cusparseOperation_t operation) {
  return {(m.fill == CUSPARSE_FILL_MODE_LOWER) != is_turned(operation), m.diagonal == CUSPARSE_DIAG_TYPE_UNIT};
}

// x = inverse(a) x. The first row without a diagonal, or with a 0 there; -1 without one.
template <class T>
Size solve(Running& running, const Sparse<T>& a, Triangle triangle, Dense<T>& x) {
  Size zero = -1;
  for (Size step = 0; step < x.rows; ++step) {
    const Size i = triangle.is_lower ? step : x.rows - 1 - step;
    T diagonal{};
    T* const to = x.row(i);
    for (Size k = a.entries.begin(i); k < a.entries.end(i); ++k) {
      const Size j = a.entries.column(k);
      if (j == i) diagonal += a.value(k);
      if (triangle.is_lower ? j >= i : j <= i) continue;
      const T factor = a.value(k);
      const T* const from = x.row(j);
      for (Size n = 0; n < x.columns; ++n) to[n] -= factor * from[n];
    }
    if (!triangle.is_unit) {
      for (Size n = 0; n < x.columns; ++n) to[n] /= diagonal;
      if (diagonal == T{} && (zero < 0 || i < zero)) zero = i;
    }
    if (step % 1024 == 1023) running.tick();
  }
  return zero;
}

// Rows that are made one after the other, their columns in order.
template <class T>
struct Rows {
  std::vector<Size> begins{0}, columns;
  std::vector<T> values;
};

// A row under construction: sums by column.
template <class T>
class RowSums {
 public:
  explicit RowSums(Size columns) : sums_(at(columns)), is_there_(at(columns)) {}

  void add(Size column, T value) {
    if (!is_there_[at(column)]) {
      is_there_[at(column)] = true;
      sums_[at(column)] = T{};
      columns_.push_back(column);
    }
    sums_[at(column)] += value;
  }
  void move_to(Rows<T>& out) {
    std::sort(columns_.begin(), columns_.end());
    for (const Size column : columns_) {
      out.columns.push_back(column);
      out.values.push_back(sums_[at(column)]);
      is_there_[at(column)] = false;
    }
    out.begins.push_back(static_cast<Size>(out.columns.size()));
    columns_.clear();
  }

 private:
  std::vector<T> sums_;
  std::vector<bool> is_there_;
  std::vector<Size> columns_;
};

// alpha a b
template <class T>
Rows<T> product(Running& running, const Sparse<T>& a, const Sparse<T>& b, T alpha, Size* products) {
  Rows<T> out;
  RowSums<T> row(b.entries.columns);
  for (Size i = 0; i < a.entries.rows; ++i) {
    for (Size k = a.entries.begin(i); k < a.entries.end(i); ++k) {
      const Size middle = a.entries.column(k);
      const T factor = alpha * a.value(k);
      for (Size n = b.entries.begin(middle); n < b.entries.end(middle); ++n)
        row.add(b.entries.column(n), factor * b.value(n));
      *products += b.entries.end(middle) - b.entries.begin(middle);
    }
    row.move_to(out);
    if (i % 256 == 255) running.tick();
  }
  return out;
}

// alpha a + beta b, with the entries of both
template <class T>
Rows<T> sum(const Sparse<T>& a, const Sparse<T>& b, T alpha, T beta) {
  Rows<T> out;
  RowSums<T> row(a.entries.columns);
  for (Size i = 0; i < a.entries.rows; ++i) {
    for (Size k = a.entries.begin(i); k < a.entries.end(i); ++k) row.add(a.entries.column(k), alpha * a.value(k));
    for (Size k = b.entries.begin(i); k < b.entries.end(i); ++k) row.add(b.entries.column(k), beta * b.value(k));
    row.move_to(out);
  }
  return out;
}

}  // namespace nvmlkit::cusparse
