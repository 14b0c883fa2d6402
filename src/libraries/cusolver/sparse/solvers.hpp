// Direct solvers of sparse systems of equations.
#pragma once

#include <cmath>
#include <queue>
#include <utility>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// A = Q R by rotations, row after row: those of R grow with the fill-in. Q is not kept: what it does is done to the
// right side.
template <class T>
class Qr {
 public:
  // `b` becomes Q^H b. tick() is called between rows.
  template <class Tick>
  Qr(std::vector<Row<T>> a, std::vector<T>& b, Tick tick) : rows_(a.size()) {
    std::vector<T> turned(a.size());
    for (std::size_t i = 0; i < a.size(); ++i, tick()) add(std::move(a[i]), b[i], turned);
    b = std::move(turned);
  }
  // The first row of R whose diagonal is smaller, or -1.
  template <class Real>
  int first_below(Real tolerance) const {
    for (std::size_t j = 0; j < rows_.size(); ++j)
      if (rows_[j].empty() || !(std::abs(rows_[j].front().value) >= tolerance) || rows_[j].front().value == T{})
        return static_cast<int>(j);
    return -1;
  }
  // R x = b, in place. Where R has no diagonal, the number is 0.
  void solve(std::vector<T>& b) const {
    for (auto j = rows_.size(); j-- > 0;) {
      const auto& row = rows_[j];
      if (row.empty() || row.front().value == T{}) {
        b[j] = T{};
        continue;
      }
      T sum = b[j];
      for (std::size_t k = 1; k < row.size(); ++k) sum -= row[k].value * b[at(row[k].column)];
      b[j] = sum / row.front().value;
    }
  }

 private:
  void add(Row<T> row, T right, std::vector<T>& turned) {
    while (!row.empty()) {
      const auto j = at(row.front().column);
      if (row.front().value == T{}) {
        row.erase(row.begin());
      } else if (rows_[j].empty()) {
        rows_[j] = std::move(row);
        turned[j] = right;
        return;
      } else {
        rotate(rows_[j], row, turned[j], right);
      }
    }
  }
  // Takes the first entry out of `low`.
  static void rotate(Row<T>& high, Row<T>& low, T& high_right, T& low_right) {
    const T a = high.front().value, b = low.front().value;
    const auto length = std::hypot(std::abs(a), std::abs(b));
    const T c = a / length, s = b / length;
    Row<T> up, down;
    const auto turn = [&](int column, T x, T y) {
      up.push_back({column, conjugate(c) * x + conjugate(s) * y});
      if (!down.empty() || column != high.front().column) down.push_back({column, c * y - s * x});
    };
    std::size_t i = 0, k = 0;
    while (i < high.size() || k < low.size()) {
      const bool takes_high = k == low.size() || (i < high.size() && high[i].column <= low[k].column);
      const bool takes_low = i == high.size() || (k < low.size() && low[k].column <= high[i].column);
      const int column = takes_high ? high[i].column : low[k].column;
      const T x = takes_high ? high[i++].value : T{}, y = takes_low ? low[k++].value : T{};
      turn(column, x, y);
    }
    high = std::move(up);
    low = std::move(down);
    const T x = high_right, y = low_right;
    high_right = conjugate(c) * x + conjugate(s) * y;
    low_right = c * y - s * x;
  }

  std::vector<Row<T>> rows_;
};

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
