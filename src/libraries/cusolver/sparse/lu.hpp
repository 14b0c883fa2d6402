// P A = L U of a sparse matrix, column after column, with pivots from below the diagonal.
#pragma once

#include <queue>
#include <utility>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// The arrays of CSR, with a base.
template <class T>
struct Triangle {
  std::vector<int> offsets{0}, columns;
  std::vector<T> values;
};

template <class T>
class Lu {
 public:
  // The entry on the diagonal is the pivot if it is at least `threshold` of the largest one.
  template <class Real>
  Lu(const std::vector<Row<T>>& rows, Real threshold)
      : n_(static_cast<int>(rows.size())), lower_(rows.size()), upper_(rows.size()), places_(rows.size(), -1) {
    std::vector<Row<T>> columns(rows.size());
    for (int i = 0; i < n_; ++i)
      for (const auto& [j, value] : rows[at(i)]) columns[at(j)].push_back({i, value});
    std::vector<T> x(rows.size());
    std::vector<char> is_there(rows.size(), 0);
    for (int j = 0; j < n_; ++j) add(j, columns[at(j)], threshold, x, is_there);
    for (auto& column : lower_) {  // rows of A -> rows of L
      for (auto& entry : column) entry.column = places_[at(entry.column)];
      put_in_order(column);
    }
  }
  // rows()[k] is the row of A that became row k.
  const std::vector<int>& rows() const { return order_; }
  template <class Real>
  int first_below(Real tolerance) const {
    for (int j = 0; j < n_; ++j) {
      const T pivot = upper_[at(j)].back().value;
      if (!(std::abs(pivot) >= tolerance) || pivot == T{}) return j;
    }
    return -1;
  }
  int lower_count() const { return count_of(lower_); }
  int upper_count() const { return count_of(upper_); }
  Triangle<T> lower() const { return by_rows(lower_); }  // without its ones
  Triangle<T> upper() const { return by_rows(upper_); }

  void solve(const T* b, T* x) const {
    std::vector<T> y(at(n_));
    for (int k = 0; k < n_; ++k) y[at(k)] = b[order_[at(k)]];
    for (int j = 0; j < n_; ++j)
      for (const auto& [i, value] : lower_[at(j)]) y[at(i)] -= value * y[at(j)];
    for (int j = n_; j-- > 0;) {
      const auto& column = upper_[at(j)];
      y[at(j)] /= column.back().value;
      for (std::size_t k = 0; k + 1 < column.size(); ++k) y[at(column[k].column)] -= column[k].value * y[at(j)];
    }
    std::copy(y.begin(), y.end(), x);
  }

 private:
  using Columns = std::vector<Row<T>>;  // the member `column` of an entry is its row

  // `x` and `is_there` are empty before and behind it.
  template <class Real>
  void add(int j, const Row<T>& a, Real threshold, std::vector<T>& x, std::vector<char>& is_there) {
    std::priority_queue<int, std::vector<int>, std::greater<>> waiting;  // places of rows that are pivots already
    std::vector<int> others;
    const auto touch = [&](int row) {
      if (std::exchange(is_there[at(row)], 1) != 0) return;
      if (places_[at(row)] >= 0)
        waiting.push(places_[at(row)]);
      else
        others.push_back(row);
    };
    for (const auto& [row, value] : a) {
      x[at(row)] += value;
      touch(row);
    }
    while (!waiting.empty()) {
      const int k = waiting.top();
      waiting.pop();
      const int row = order_[at(k)];
      const T value = std::exchange(x[at(row)], T{});
      is_there[at(row)] = 0;
      upper_[at(j)].push_back({k, value});
      for (const auto& [below, factor] : lower_[at(k)]) {
        x[at(below)] -= factor * value;
        touch(below);
      }
    }
    finish(j, choose(j, others, x, threshold), others, x);
    for (const int row : others) is_there[at(row)] = 0;
  }
  template <class Real>
  int choose(int j, const std::vector<int>& rows, const std::vector<T>& x, Real threshold) const {
    int best = -1;
    for (const int row : rows)
      if (best < 0 || std::abs(x[at(row)]) > std::abs(x[at(best)])) best = row;
    const bool is_free = places_[at(j)] < 0;
    if (best < 0)
      return is_free ? j : static_cast<int>(std::find(places_.begin(), places_.end(), -1) - places_.begin());
    const bool has_diagonal = is_free && x[at(j)] != T{};
    return has_diagonal && std::abs(x[at(j)]) >= threshold * std::abs(x[at(best)]) ? j : best;
  }
  void finish(int j, int pivot, const std::vector<int>& rows, std::vector<T>& x) {
    const T value = x[at(pivot)];
    places_[at(pivot)] = j;
    order_.push_back(pivot);
    upper_[at(j)].push_back({j, value});
    for (const int row : rows) {
      if (row != pivot && value != T{}) lower_[at(j)].push_back({row, x[at(row)] / value});
      x[at(row)] = T{};
    }
  }
  static int count_of(const Columns& columns) {
    std::size_t sum = 0;
    for (const auto& column : columns) sum += column.size();
    return static_cast<int>(sum);
  }
  static Triangle<T> by_rows(const Columns& columns) {
    std::vector<Row<T>> rows(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (const auto& [i, value] : columns[j]) rows[at(i)].push_back({static_cast<int>(j), value});
    Triangle<T> out;
    for (const auto& row : rows) {
      for (const auto& [column, value] : row) {
        out.columns.push_back(column);
        out.values.push_back(value);
      }
      out.offsets.push_back(static_cast<int>(out.columns.size()));
    }
    return out;
  }

  int n_;
  Columns lower_, upper_;
  std::vector<int> places_, order_;
};

}  // namespace nvmlkit::cusolver::sparse
