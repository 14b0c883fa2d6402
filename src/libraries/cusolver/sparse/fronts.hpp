// A = Q R of a sparse matrix by dense fronts, for factors that are full within a band: panel after panel of columns,
// the rows that begin there are made triangular by LAPACK, and what is left of them goes on to the next panel.
#pragma once

#include "libraries/blas/lapack.hpp"
#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// R, and Q^H b.
template <class T>
class FrontQr {
 public:
  // Products of numbers that it takes.
  static double cost(const std::vector<Row<T>>& a, int n) {
    double out = 0;
    std::size_t rows = 0;
    each_panel(a, n, [&](const Panel& p, const std::vector<std::size_t>& begins) {
      rows += begins.size();
      out += 2.0 * static_cast<double>(rows) * static_cast<double>(p.width) * static_cast<double>(p.end - p.first);
      rows -= std::min(rows, p.width);
    });
    return out;
  }

  // tick() is called between panels.
  template <class Tick>
  FrontQr(const std::vector<Row<T>>& a, int n, const std::vector<T>& b, Tick tick) : right_(at(n)) {
    Front front;
    each_panel(a, n, [&](const Panel& p, const std::vector<std::size_t>& begins) {
      front = front.with(p, a, begins, b);
      reduce(front, p.width);
      take(front, p);
      tick();
    });
  }
  // The first row whose diagonal is smaller, or -1.
  template <class Real>
  int first_below(Real tolerance) const {
    for (const auto& p : panels_)
      for (std::size_t k = 0; k < p.width; ++k)
        if (!(std::abs(p.diagonal(k)) >= tolerance)) return static_cast<int>(p.first + k);
    return -1;
  }
  // R x = Q^H b. Where R has no diagonal, the number is 0.
  std::vector<T> solution() const {
    auto x = right_;
    for (auto p = panels_.rbegin(); p != panels_.rend(); ++p)
      for (auto k = p->width; k-- > 0;) {
        T sum = x[p->first + k];
        for (auto column = k + 1; column < p->columns; ++column) sum -= p->value(k, column) * x[p->first + column];
        x[p->first + k] = p->diagonal(k) == T{} ? T{} : sum / p->diagonal(k);
      }
    return x;
  }

 private:
  static constexpr std::size_t kWidth = 48;

  // Columns [first, first + width); its rows reach to `end`.
  struct Panel {
    std::size_t first, width, end;
  };
  // visit(panel, the rows of A that begin in it)
  template <class Visit>
  static void each_panel(const std::vector<Row<T>>& a, int n, Visit visit) {
    std::vector<std::vector<std::size_t>> begins(at(n) / kWidth + 1);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!a[i].empty()) begins[at(a[i].front().column) / kWidth].push_back(i);
    std::size_t end = 0;
    for (std::size_t first = 0; first < at(n); first += kWidth) {
      const auto width = std::min(kWidth, at(n) - first);
      const auto& rows = begins[first / kWidth];
      end = std::max(end, first + width);
      for (const auto i : rows) end = std::max(end, at(a[i].back().column) + 1);
      visit(Panel{first, width, end}, rows);
    }
  }

  // Rows of equations, column by column; the right side is the last column.
  struct Front {
    std::size_t rows = 0, done = 0, first = 0, end = 0;  // `done` rows are those of R
    std::vector<T> values;

    std::size_t columns() const { return end - first + 1; }
    T* column(std::size_t k) { return values.data() + k * rows; }
    // What is left, and new rows.
    Front with(const Panel& p, const std::vector<Row<T>>& a, const std::vector<std::size_t>& begins,
               const std::vector<T>& b) {
      const auto left = rows - done;
      Front out{left + begins.size(), 0, p.first, p.end, {}};
      out.values.resize(out.rows * out.columns());
      for (auto j = p.first; left > 0 && j <= end; ++j) {
        const T* const from = column(j - first) + done;
        std::copy(from, from + left, out.column(j < end ? j - p.first : out.columns() - 1));
      }
      for (std::size_t k = 0; k < begins.size(); ++k) {
        for (const auto& [j, value] : a[begins[k]]) out.column(at(j) - p.first)[left + k] = value;
        out.column(out.columns() - 1)[left + k] = b[begins[k]];
      }
      return out;
    }
  };

  static void reduce(Front& front, std::size_t width) {
    front.done = std::min(front.rows, width);
    if (front.done == 0) return;
    const int rows = static_cast<int>(front.rows), reflectors = static_cast<int>(front.done);
    const int panel = static_cast<int>(width), rest = static_cast<int>(front.columns() - width);
    std::vector<T> tau(front.done);
    blas::geqrf<T>(rows, panel, front.column(0), rows, tau.data());
    blas::ormqr<T>('L', std::is_floating_point_v<T> ? 'T' : 'C', rows, rest, reflectors, front.column(0), rows,
                   tau.data(), front.column(width), rows);
  }

  // Rows of R, column by column.
  struct Rows {
    std::size_t first, width, done, columns;
    std::vector<T> values;

    T value(std::size_t row, std::size_t column) const { return row < done ? values[column * done + row] : T{}; }
    T diagonal(std::size_t k) const { return value(k, k); }
  };
  void take(Front& front, const Panel& p) {
    Rows out{p.first, p.width, front.done, p.end - p.first, {}};
    out.values.reserve(out.columns * out.done);
    for (std::size_t k = 0; k < out.columns; ++k)
      out.values.insert(out.values.end(), front.column(k), front.column(k) + out.done);
    for (std::size_t k = 0; k < out.done; ++k) right_[p.first + k] = front.column(out.columns)[k];
    panels_.push_back(std::move(out));
  }

  std::vector<Rows> panels_;
  std::vector<T> right_;
};

}  // namespace nvmlkit::cusolver::sparse
