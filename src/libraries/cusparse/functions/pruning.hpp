// The numbers of a matrix that are larger than a threshold, as a sparse matrix: counted first, then taken. The
// threshold is a number, or comes from the share of the numbers that shall go.
#pragma once

#include <cmath>

#include "libraries/cusparse/functions/blocks.hpp"
#include "libraries/cusparse/functions/objects.hpp"

namespace nvmlkit::cusparse::functions {

inline cusparseStatus_t create_prune(PruneInfo** out) { return create_object(out); }
inline cusparseStatus_t destroy_prune(PruneInfo* info) { return destroy_object(info); }

// Numbers of 16 bits are compared in float.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <class T>
class Limit {
 public:
  Limit(const Call& call, const T* threshold) : threshold_(Scalar(call, threshold, kDataType<T>)) {}
  explicit Limit(float percentage) : percentage_(percentage) {}

  // As documented: the largest of the numbers that shall go.
  Wide<T> get(Running& running, const Rows<Wide<T>>& from) const {
    if (threshold_) return threshold_->template get<Wide<T>>(running);
    std::vector<Wide<T>> sizes;
    for (const Wide<T> x : from.values) sizes.push_back(std::abs(x));
    if (sizes.empty()) return {};
    const auto count = static_cast<Size>(sizes.size());
    const auto share = static_cast<double>(count) * (static_cast<double>(percentage_) / 100);
    const Size place = std::clamp<Size>(static_cast<Size>(std::ceil(share)) - 1, 0, count - 1);
    std::nth_element(sizes.begin(), sizes.begin() + place, sizes.end());
    return sizes[at(place)];
  }

 private:
  std::optional<Scalar> threshold_;
  float percentage_ = 0;
};
inline bool is_percentage(float x) { return x >= 0 && x <= 100; }

// A dense matrix or one in CSR, row by row.
template <class T>
struct Prunable {
  bool is_right = false;
  std::optional<DenseMatrix> dense;
  std::optional<SparseMatrix> sparse;

  Prunable(int m, int n, const T* a, int lda) : dense(typed_dense(a, m, n, lda)) { is_right = is_dense(*dense); }
  Prunable(int m, int n, int count, const MatrixOptions* options, const T* values, const int* offsets,
           const int* indices) {
    if (m < 0 || n < 0 || count < 0 || !is_object(options)) return;
    sparse = typed_csr(options, m, n, count, values, offsets, indices);
    is_right = has_arrays(*sparse);
  }
  Size rows() const { return dense ? dense->rows : sparse->rows; }
  Size numbers() const { return dense ? dense->rows * dense->columns : sparse->count; }

  Rows<Wide<T>> read(Running& running) const {
    Rows<Wide<T>> out;
    if (dense) {
      auto numbers = read_dense<Wide<T>>(running, *dense);
      for (Size i = 0; i < dense->rows; ++i) {
        for (Size j = 0; j < dense->columns; ++j) out.columns.push_back(j);
        out.begins.push_back(static_cast<Size>(out.columns.size()));
      }
      out.values = std::move(numbers.numbers);
      return out;
    }
    const auto from = read_sparse<Wide<T>>(running, *sparse);
    out.begins = from.entries.begins;
    out.columns = from.entries.columns_of;
    for (Size k = 0; k < from.entries.count(); ++k) out.values.push_back(from.value(k));
    return out;
  }
  Rows<Wide<T>> pruned(Running& running, const Limit<T>& limit) const {
    const auto from = read(running);
    const auto threshold = limit.get(running, from);
    Rows<Wide<T>> out;
    for (std::size_t i = 0; i + 1 < from.begins.size(); ++i) {
      for (Size k = from.begins[i]; k < from.begins[i + 1]; ++k)
        if (std::abs(from.values[at(k)]) > threshold) {
          out.columns.push_back(from.columns[at(k)]);
          out.values.push_back(from.values[at(k)]);
        }
      out.begins.push_back(static_cast<Size>(out.columns.size()));
    }
    return out;
  }
};

template <class T>
cusparseStatus_t count_pruned(const Call& call, const Prunable<T>& from, const Limit<T>& limit,
                              const MatrixOptions* options, int* offsets, int* total) {
  if (!from.is_right || !is_object(options) || !offsets || !total) return CUSPARSE_STATUS_INVALID_VALUE;
  const Answer<int> answer(call, total);
  return call.enqueue_with_answer(cost_of<T>(from.numbers(), 1),
                                  [=, base = static_cast<Size>(options->base)](Running& running) {
                                    const auto made = from.pruned(running, limit);
                                    write_indices(running, offsets, made.begins, CUSPARSE_INDEX_32I, base);
                                    answer.set(running, static_cast<int>(made.begins.back()));
                                  });
}
// The offsets are those that were counted.
template <class T>
cusparseStatus_t take_pruned(const Call& call, const Prunable<T>& from, const Limit<T>& limit,
                             const MatrixOptions* options, T* values, const int* offsets, int* indices) {
  if (!from.is_right || !is_object(options) || !offsets) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(from.numbers(), 1), [=, base = static_cast<Size>(options->base)](Running& running) {
    const auto made = from.pruned(running, limit);
    need(read_indices(running, offsets, from.rows() + 1, CUSPARSE_INDEX_32I, base) == made.begins);
    write_indices(running, indices, made.columns, CUSPARSE_INDEX_32I, base);
    write_numbers(running, values, made.values, kDataType<T>);
  });
}

template <class T>
cusparseStatus_t prune_dense_size(const Call&, int m, int n, const T* a, int lda, const T* threshold,
                                  const MatrixOptions* options, const T*, const int*, const int*, std::size_t* size) {
  return tell_size(size, Prunable<T>(m, n, a, lda).is_right && threshold && is_object(options));
}
template <class T>
cusparseStatus_t prune_dense_count(const Call& call, int m, int n, const T* a, int lda, const T* threshold,
                                   const MatrixOptions* options, int* offsets, int* total, void*) {
  if (!threshold) return CUSPARSE_STATUS_INVALID_VALUE;
  return count_pruned<T>(call, {m, n, a, lda}, {call, threshold}, options, offsets, total);
}
template <class T>
cusparseStatus_t prune_dense(const Call& call, int m, int n, const T* a, int lda, const T* threshold,
                             const MatrixOptions* options, T* values, const int* offsets, int* indices, void*) {
  if (!threshold) return CUSPARSE_STATUS_INVALID_VALUE;
  return take_pruned<T>(call, {m, n, a, lda}, {call, threshold}, options, values, offsets, indices);
}

template <class T>
cusparseStatus_t prune_csr_size(const Call&, int m, int n, int count, const MatrixOptions* from, const T* values,
                                const int* offsets, const int* indices, const T* threshold,
                                const MatrixOptions* options, const T*, const int*, const int*, std::size_t* size) {
  return tell_size(
      size, Prunable<T>(m, n, count, from, values, offsets, indices).is_right && threshold && is_object(options));
}
template <class T>
cusparseStatus_t prune_csr_count(const Call& call, int m, int n, int count, const MatrixOptions* from, const T* values,
                                 const int* offsets, const int* indices, const T* threshold,
                                 const MatrixOptions* options, int* out_offsets, int* total, void*) {
  if (!threshold) return CUSPARSE_STATUS_INVALID_VALUE;
  return count_pruned<T>(call, {m, n, count, from, values, offsets, indices}, {call, threshold}, options, out_offsets,
                         total);
}
template <class T>
cusparseStatus_t prune_csr(const Call& call, int m, int n, int count, const MatrixOptions* from, const T* values,
                           const int* offsets, const int* indices, const T* threshold, const MatrixOptions* options,
                           T* out, const int* out_offsets, int* out_indices, void*) {
  if (!threshold) return CUSPARSE_STATUS_INVALID_VALUE;
  return take_pruned<T>(call, {m, n, count, from, values, offsets, indices}, {call, threshold}, options, out,
                        out_offsets, out_indices);
}

template <class T>
cusparseStatus_t prune_dense_share_size(const Call&, int m, int n, const T* a, int lda, float percentage,
                                        const MatrixOptions* options, const T*, const int*, const int*, PruneInfo* info,
                                        std::size_t* size) {
  return tell_size(
      size, Prunable<T>(m, n, a, lda).is_right && is_percentage(percentage) && is_object(options) && is_object(info));
}
template <class T>
cusparseStatus_t prune_dense_share_count(const Call& call, int m, int n, const T* a, int lda, float percentage,
                                         const MatrixOptions* options, int* offsets, int* total, PruneInfo* info,
                                         void*) {
  if (!is_percentage(percentage) || !is_object(info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return count_pruned<T>(call, {m, n, a, lda}, Limit<T>(percentage), options, offsets, total);
}
template <class T>
cusparseStatus_t prune_dense_share(const Call& call, int m, int n, const T* a, int lda, float percentage,
                                   const MatrixOptions* options, T* values, const int* offsets, int* indices,
                                   PruneInfo* info, void*) {
  if (!is_percentage(percentage) || !is_object(info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return take_pruned<T>(call, {m, n, a, lda}, Limit<T>(percentage), options, values, offsets, indices);
}

template <class T>
cusparseStatus_t prune_csr_share_size(const Call&, int m, int n, int count, const MatrixOptions* from, const T* values,
                                      const int* offsets, const int* indices, float percentage,
                                      const MatrixOptions* options, const T*, const int*, const int*, PruneInfo* info,
                                      std::size_t* size) {
  return tell_size(size, Prunable<T>(m, n, count, from, values, offsets, indices).is_right &&
                             is_percentage(percentage) && is_object(options) && is_object(info));
}
template <class T>
cusparseStatus_t prune_csr_share_count(const Call& call, int m, int n, int count, const MatrixOptions* from,
                                       const T* values, const int* offsets, const int* indices, float percentage,
                                       const MatrixOptions* options, int* out_offsets, int* total, PruneInfo* info,
                                       void*) {
  if (!is_percentage(percentage) || !is_object(info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return count_pruned<T>(call, {m, n, count, from, values, offsets, indices}, Limit<T>(percentage), options,
                         out_offsets, total);
}
template <class T>
cusparseStatus_t prune_csr_share(const Call& call, int m, int n, int count, const MatrixOptions* from, const T* values,
                                 const int* offsets, const int* indices, float percentage, const MatrixOptions* options,
                                 T* out, const int* out_offsets, int* out_indices, PruneInfo* info, void*) {
  if (!is_percentage(percentage) || !is_object(info)) return CUSPARSE_STATUS_INVALID_VALUE;
  return take_pruned<T>(call, {m, n, count, from, values, offsets, indices}, Limit<T>(percentage), options, out,
                        out_offsets, out_indices);
}

}  // namespace nvmlkit::cusparse::functions
