// A part of a matrix whose tiles of columns lie on several GPUs in turn: rows `row` on, columns `column` on.
#pragma once

#include <algorithm>
#include <limits>

#include "libraries/cusolvermg/call.hpp"

namespace nvmlkit::cusolvermg {

// All of the part in memory of the host, without gaps between its columns.
template <class T>
using Whole = std::vector<T>;

template <class T>
class Distributed {
 public:
  Distributed(const Description& of, T* const* parts, std::int64_t row, std::int64_t column, std::int64_t rows,
              std::int64_t columns)
      : tile_(std::max<std::int64_t>(of.tile, 1)),
        leading_(of.rows),
        all_(of.columns),
        row_(row),
        column_(column),
        rows_(rows),
        columns_(columns) {
    if (parts) parts_.assign(parts, parts + of.devices.size());
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::size_t size() const { return static_cast<std::size_t>(rows_ * columns_); }

  // Each GPU that has columns of it has memory for them.
  bool has_data() const {
    if (rows_ == 0 || columns_ == 0) return true;
    for (std::size_t gpu = 0; gpu < parts_.size(); ++gpu)
      if (!parts_[gpu] && columns_on(gpu) > 0) return false;
    return !parts_.empty();
  }
  std::int64_t columns_on(std::size_t gpu) const {
    std::int64_t out = 0;
    each_tile(gpu, [&](std::int64_t, std::int64_t count, std::int64_t) { out += count; });
    return out;
  }
  std::uint64_t bytes_on(std::size_t gpu) const {
    return static_cast<std::uint64_t>(rows_ * columns_on(gpu)) * sizeof(T);
  }

  // From memory of a GPU, and back to it. Kernels of different GPUs may do so at the same time.
  void get(std::size_t gpu, Running& running, Whole<T>& whole) const {
    each_tile(gpu, [&](std::int64_t first, std::int64_t count, std::int64_t place) {
      const T* const from = running.read(const_cast<const T*>(parts_[gpu] + place), extent(count));
      for (std::int64_t j = 0; j < count; ++j)
        std::copy_n(from + j * leading_, rows_, whole.data() + (first + j) * rows_);
    });
  }
  void put(std::size_t gpu, Running& running, const Whole<T>& whole) const {
    each_tile(gpu, [&](std::int64_t first, std::int64_t count, std::int64_t place) {
      T* const to = running.write(parts_[gpu] + place, extent(count));
      for (std::int64_t j = 0; j < count; ++j)
        std::copy_n(whole.data() + (first + j) * rows_, rows_, to + j * leading_);
    });
  }

 private:
  std::int64_t extent(std::int64_t columns) const { return (columns - 1) * leading_ + rows_; }

  // visit(first column of the part, columns, place in memory of the GPU) for each of its tiles.
  template <class Visit>
  void each_tile(std::size_t gpu, Visit visit) const {
    const auto gpus = static_cast<std::int64_t>(parts_.size());
    if (rows_ == 0) return;
    for (auto tile = static_cast<std::int64_t>(gpu); tile * tile_ < column_ + columns_; tile += gpus) {
      const auto first = std::max(tile * tile_, column_);
      const auto end = std::min({(tile + 1) * tile_, column_ + columns_, all_});
      if (first >= end) continue;
      const auto local = tile / gpus * tile_ + first - tile * tile_;
      visit(first - column_, end - first, local * leading_ + row_);
    }
  }

  std::int64_t tile_, leading_, all_, row_, column_, rows_, columns_;
  std::vector<T*> parts_;
};

// Which part of a matrix a call means. `row` and `column` count from 1.
struct Part {
  const Description* of;
  std::int64_t row, column, rows, columns;

  // It lies in a matrix over the GPUs of a handle.
  bool is_right(const Handle& handle) const {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (!Live<Description>::has(of) || of->devices.size() != handle.gpus.size()) return false;
    for (std::size_t k = 0; k < of->devices.size(); ++k)
      if (of->devices[k] != handle.gpus[k].device) return false;
    return rows >= 0 && columns >= 0 && row >= 1 && column >= 1 && rows <= of->rows - (row - 1) &&
           columns <= of->columns - (column - 1) && of->rows <= kMost && (of->tile > 0 || columns == 0);
  }
  template <class T>
  Distributed<T> at(T, void* const* parts) const {
    return {*of, reinterpret_cast<T* const*>(parts), row - 1, column - 1, rows, columns};
  }
};

}  // namespace nvmlkit::cusolvermg
