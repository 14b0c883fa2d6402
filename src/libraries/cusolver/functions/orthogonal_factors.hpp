// A = Q R of a sparse matrix with m >= n, which a program keeps, and of many matrices of one pattern. The functions
// with Host in their names read memory of the host, the others work in the stream of the handle.
#pragma once

#include <optional>

#include "libraries/cusolver/functions/objects.hpp"
#include "libraries/cusolver/functions/sparse.hpp"

namespace nvmlkit::cusolver::functions {

cusolverStatus_t create_qr(QrInfo** out);
cusolverStatus_t destroy_qr(QrInfo* info);

// What the program said of a matrix.
struct Tall {
  int m, n;
  Pattern pattern;  // its n is m

  Tall(int rows, int columns, int count, const MatrixOptions* options, const int* offsets, const int* indices)
      : m(rows), n(columns), pattern{rows, count, options, offsets, indices} {}
  cusolverStatus_t check(const SparseHandle* handle, const QrInfo* info) const;
  // The same, behind an analysis of this shape.
  cusolverStatus_t check_analyzed(const SparseHandle* handle, const QrInfo* info) const;
  bool is_right(const int* offsets, const int* indices) const {
    return sparse::is_right(offsets, indices, m, n, pattern.count, pattern.base());
  }
};

cusolverStatus_t csrqr_analysis(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                const int* offsets, const int* columns, QrInfo* info);

// No buffer is used; programs allocate what they are told.
template <class T>
cusolverStatus_t csrqr_batched_size(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                    const T*, const int* offsets, const int* columns, int batch, QrInfo* info,
                                    std::size_t* own, std::size_t* work) {
  const auto status = Tall(m, n, count, options, offsets, columns).check_analyzed(handle, info);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (batch <= 0 || !own || !work) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto matrices = sizeof(T) * sparse::at(batch);
  *own = matrices * sparse::at(count);
  *work = matrices * sparse::at(m);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t csrqr_size(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                            const T* values, const int* offsets, const int* columns, QrInfo* info, std::size_t* own,
                            std::size_t* work) {
  return csrqr_batched_size(handle, m, n, count, options, values, offsets, columns, 1, info, own, work);
}

// Of factors of one matrix.
template <class T>
using RowsOf = std::shared_ptr<const std::vector<sparse::Row<T>>>;
template <class T>
class KeptQr {
 public:
  template <class Tick>
  KeptQr(const std::vector<sparse::Row<T>>& rows, int n, Tick tick) : n_(n), r_(rows, n, q_, tick) {}
  const sparse::Qr<T>& r() const { return r_; }
  void solve(const T* b, T* x) const {
    auto turned = q_.turned(b, n_);
    r_.solve(turned);
    std::copy(turned.begin(), turned.end(), x);
  }

 private:
  int n_;
  sparse::Rotations<T> q_;
  sparse::Qr<T> r_;
};
template <class T>
using QrOf = std::shared_ptr<const KeptQr<T>>;

// A - mu I. Null where the arrays are no matrix.
template <class T>
RowsOf<T> prepared(const Tall& a, const int* offsets, const int* columns, const T* values, T mu) {
  if (!a.is_right(offsets, columns)) return nullptr;
  auto rows = sparse::shifted_rows_of(offsets, columns, values, a.m, a.n, a.pattern.base(), mu);
  return std::make_shared<const std::vector<sparse::Row<T>>>(std::move(rows));
}
template <class T>
cusolverStatus_t keep(QrInfo& info, RowsOf<T> rows) {
  if (!rows) return CUSOLVER_STATUS_INVALID_VALUE;
  info.rows = std::move(rows);
  info.factor.reset();
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t csrqr_setup_host(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                                  const T* values, const int* offsets, const int* columns, T mu, QrInfo* info) {
  const Tall a(m, n, count, options, offsets, columns);
  if (const auto status = a.check_analyzed(handle, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (!values) return CUSOLVER_STATUS_INVALID_VALUE;
  return keep<T>(*info, prepared(a, offsets, columns, values, mu));
}
template <class T>
cusolverStatus_t csrqr_setup(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                             const T* values, const int* offsets, const int* columns, T mu, QrInfo* info) {
  const Tall a(m, n, count, options, offsets, columns);
  if (const auto status = a.check_analyzed(handle, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (!values) return CUSOLVER_STATUS_INVALID_VALUE;
  auto made = std::make_shared<RowsOf<T>>();
  const auto status = run_in_stream(*handle, "cusolver_csrqr_setup", bytes_of<T>(a.pattern), [=](Running& running) {
    *made = prepared(a, running.read(offsets, a.m + 1), running.read(columns, count), running.read(values, count), mu);
  });
  return status == CUSOLVER_STATUS_SUCCESS ? keep<T>(*info, *made) : status;
}

// work(what) with the rows or the factors of this type that a call before left.
template <class Kept, class Work>
cusolverStatus_t with_kept(const SparseHandle* handle, const QrInfo* info, const std::any QrInfo::*member, Work work) {
  if (!is_object(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_object(info)) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto* const kept = std::any_cast<Kept>(&(info->*member));
  return kept ? work(*kept) : CUSOLVER_STATUS_INVALID_VALUE;
}

// The factors, and a solution where there is a right side.
template <class T>
cusolverStatus_t csrqr_factor_host(SparseHandle* handle, int m, int n, int count, T* b, T* x, QrInfo* info,
                                   void* buffer) {
  return with_kept<RowsOf<T>>(handle, info, &QrInfo::rows, [&](const RowsOf<T>& rows) {
    if (m != info->m || n != info->n || count != info->count || !buffer) return CUSOLVER_STATUS_INVALID_VALUE;
    const QrOf<T> made = std::make_shared<KeptQr<T>>(*rows, n, [] {});
    info->factor = made;
    if (b && x) made->solve(b, x);
    return CUSOLVER_STATUS_SUCCESS;
  });
}
template <class T>
cusolverStatus_t csrqr_factor(SparseHandle* handle, int m, int n, int count, T* b, T* x, QrInfo* info, void* buffer) {
  return with_kept<RowsOf<T>>(handle, info, &QrInfo::rows, [&](const RowsOf<T>& rows) {
    if (m != info->m || n != info->n || count != info->count || !buffer) return CUSOLVER_STATUS_INVALID_VALUE;
    auto made = std::make_shared<QrOf<T>>();
    const auto bytes = static_cast<double>(count) * static_cast<double>(sizeof(T));
    const auto status = run_in_stream(*handle, "cusolver_csrqr", bytes, [=](Running& running) {
      *made = std::make_shared<KeptQr<T>>(*rows, n, [&] { running.tick(); });
      if (b && x) (*made)->solve(running.read(b, m), running.write(x, n));
    });
    if (status == CUSOLVER_STATUS_SUCCESS) info->factor = *made;
    return status;
  });
}

// The first row of R whose diagonal is below the tolerance, or -1.
template <class R>
cusolverStatus_t csrqr_pivot(SparseHandle* handle, QrInfo* info, R tolerance, int* position) {
  const auto tell = [&](const auto& kept) { return answer(position, kept->r().first_below(tolerance)); };
  if (is_object(info) && std::any_cast<QrOf<std::complex<R>>>(&info->factor))
    return with_kept<QrOf<std::complex<R>>>(handle, info, &QrInfo::factor, tell);
  return with_kept<QrOf<R>>(handle, info, &QrInfo::factor, tell);
}

template <class T>
cusolverStatus_t csrqr_solve_host(SparseHandle* handle, int m, int n, T* b, T* x, QrInfo* info, void* buffer) {
  return with_kept<QrOf<T>>(handle, info, &QrInfo::factor, [&](const QrOf<T>& kept) {
    if (m != info->m || n != info->n || !b || !x || !buffer) return CUSOLVER_STATUS_INVALID_VALUE;
    kept->solve(b, x);
    return CUSOLVER_STATUS_SUCCESS;
  });
}
template <class T>
cusolverStatus_t csrqr_solve(SparseHandle* handle, int m, int n, T* b, T* x, QrInfo* info, void* buffer) {
  return with_kept<QrOf<T>>(handle, info, &QrInfo::factor, [&](const QrOf<T>& kept) {
    if (m != info->m || n != info->n || !b || !x || !buffer) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto work = [=](Running& running) { kept->solve(running.read(b, m), running.write(x, n)); };
    const auto bytes = static_cast<double>(m) * static_cast<double>(sizeof(T));
    return Call::status_of(
        libraries::enqueue(*handle->driver, handle->stream, "cusolver_csrqr_solve", Cost{bytes, bytes}, work));
  });
}

// Matrices of one pattern, their numbers and right sides one behind the other.
template <class T>
cusolverStatus_t csrqr_batched(SparseHandle* handle, int m, int n, int count, const MatrixOptions* options,
                               const T* values, const int* offsets, const int* columns, const T* b, T* x, int batch,
                               QrInfo* info, void* buffer) {
  const Tall a(m, n, count, options, offsets, columns);
  if (const auto status = a.check_analyzed(handle, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (!values || !b || !x || !buffer || batch <= 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto work = [=](Running& running) {
    const auto *const starts = running.read(offsets, m + 1), *const indices = running.read(columns, count);
    if (!a.is_right(starts, indices)) throw libraries::Failed{cuda::CUDA_ERROR_ILLEGAL_ADDRESS};
    const auto total = std::int64_t{batch};
    const T* numbers = running.read(values, total * count);
    const T* right = running.read(b, total * m);
    T* out = running.write(x, total * n);
    for (int k = 0; k < batch; ++k, numbers += count, right += m, out += n) {
      sparse::TurnedSide<T> side(right, n);
      const sparse::Qr<T> r(sparse::shifted_rows_of(starts, indices, numbers, m, n, a.pattern.base(), T{}), n, side,
                            [&] { running.tick(); });
      r.solve(side.numbers());
      std::copy(side.numbers().begin(), side.numbers().end(), out);
    }
  };
  const auto bytes = bytes_of<T>(a.pattern) * batch;
  return Call::status_of(
      libraries::enqueue(*handle->driver, handle->stream, "cusolver_csrqr_batched", Cost{bytes, bytes}, work));
}

}  // namespace nvmlkit::cusolver::functions
