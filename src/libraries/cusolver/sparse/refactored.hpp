// Factors L and U of a sparse matrix whose pattern is known: P A Q^T = L U is made again for other numbers.
#pragma once

#include <cmath>
#include <optional>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {

// The arrays of CSR, or of CSC; indices from 0.
struct Arrays {
  int count = 0;
  const int *offsets = nullptr, *indices = nullptr;
  const double* values = nullptr;
};

struct Shape {
  int n = 0;
  bool by_columns = false;     // the arrays are those of CSC
  bool unit_is_upper = false;  // U has ones on its diagonal, L has the pivots
  bool stores_unit = true;     // the arrays of that side contain the ones
};

// Arrays of a program's side of a factor.
struct Stored {
  std::vector<int> offsets, indices;
  std::vector<double> values;
};

enum class Part { bundle, lower, upper };

// L + U without the ones, by rows: one pattern for all numbers.
class Bundle {
 public:
  // Nothing where the arrays are no factors: a pivot is missing, or an index is on the wrong side.
  static std::optional<Bundle> make(const Shape& shape, const Arrays& lower, const Arrays& upper);

  const Shape& shape() const { return shape_; }
  int count() const { return static_cast<int>(columns_.size()); }
  const std::vector<double>& first_values() const { return values_; }
  // The numbers of P A Q^T in the pattern. False where A is no matrix, or has an entry that the pattern lacks.
  bool reset(const Arrays& a, const int* p, const int* q, std::vector<double>& values) const;
  Stored stored(const std::vector<double>& values, Part part) const;

  // In place. A pivot up to `zero` becomes `boost`; the first one without a boost is the answer, or -1.
  template <class Tick>
  int refactor(std::vector<double>& values, double zero, double boost, bool& is_boosted, Tick tick) const;
  // x becomes the solution for the right side x. False where p or q is no order of the rows.
  bool solve(const std::vector<double>& values, const int* p, const int* q, double* x) const;

 private:
  bool put(std::vector<Row<double>>& rows, const Arrays& arrays, bool is_upper) const;
  int find(int row, int column) const;

  Shape shape_;
  std::vector<int> offsets_, columns_, pivots_;
  std::vector<double> values_;
};

template <class Tick>
int Bundle::refactor(std::vector<double>& values, double zero, double boost, bool& is_boosted, Tick tick) const {
  std::vector<double> row(at(shape_.n));
  std::vector<char> is_there(at(shape_.n), 0);
  for (int i = 0; i < shape_.n; ++i, tick()) {
    const auto begin = at(offsets_[at(i)]), end = at(offsets_[at(i) + 1]), middle = at(pivots_[at(i)]);
    for (auto k = begin; k < end; ++k) {
      row[at(columns_[k])] = values[k];
      is_there[at(columns_[k])] = 1;
    }
    for (auto k = begin; k < middle; ++k) {
      const auto j = at(columns_[k]);
      if (!shape_.unit_is_upper) row[j] /= values[at(pivots_[j])];
      for (auto other = at(pivots_[j]) + 1; other < at(offsets_[j + 1]); ++other)
        if (is_there[at(columns_[other])]) row[at(columns_[other])] -= row[j] * values[other];
    }
    double& pivot = row[at(i)];
    if (!(std::abs(pivot) > zero)) {
      if (boost == 0) return i;
      pivot = boost;
      is_boosted = true;
    }
    for (auto k = begin; k < end; ++k) {
      const double number = row[at(columns_[k])];
      values[k] = shape_.unit_is_upper && k > middle ? number / pivot : number;
    }
    for (auto k = begin; k < end; ++k) is_there[at(columns_[k])] = 0;
  }
  return -1;
}

}  // namespace nvmlkit::cusolver::sparse
