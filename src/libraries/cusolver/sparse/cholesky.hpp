// A = L L^H of a sparse matrix.
#pragma once

#include <cmath>
#include <queue>
#include <utility>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// A = L L^H of a Hermitian matrix that is positive definite; its lower triangle is read.
template <class T>
class Cholesky {
 public:
  template <class Tick>
  Cholesky(const std::vector<Row<T>>& a, Tick tick) : columns_(a.size()), diagonal_(a.size()) {
    std::vector<T> row(a.size());
    std::vector<char> is_there(a.size(), 0);
    for (std::size_t i = 0; i < a.size() && failed_ < 0; ++i, tick()) add(i, a[i], row, is_there);
  }
  // The first row without a root, or -1.
  int failed() const { return failed_; }
  const std::vector<T>& diagonal() const { return diagonal_; }
  template <class Real>
  int first_below(Real tolerance) const {
    if (failed_ >= 0) return failed_;
    const auto found =
        std::find_if(diagonal_.begin(), diagonal_.end(), [&](T d) { return !(std::abs(d) >= tolerance); });
    return found == diagonal_.end() ? -1 : static_cast<int>(found - diagonal_.begin());
  }
  void solve(std::vector<T>& b) const {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      b[j] /= diagonal_[j];
      for (const auto& [i, value] : columns_[j]) b[at(i)] -= value * b[j];
    }
    for (auto j = columns_.size(); j-- > 0;) {
      for (const auto& [i, value] : columns_[j]) b[j] -= conjugate(value) * b[at(i)];
      b[j] /= diagonal_[j];
    }
  }

 private:
  // Row i of L, column after column; `row` and `is_there` are empty before and behind it.
  void add(std::size_t i, const Row<T>& a, std::vector<T>& row, std::vector<char>& is_there) {
    std::priority_queue<int, std::vector<int>, std::greater<>> waiting;
    const auto touch = [&](int column) {
      if (std::exchange(is_there[at(column)], 1) == 0) waiting.push(column);
    };
    T rest{};
    for (const auto& [column, value] : a) {
      if (at(column) == i) rest = value;
      if (at(column) >= i) break;
      row[at(column)] = value;
      touch(column);
    }
    while (!waiting.empty()) {
      const auto j = at(waiting.top());
      waiting.pop();
      is_there[j] = 0;
      const T value = std::exchange(row[j], T{}) / diagonal_[j];
      for (const auto& [k, other] : columns_[j]) {
        row[at(k)] -= value * conjugate(other);
        touch(k);
      }
      rest -= value * conjugate(value);
      columns_[j].push_back({static_cast<int>(i), value});
    }
    if (std::real(rest) > 0)
      diagonal_[i] = std::sqrt(std::real(rest));
    else
      failed_ = static_cast<int>(i);
  }

  std::vector<Row<T>> columns_;  // below the diagonal
  std::vector<T> diagonal_;
  int failed_ = -1;
};

}  // namespace nvmlkit::cusolver::sparse
