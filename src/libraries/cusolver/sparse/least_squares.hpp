// The shortest x with the least |A x - b|, for a matrix of any shape and rank: A P^T = Q R with pivots.
#pragma once

#include "libraries/cusolver/sparse/qr.hpp"

namespace nvmlkit::cusolver::sparse {

// Columns are made orthogonal one after the other, the longest one first. Those that are left when none is longer than
// the tolerance depend on the others.
template <class T>
class LeastSquares {
 public:
  template <class Real>
  LeastSquares(const std::vector<Row<T>>& rows, int n, std::vector<T> b, Real tolerance)
      : columns_(at(n)), rest_(std::move(b)) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& [j, value] : rows[i]) columns_[at(j)].push_back({static_cast<int>(i), value});
    for (const auto& column : columns_) lengths_.push_back(length_of(column));
    std::vector<char> is_pivot(at(n), 0);
    for (int k = 0; k < n; ++k) {
      const int best = longest(is_pivot);
      if (!(lengths_[at(best)] > tolerance)) break;
      is_pivot[at(best)] = 1;
      order_.push_back(best);
      take(best, is_pivot);
    }
    for (int j = 0; j < n; ++j)
      if (!is_pivot[at(j)]) order_.push_back(j);
  }
  int rank() const { return static_cast<int>(rows_.size()); }
  const std::vector<int>& order() const { return order_; }
  double residual() const {
    double sum = 0;
    for (const T& x : rest_) sum += static_cast<double>(std::norm(x));
    return std::sqrt(sum);
  }
  // R z = Q^H b has many solutions where there are fewer rows than columns: R^H = Q' R' gives the shortest one.
  std::vector<T> solution() const {
    std::vector<Row<T>> adjoint(order_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (const auto& [j, value] : rows_[k]) adjoint[at(j)].push_back({static_cast<int>(k), conjugate(value)});
    Rotations<T> q;
    const Qr<T> r(adjoint, rank(), q, [] {});
    auto y = right_;
    r.solve_adjoint(y);
    return q.turned_back(std::move(y));
  }

 private:
  static double length_of(const Row<T>& column) {
    double sum = 0;
    for (const auto& entry : column) sum += static_cast<double>(std::norm(entry.value));
    return std::sqrt(sum);
  }
  int longest(const std::vector<char>& is_pivot) const {
    int best = -1;
    for (int j = 0; j < static_cast<int>(lengths_.size()); ++j)
      if (!is_pivot[at(j)] && (best < 0 || lengths_[at(j)] > lengths_[at(best)])) best = j;
    return best;
  }
  static T dot(const Row<T>& a, const Row<T>& b) {
    T sum{};
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
      if (a[i].column == b[k].column) sum += conjugate(a[i].value) * b[k].value;
      const int row = std::min(a[i].column, b[k].column);
      if (a[i].column == row) ++i;
      if (k < b.size() && b[k].column == row) ++k;
    }
    return sum;
  }
  // One row of R. Its columns have A's numbers.
  void take(int pivot, const std::vector<char>& is_pivot) {
    Row<T> q = std::move(columns_[at(pivot)]);
    const auto length = static_cast<decltype(std::abs(T{}))>(lengths_[at(pivot)]);
    for (auto& entry : q) entry.value /= length;
    Row<T> row{{pivot, T{length}}};
    for (int j = 0; j < static_cast<int>(columns_.size()); ++j) {
      if (is_pivot[at(j)]) continue;
      const T product = dot(q, columns_[at(j)]);
      if (product == T{}) continue;
      row.push_back({j, product});
      auto& column = columns_[at(j)];
      for (const auto& [i, value] : q) column.push_back({i, -product * value});
      put_in_order(column);
      lengths_[at(j)] = length_of(column);
    }
    rows_.push_back(std::move(row));
    T product{};
    for (const auto& [i, value] : q) product += conjugate(value) * rest_[at(i)];
    for (const auto& [i, value] : q) rest_[at(i)] -= product * value;
    right_.push_back(product);
  }

  std::vector<Row<T>> columns_;  // the member `column` of an entry is its row
  std::vector<Row<T>> rows_;     // of R
  std::vector<double> lengths_;
  std::vector<int> order_;
  std::vector<T> rest_, right_;
};

}  // namespace nvmlkit::cusolver::sparse
