// Systems with three or five diagonals, single and in batches, solved with pivots.
#pragma once

#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

// Row i has its numbers from column i - below on; pivoting adds `below` columns above.
template <class T>
class Band {
 public:
  Band(Size n, Size below, Size above)
      : n_(n), below_(below), width_(2 * below + above + 1), numbers_(at(n * width_)) {}

  // Of column j, which is within the band.
  T& operator()(Size i, Size j) { return numbers_[at(i * width_ + j - i + below_)]; }

  void solve(std::vector<T>& x) {
    for (Size j = 0; j < n_; ++j) {
      const Size last = std::min(n_ - 1, j + below_), wide = std::min(n_ - 1, j + width_ - 1 - below_);
      Size pivot = j;
      for (Size i = j + 1; i <= last; ++i)
        if (std::abs((*this)(i, j)) > std::abs((*this)(pivot, j))) pivot = i;
      if (pivot != j) {
        for (Size k = j; k <= wide; ++k) std::swap((*this)(j, k), (*this)(pivot, k));
        std::swap(x[at(j)], x[at(pivot)]);
      }
      for (Size i = j + 1; i <= last; ++i) {
        const T factor = (*this)(i, j) / (*this)(j, j);
        for (Size k = j + 1; k <= wide; ++k) (*this)(i, k) -= factor * (*this)(j, k);
        x[at(i)] -= factor * x[at(j)];
      }
    }
    for (Size i = n_ - 1; i >= 0; --i) {
      for (Size k = i + 1; k <= std::min(n_ - 1, i + width_ - 1 - below_); ++k) x[at(i)] -= (*this)(i, k) * x[at(k)];
      x[at(i)] /= (*this)(i, i);
    }
  }

 private:
  Size n_, below_, width_;
  std::vector<T> numbers_;
};

// A diagonal of a batch: element i of system k is at data[i * step + k * stride]; it stands at column i + shift.
template <class T>
struct Diagonal {
  const T* data;
  Size shift;
};

template <class T>
struct BandSystem {
  Size n, batches, step, stride;            // of the diagonals
  Size columns, column_stride, out_stride;  // of the right sides of each
  std::vector<Diagonal<T>> diagonals;
  T* x;

  Size span(Size last_stride) const {
    return n > 0 && batches > 0 ? (n - 1) * step + (batches - 1) * last_stride + 1 : 0;
  }

  void solve_all(Running& running) const {
    std::vector<const T*> numbers;
    for (const auto& d : diagonals) numbers.push_back(running.read(d.data, span(stride)));
    T* const out = running.write(x, columns > 0 && n > 0 ? (columns - 1) * column_stride + span(out_stride) : 0);
    const Size reach = diagonals.back().shift;
    std::vector<T> side(at(n));
    for (Size k = 0; k < batches; ++k)
      for (Size c = 0; c < columns; ++c) {
        Band<T> band(n, reach, reach);
        for (std::size_t d = 0; d < diagonals.size(); ++d)
          for (Size i = 0; i < n; ++i)
            if (const Size j = i + diagonals[d].shift; j >= 0 && j < n) band(i, j) = numbers[d][i * step + k * stride];
        T* const to = out + c * column_stride + k * out_stride;
        for (Size i = 0; i < n; ++i) side[at(i)] = to[i * step];
        band.solve(side);
        for (Size i = 0; i < n; ++i) to[i * step] = side[at(i)];
        running.tick();
      }
  }
};

template <class T>
cusparseStatus_t solve_bands(const Call& call, const BandSystem<T>& system) {
  for (const auto& d : system.diagonals)
    if (!d.data) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!system.x) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(system.n * system.batches, 8 * system.columns),
                      [=](Running& running) { system.solve_all(running); });
}

// Documented: at least 3 rows.
template <class T>
cusparseStatus_t gtsv_size(const Call&, int m, int n, const T*, const T*, const T*, const T*, int ldb,
                           std::size_t* size) {
  return tell_size(size, m >= 3 && n >= 0 && ldb >= m);
}
template <class T>
cusparseStatus_t gtsv(const Call& call, int m, int n, const T* dl, const T* d, const T* du, T* b, int ldb, void*) {
  if (m < 3 || n < 0 || ldb < m) return CUSPARSE_STATUS_INVALID_VALUE;
  return solve_bands(call, BandSystem<T>{m, 1, 1, 0, n, ldb, 0, {{dl, -1}, {d, 0}, {du, 1}}, b});
}
template <class T>
cusparseStatus_t gtsv_strided_size(const Call&, int m, const T*, const T*, const T*, const T*, int batches, int stride,
                                   std::size_t* size) {
  return tell_size(size, m >= 3 && batches >= 0 && stride >= m);
}
template <class T>
cusparseStatus_t gtsv_strided(const Call& call, int m, const T* dl, const T* d, const T* du, T* x, int batches,
                              int stride, void*) {
  if (m < 3 || batches < 0 || stride < m) return CUSPARSE_STATUS_INVALID_VALUE;
  return solve_bands(call, BandSystem<T>{m, batches, 1, stride, 1, 0, stride, {{dl, -1}, {d, 0}, {du, 1}}, x});
}
// Interleaved: element i of all systems, then element i + 1.
template <class T>
cusparseStatus_t gtsv_interleaved_size(const Call&, int algorithm, int m, const T*, const T*, const T*, const T*,
                                       int batches, std::size_t* size) {
  return tell_size(size, algorithm >= 0 && algorithm <= 2 && m >= 0 && batches >= 0);
}
template <class T>
cusparseStatus_t gtsv_interleaved(const Call& call, int algorithm, int m, T* dl, T* d, T* du, T* x, int batches,
                                  void*) {
  if (algorithm < 0 || algorithm > 2 || m < 0 || batches < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return solve_bands(call, BandSystem<T>{m, batches, batches, 1, 1, 0, 1, {{dl, -1}, {d, 0}, {du, 1}}, x});
}
template <class T>
cusparseStatus_t gpsv_interleaved_size(const Call&, int algorithm, int m, const T*, const T*, const T*, const T*,
                                       const T*, const T*, int batches, std::size_t* size) {
  return tell_size(size, algorithm == 0 && m >= 0 && batches >= 0);
}
template <class T>
cusparseStatus_t gpsv_interleaved(const Call& call, int algorithm, int m, T* ds, T* dl, T* d, T* du, T* dw, T* x,
                                  int batches, void*) {
  if (algorithm != 0 || m < 0 || batches < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return solve_bands(call,
                     BandSystem<T>{m, batches, batches, 1, 1, 0, 1, {{ds, -2}, {dl, -1}, {d, 0}, {du, 1}, {dw, 2}}, x});
}

}  // namespace nvmlkit::cusparse::functions
