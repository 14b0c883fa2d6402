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

// A row with its columns and values apart. Its first entries may be taken out.
template <class T>
struct Line {
  std::vector<int> columns;
  std::vector<T> values;
  std::size_t begin = 0;

  bool empty() const { return begin == columns.size(); }
  std::size_t size() const { return columns.size() - begin; }
  std::size_t column(std::size_t k) const { return at(columns[begin + k]); }
  const T& value(std::size_t k) const { return values[begin + k]; }
  void push_back(int column, T value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void trim() {
    columns.erase(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(begin));
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
  void cut(std::size_t size) {
    columns.resize(begin + size);
    values.resize(begin + size);
  }
};

// R. Its rows grow with the fill-in.
template <class T>
class Qr {
 public:
  // `q` sees what Q^H does. tick() is called between rows.
  template <class Q, class Tick>
  Qr(std::vector<Row<T>> a, int n, Q& q, Tick tick) : rows_(at(n)) {
    for (std::size_t i = 0; i < a.size(); ++i, tick()) take(i, std::exchange(a[i], {}), q);
  }
  // Without rows; take() adds them, one after the other.
  explicit Qr(int n) : rows_(at(n)) {}
  template <class Q>
  void take(std::size_t i, Row<T> row, Q& q) {
    q.begin(i);
    Line<T> line;
    for (const auto& entry : row) line.push_back(entry.column, entry.value);
    add(std::move(line), q);
  }
  // Numbers that were turned.
  double work() const { return work_; }
  // The first row whose diagonal is smaller, or -1.
  template <class Real>
  int first_below(Real tolerance) const {
    for (std::size_t j = 0; j < rows_.size(); ++j)
      if (is_zero(j) || !(std::abs(rows_[j].value(0)) >= tolerance)) return static_cast<int>(j);
    return -1;
  }
  // R x = b, in place. Where R has no diagonal, the number is 0.
  void solve(std::vector<T>& b) const {
    for (auto j = rows_.size(); j-- > 0;) b[j] = is_zero(j) ? T{} : rest(j, b) / rows_[j].value(0);
  }
  // R^H x = b, in place. R has a diagonal without zeros.
  void solve_adjoint(std::vector<T>& b) const {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      b[j] /= conjugate(rows_[j].value(0));
      for (std::size_t k = 1; k < rows_[j].size(); ++k) b[rows_[j].column(k)] -= conjugate(rows_[j].value(k)) * b[j];
    }
  }

 private:
  bool is_zero(std::size_t j) const { return rows_[j].empty() || rows_[j].value(0) == T{}; }
  T rest(std::size_t j, const std::vector<T>& x) const {
    T sum = x[j];
    for (std::size_t k = 1; k < rows_[j].size(); ++k) sum -= rows_[j].value(k) * x[rows_[j].column(k)];
    return sum;
  }
  template <class Q>
  void add(Line<T> line, Q& q) {
    while (!line.empty()) {
      const auto j = line.column(0);
      if (line.value(0) == T{}) {
        ++line.begin;
      } else if (rows_[j].empty()) {
        line.trim();
        rows_[j] = std::move(line);
        q.place(j);
        return;
      } else {
        const T a = rows_[j].value(0), b = line.value(0);
        const auto length = std::hypot(std::abs(a), std::abs(b));
        const T c = a / length, s = b / length;
        rotate(rows_[j], line, c, s);
        q.turn(j, c, s);
      }
    }
    q.drop();
  }
  // Takes the first entry out of `low`. With the fill-in, most rows begin with the same columns: these stay in place.
  void rotate(Line<T>& high, Line<T>& low, T c, T s) {
    const std::size_t most = std::min(high.size(), low.size());
    const int* const columns = high.columns.data() + high.begin;
    const auto same = static_cast<std::size_t>(
        std::mismatch(columns, columns + most, low.columns.data() + low.begin).first - columns);
    turn(high.values.data() + high.begin, low.values.data() + low.begin, same, c, s);
    work_ += static_cast<double>(std::max(high.size(), low.size()));
    if (same < high.size() || same < low.size()) merge(high, low, same, c, s);
    ++low.begin;
  }
  static void turn(T* high, T* low, std::size_t count, T c, T s) {
    const T c_up = conjugate(c), s_up = conjugate(s);
    for (std::size_t k = 0; k < count; ++k) {
      const T x = high[k], y = low[k];
      high[k] = c_up * x + s_up * y;
      low[k] = c * y - s * x;
    }
  }
  // What is behind the columns that both have.
  void merge(Line<T>& high, Line<T>& low, std::size_t from, T c, T s) {
    merged_.clear();
    std::size_t i = from, k = from;
    while (i < high.size() || k < low.size()) {
      const bool takes_high = k == low.size() || (i < high.size() && high.column(i) <= low.column(k));
      const bool takes_low = i == high.size() || (k < low.size() && low.column(k) <= high.column(i));
      const std::size_t column = takes_high ? high.column(i) : low.column(k);
      const T x = takes_high ? high.value(i++) : T{}, y = takes_low ? low.value(k++) : T{};
      merged_.push_back({static_cast<int>(column), conjugate(c) * x + conjugate(s) * y, c * y - s * x});
    }
    high.cut(from);
    low.cut(from);
    for (const auto& [column, up, down] : merged_) {
      high.push_back(column, up);
      low.push_back(column, down);
    }
  }

  struct Merged {
    int column;
    T up, down;
  };
  std::vector<Line<T>> rows_;
  std::vector<Merged> merged_;
  double work_ = 0;
};

}  // namespace nvmlkit::cusolver::sparse
