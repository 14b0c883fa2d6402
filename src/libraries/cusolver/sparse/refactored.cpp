#include "libraries/cusolver/sparse/refactored.hpp"

#include <cmath>

namespace nvmlkit::cusolver::sparse {
namespace {

// Where each old index goes. Empty where an index is missing or comes twice.
std::vector<int> inverse_of(const int* order, int n) {
  std::vector<int> out(at(n), -1);
  for (int i = 0; i < n; ++i) {
    if (order[i] < 0 || order[i] >= n || out[at(order[i])] >= 0) return {};
    out[at(order[i])] = i;
  }
  return out;
}

}  // namespace

bool Bundle::put(std::vector<Row<double>>& rows, const Arrays& arrays, bool is_upper) const {
  if (!is_right(arrays.offsets, arrays.indices, shape_.n, shape_.n, arrays.count, 0)) return false;
  const bool has_pivots = is_upper != shape_.unit_is_upper;
  for (int i = 0; i < shape_.n; ++i)
    for (int k = arrays.offsets[i]; k < arrays.offsets[i + 1]; ++k) {
      const int j = arrays.indices[k], row = shape_.by_columns ? j : i, column = shape_.by_columns ? i : j;
      if (is_upper ? column < row : column > row) return false;
      if (row == column && !has_pivots) {
        if (!shape_.stores_unit) return false;
        continue;
      }
      rows[at(row)].push_back({column, arrays.values[k]});
    }
  return true;
}

std::optional<Bundle> Bundle::make(const Shape& shape, const Arrays& lower, const Arrays& upper) {
  Bundle out;
  out.shape_ = shape;
  std::vector<Row<double>> rows(at(shape.n));
  if (!out.put(rows, lower, false) || !out.put(rows, upper, true)) return std::nullopt;
  out.offsets_.push_back(0);
  for (int i = 0; i < shape.n; ++i) {
    auto& row = rows[at(i)];
    put_in_order(row);
    for (const auto& [column, value] : row) {
      if (column == i) out.pivots_.push_back(out.count());
      out.columns_.push_back(column);
      out.values_.push_back(value);
    }
    if (out.pivots_.size() != at(i) + 1) return std::nullopt;
    out.offsets_.push_back(out.count());
  }
  return out;
}

int Bundle::find(int row, int column) const {
  const auto begin = columns_.begin() + offsets_[at(row)], end = columns_.begin() + offsets_[at(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? -1 : static_cast<int>(found - columns_.begin());
}

bool Bundle::reset(const Arrays& a, const int* p, const int* q, std::vector<double>& values) const {
  const int n = shape_.n;
  const auto rows = inverse_of(p, n), columns = inverse_of(q, n);
  if ((n > 0 && (rows.empty() || columns.empty())) || !is_right(a.offsets, a.indices, n, n, a.count, 0)) return false;
  std::fill(values.begin(), values.end(), 0);
  for (int i = 0; i < n; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const int j = a.indices[k];
      const int place = shape_.by_columns ? find(rows[at(j)], columns[at(i)]) : find(rows[at(i)], columns[at(j)]);
      if (place < 0) return false;
      values[at(place)] += a.values[k];
    }
  return true;
}

Stored Bundle::stored(const std::vector<double>& values, Part part) const {
  const int n = shape_.n;
  std::vector<Row<double>> lines(at(n));
  const auto add = [&](int row, int column, double value) {
    lines[at(shape_.by_columns ? column : row)].push_back({shape_.by_columns ? row : column, value});
  };
  for (int i = 0; i < n; ++i) {
    for (int k = offsets_[at(i)]; k < offsets_[at(i) + 1]; ++k) {
      const int j = columns_[at(k)];
      const bool is_upper = j > i || (j == i && !shape_.unit_is_upper);
      if (part == Part::bundle || is_upper == (part == Part::upper)) add(i, j, values[at(k)]);
    }
    if (shape_.stores_unit && part == (shape_.unit_is_upper ? Part::upper : Part::lower)) add(i, i, 1);
  }
  Stored out{{0}, {}, {}};
  for (auto& line : lines) {
    put_in_order(line);
    for (const auto& [index, value] : line) {
      out.indices.push_back(index);
      out.values.push_back(value);
    }
    out.offsets.push_back(static_cast<int>(out.indices.size()));
  }
  return out;
}

bool Bundle::solve(const std::vector<double>& values, const int* p, const int* q, double* x) const {
  const int n = shape_.n;
  if (n > 0 && (inverse_of(p, n).empty() || inverse_of(q, n).empty())) return false;
  std::vector<double> y(at(n));
  for (int i = 0; i < n; ++i) {
    double sum = x[p[i]];
    for (int k = offsets_[at(i)]; k < pivots_[at(i)]; ++k) sum -= values[at(k)] * y[at(columns_[at(k)])];
    y[at(i)] = shape_.unit_is_upper ? sum / values[at(pivots_[at(i)])] : sum;
  }
  for (int i = n; i-- > 0;) {
    double sum = y[at(i)];
    for (int k = pivots_[at(i)] + 1; k < offsets_[at(i) + 1]; ++k) sum -= values[at(k)] * y[at(columns_[at(k)])];
    y[at(i)] = shape_.unit_is_upper ? sum : sum / values[at(pivots_[at(i)])];
  }
  for (int i = 0; i < n; ++i) x[q[i]] = y[at(i)];
  return true;
}

}  // namespace nvmlkit::cusolver::sparse
