// A x = b by A = Q R: row after row, or by dense fronts where the rows grow full.
#pragma once

#include <optional>

#include "libraries/cusolver/sparse/fronts.hpp"
#include "libraries/cusolver/sparse/qr.hpp"

namespace nvmlkit::cusolver::sparse {

// The arrays of CSR, which are right.
template <class T>
struct Csr {
  const int *offsets, *columns;
  const T* values;
  int n, base;

  std::vector<Row<T>> rows(const std::vector<int>& places) const {
    return rows_of(offsets, columns, values, n, base, places);
  }
};

template <class T>
std::vector<T> moved(const T* b, const std::vector<int>& places) {
  std::vector<T> out(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) out[at(places[i])] = b[i];
  return out;
}
template <class T>
void move_back(const std::vector<T>& from, const std::vector<int>& places, T* x) {
  for (std::size_t i = 0; i < places.size(); ++i) x[i] = from[at(places[i])];
}

// By rotations of rows, as long as they take less than fronts of that cost would; false: they do not.
template <class T, class Limit, class Tick>
bool solve_by_rotations(const Csr<T>& a, const T* b, Limit limit, const std::vector<int>& places, double cost, int& bad,
                        T* x, Tick tick) {
  // What a number that is turned takes, in products of a front: LAPACK makes more of them at once.
  constexpr double kTurn = 80, kLeast = 1e6;
  auto rows = a.rows(places);
  auto sides = moved(b, places);
  TurnedSide<T> turned(sides.data(), a.n);
  Qr<T> factor(a.n);
  for (std::size_t i = 0; i < rows.size(); ++i, tick()) {
    factor.take(i, std::move(rows[i]), turned);
    if (factor.work() > std::max(kLeast, cost / kTurn)) return false;
  }
  bad = factor.first_below(limit);
  sides = std::move(turned.numbers());
  factor.solve(sides);
  move_back(sides, places, x);
  return true;
}

// The first row of R whose diagonal is below the limit, or -1. `order`: of the rows, 0 is their own, 1 makes a narrow
// band; places_by(order) finds where each goes.
template <class T, class Limit, class PlacesBy, class Tick>
int solve_by_rows(const Csr<T>& a, const T* b, Limit limit, int order, PlacesBy places_by, T* x, Tick tick) {
  const auto places = places_by(order);
  double cost = FrontQr<T>::cost(a.rows(places), a.n);
  int bad = -1;
  if (solve_by_rotations(a, b, limit, places, cost, bad, x, tick)) return bad;
  const auto solve = [&](const std::vector<int>& by) {
    const FrontQr<T> factor(a.rows(by), a.n, moved(b, by), tick);
    bad = factor.first_below(limit);
    move_back(factor.solution(), by, x);
  };
  if (order == 0) {
    // The solution is the same in every order; which row is too small is asked in this one.
    const auto narrow = places_by(1);
    if (FrontQr<T>::cost(a.rows(narrow), a.n) < cost / 2) {
      solve(narrow);
      if (bad < 0) return bad;
    }
  }
  solve(places);
  return bad;
}

}  // namespace nvmlkit::cusolver::sparse
