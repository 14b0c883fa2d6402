// A = Q R of a sparse matrix with m rows and n columns, m >= n, by rotations, row after row.
#pragma once

#include <cmath>
#include <utility>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// What Q^H does to a right side: one number comes with each row of A.
template <class T>
class TurnedSide {
 public:
  TurnedSide(const T* b, int n) : b_(b), turned_(at(n)) {}

  void begin(std::size_t row) { right_ = b_[row]; }
  void turn(std::size_t j, T c, T s) {
    const T x = turned_[j], y = right_;
    turned_[j] = conjugate(c) * x + conjugate(s) * y;
    right_ = c * y - s * x;
  }
  void place(std::size_t j) { turned_[j] = right_; }
  void drop() {}
  std::vector<T>& numbers() { return turned_; }

 private:
  const T* b_;
  std::vector<T> turned_;
  T right_{};
};

// Q itself: the rotations of each row of A, and the row of R that the row became, or none.
template <class T>
class Rotations {
 public:
  void begin(std::size_t) {}
  void turn(std::size_t j, T c, T s) { turns_.push_back({j, c, s}); }
  void place(std::size_t j) { ends_.push_back({turns_.size(), static_cast<int>(j)}); }
  void drop() { ends_.push_back({turns_.size(), -1}); }

  // The first n numbers of Q^H b.
  std::vector<T> turned(const T* b, int n) const {
    TurnedSide<T> side(b, n);
    std::size_t k = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      side.begin(i);
      for (; k < ends_[i].turns; ++k) side.turn(turns_[k].row, turns_[k].c, turns_[k].s);
      if (ends_[i].row >= 0) side.place(at(ends_[i].row));
    }
    return std::move(side.numbers());
  }
  // Q times y, which has n numbers, and zeros below them.
  std::vector<T> turned_back(std::vector<T> y) const {
    std::vector<T> out(ends_.size());
    auto k = turns_.size();
    for (auto i = ends_.size(); i-- > 0;) {
      T right = ends_[i].row >= 0 ? std::exchange(y[at(ends_[i].row)], T{}) : T{};
      for (const auto first = i > 0 ? ends_[i - 1].turns : 0; k > first;) {
        const auto& [j, c, s] = turns_[--k];
        const T x = y[j];
        y[j] = c * x - conjugate(s) * right;
        right = s * x + conjugate(c) * right;
      }
      out[i] = right;
    }
    return out;
  }

 private:
  struct Turn {
    std::size_t row;
    T c, s;
  };
  struct End {
    std::size_t turns;  // up to here
    int row;
  };
  std::vector<Turn> turns_;
  std::vector<End> ends_;
};

// R. Its rows grow with the fill-in.
template <class T>
class Qr {
 public:
  // `q` sees what Q^H does. tick() is called between rows.
  template <class Q, class Tick>
  Qr(std::vector<Row<T>> a, int n, Q& q, Tick tick) : rows_(at(n)) {
    for (std::size_t i = 0; i < a.size(); ++i, tick()) {
      q.begin(i);
      add(std::move(a[i]), q);
    }
  }
  // The first row whose diagonal is smaller, or -1.
  template <class Real>
  int first_below(Real tolerance) const {
    for (std::size_t j = 0; j < rows_.size(); ++j)
      if (rows_[j].empty() || !(std::abs(rows_[j].front().value) >= tolerance) || rows_[j].front().value == T{})
        return static_cast<int>(j);
    return -1;
  }
  // R x = b, in place. Where R has no diagonal, the number is 0.
  void solve(std::vector<T>& b) const {
    for (auto j = rows_.size(); j-- > 0;) b[j] = is_zero(j) ? T{} : rest(j, b) / rows_[j].front().value;
  }
  // R^H x = b, in place. R has a diagonal without zeros.
  void solve_adjoint(std::vector<T>& b) const {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      b[j] /= conjugate(rows_[j].front().value);
      for (std::size_t k = 1; k < rows_[j].size(); ++k)
        b[at(rows_[j][k].column)] -= conjugate(rows_[j][k].value) * b[j];
    }
  }

 private:
  bool is_zero(std::size_t j) const { return rows_[j].empty() || rows_[j].front().value == T{}; }
  T rest(std::size_t j, const std::vector<T>& x) const {
    T sum = x[j];
    for (std::size_t k = 1; k < rows_[j].size(); ++k) sum -= rows_[j][k].value * x[at(rows_[j][k].column)];
    return sum;
  }
  template <class Q>
  void add(Row<T> row, Q& q) {
    while (!row.empty()) {
      const auto j = at(row.front().column);
      if (row.front().value == T{}) {
        row.erase(row.begin());
      } else if (rows_[j].empty()) {
        rows_[j] = std::move(row);
        q.place(j);
        return;
      } else {
        const T a = rows_[j].front().value, b = row.front().value;
        const auto length = std::hypot(std::abs(a), std::abs(b));
        const T c = a / length, s = b / length;
        rotate(rows_[j], row, c, s);
        q.turn(j, c, s);
      }
    }
    q.drop();
  }
  // Takes the first entry out of `low`.
  static void rotate(Row<T>& high, Row<T>& low, T c, T s) {
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
  }

  std::vector<Row<T>> rows_;
};

}  // namespace nvmlkit::cusolver::sparse
