// Columns of rows in ascending order and back; colours of rows.
#pragma once

#include <numeric>

#include "libraries/cusparse/functions/objects.hpp"
#include "libraries/cusparse/functions/sums.hpp"

namespace nvmlkit::cusparse::functions {

inline cusparseStatus_t create_order(RowOrder** out) { return create_object(out); }
inline cusparseStatus_t destroy_order(RowOrder* order) { return destroy_object(order); }
inline cusparseStatus_t create_colors(ColorInfo** out) { return create_object(out); }
inline cusparseStatus_t destroy_colors(ColorInfo* info) { return destroy_object(info); }

template <class T>
cusparseStatus_t csru2csr_size(const Call&, int m, int n, int count, T*, const int*, int*, RowOrder* order,
                               std::size_t* size) {
  return tell_size(size, m >= 0 && n >= 0 && count >= 0 && is_object(order));
}

// Where each entry of the sorted rows was.
inline std::vector<Size> sorted_order(const std::vector<Size>& begins, const std::vector<Size>& columns) {
  std::vector<Size> out(columns.size());
  std::iota(out.begin(), out.end(), Size{0});
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    std::stable_sort(out.begin() + begins[i], out.begin() + begins[i + 1],
                     [&](Size x, Size y) { return columns[at(x)] < columns[at(y)]; });
  return out;
}
inline bool is_right_for_order(int m, int n, int count, const MatrixOptions* options, const void* values,
                               const int* offsets, const int* indices, const RowOrder* order) {
  return m >= 0 && n >= 0 && count >= 0 && is_object(options) && is_object(order) && offsets &&
         (count == 0 || (values && indices));
}

// In place. The object keeps where each entry was.
template <class T>
cusparseStatus_t csru2csr(const Call& call, int m, int n, int count, const MatrixOptions* options, T* values,
                          const int* offsets, int* indices, RowOrder* order, void*) {
  if (!is_right_for_order(m, n, count, options, values, offsets, indices, order)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(
      cost_of<T>(count, 1), [=, kept = order->places, base = static_cast<Size>(options->base)](Running& running) {
        const auto begins = read_indices(running, offsets, m + 1, CUSPARSE_INDEX_32I, base);
        need(begins.front() == 0 && begins.back() <= count && std::is_sorted(begins.begin(), begins.end()));
        const auto columns = read_indices(running, indices, begins.back(), CUSPARSE_INDEX_32I, base);
        *kept = sorted_order(begins, columns);
        const auto numbers = read_numbers<T>(running, values, begins.back(), kDataType<T>);
        std::vector<Size> sorted;
        std::vector<T> moved;
        for (const Size k : *kept) {
          sorted.push_back(columns[at(k)]);
          moved.push_back(numbers[at(k)]);
        }
        write_indices(running, indices, sorted, CUSPARSE_INDEX_32I, base);
        write_numbers(running, values, moved, kDataType<T>);
      });
}
// Back to the order of before.
template <class T>
cusparseStatus_t csr2csru(const Call& call, int m, int n, int count, const MatrixOptions* options, T* values,
                          const int* offsets, int* indices, RowOrder* order, void*) {
  if (!is_right_for_order(m, n, count, options, values, offsets, indices, order)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(count, 1),
                      [=, kept = order->places, base = static_cast<Size>(options->base)](Running& running) {
                        const auto total = static_cast<Size>(kept->size());
                        need(total <= count);
                        const auto columns = read_indices(running, indices, total, CUSPARSE_INDEX_32I, base);
                        const auto numbers = read_numbers<T>(running, values, total, kDataType<T>);
                        std::vector<Size> back(at(total));
                        std::vector<T> moved(at(total));
                        for (Size k = 0; k < total; ++k) {
                          back[at((*kept)[at(k)])] = columns[at(k)];
                          moved[at((*kept)[at(k)])] = numbers[at(k)];
                        }
                        write_indices(running, indices, back, CUSPARSE_INDEX_32I, base);
                        write_numbers(running, values, moved, kDataType<T>);
                      });
}

// Rows that share an entry, in either direction, have different colours. One colour after the other takes what it can,
// until there are enough rows with a colour; each of the others has one for itself. Gives how many colours there are.
int color_rows(Running& running, const Entries& entries, double fraction, std::vector<Size>& colors);

template <class T, class R>
cusparseStatus_t csrcolor(const Call& call, int m, int count, const MatrixOptions* options, const T* values,
                          const int* offsets, const int* indices, const R* fraction, int* total, int* colors,
                          int* order, const ColorInfo* info) {
  if (m < 0 || count < 0 || !is_object(options) || !is_object(info) || !fraction || !total || (m > 0 && !colors))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr(options, m, m, count, values, offsets, indices);
  if (m > 0 && (!offsets || (count > 0 && !indices))) return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar share(call, fraction, kDataType<R>);
  const Answer<int> answer(call, total);
  return call.enqueue_with_answer(cost_of<T>(count, 8), [=](Running& running) {
    const auto entries = m == 0 ? Entries{} : read_entries(running, a);
    std::vector<Size> found(at(m), -1);
    answer.set(running, color_rows(running, entries, share.get<double>(running), found));
    write_indices(running, colors, found, CUSPARSE_INDEX_32I, 0);
    if (!order) return;
    std::vector<Size> rows(at(m));
    std::iota(rows.begin(), rows.end(), Size{0});
    std::stable_sort(rows.begin(), rows.end(), [&](Size x, Size y) { return found[at(x)] < found[at(y)]; });
    write_indices(running, order, rows, CUSPARSE_INDEX_32I, 0);
  });
}

}  // namespace nvmlkit::cusparse::functions
