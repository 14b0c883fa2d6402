// Blocks of any height and width: other blocks, the other direction, entries; products of some of the rows.
#pragma once

#include "libraries/cusparse/functions/blocks.hpp"
#include "libraries/cusparse/functions/sums.hpp"

namespace nvmlkit::cusparse::functions {

template <class T>
cusparseStatus_t gebsr2gebsc_size(const Call&, int rows, int columns, int count, const T*, const int*, const int*,
                                  int height, int width, int* size) {
  return tell_size(size, rows >= 0 && columns >= 0 && count >= 0 && height > 0 && width > 0);
}
// Each block stays as it is.
template <class T>
cusparseStatus_t gebsr2gebsc(const Call& call, int rows, int columns, int count, const T* values, const int* offsets,
                             const int* indices, int height, int width, T* out, int* out_indices, int* out_offsets,
                             cusparseAction_t action, cusparseIndexBase_t base, void*) {
  if (rows < 0 || columns < 0 || count < 0 || height <= 0 || width <= 0 || action > CUSPARSE_ACTION_NUMERIC ||
      base > CUSPARSE_INDEX_BASE_ONE || !offsets || !out_offsets)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool has_numbers = action == CUSPARSE_ACTION_NUMERIC;
  if (count > 0 && (!indices || !out_indices || (has_numbers && (!values || !out))))
    return CUSPARSE_STATUS_INVALID_VALUE;
  MatrixOptions options;
  options.base = base;
  const auto a = typed_csr<float>(&options, rows, columns, count, nullptr, offsets, indices);
  return call.enqueue(cost_of<T>(count, Size{height} * width), [=](Running& running) {
    const auto turned = transposed(read_entries(running, a));
    write_indices(running, out_offsets, turned.begins, CUSPARSE_INDEX_32I, static_cast<Size>(base));
    write_indices(running, out_indices, turned.columns_of, CUSPARSE_INDEX_32I, static_cast<Size>(base));
    if (!has_numbers) return;
    const Size block = Size{height} * width;
    const auto numbers = read_numbers<T>(running, values, count * block, kDataType<T>);
    std::vector<T> moved;
    for (Size k = 0; k < turned.count(); ++k) {
      const auto first = numbers.begin() + turned.place(k) * block;
      moved.insert(moved.end(), first, first + block);
    }
    write_numbers(running, out, moved, kDataType<T>);
  });
}

inline bool is_right_for_other_blocks(cusparseDirection_t direction, int rows, int columns, int count,
                                      const MatrixOptions* options, int height, int width, int to_height,
                                      int to_width) {
  return is_right_for_blocks(direction, rows, columns, options, options, height, width) && count >= 0 &&
         to_height > 0 && to_width > 0;
}
template <class T>
cusparseStatus_t gebsr2gebsr_size(const Call&, cusparseDirection_t direction, int rows, int columns, int count,
                                  const MatrixOptions* from, const T*, const int*, const int*, int height, int width,
                                  int to_height, int to_width, int* size) {
  return tell_size(
      size, is_right_for_other_blocks(direction, rows, columns, count, from, height, width, to_height, to_width));
}
inline cusparseStatus_t gebsr2gebsr_count(const Call& call, cusparseDirection_t direction, int rows, int columns,
                                          int count, const MatrixOptions* from, const int* offsets, const int* indices,
                                          int height, int width, const MatrixOptions* to, int* out, int to_height,
                                          int to_width, int* total, void*) {
  if (!is_right_for_other_blocks(direction, rows, columns, count, from, height, width, to_height, to_width) ||
      !is_object(to) || !offsets || (count > 0 && !indices) || !out || !total)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr<float>(from, direction, rows, columns, count, nullptr, offsets, indices, height, width);
  const Answer<int> answer(call, total);
  return call.enqueue_with_answer(cost_of<float>(a.stored(), 1),
                                  [=, base = static_cast<Size>(to->base)](Running& running) {
                                    const Blocks blocks(read_entries(running, a), to_height, to_width);
                                    write_indices(running, out, blocks.begins, CUSPARSE_INDEX_32I, base);
                                    answer.set(running, static_cast<int>(blocks.columns.size()));
                                  });
}
template <class T>
cusparseStatus_t gebsr2gebsr(const Call& call, cusparseDirection_t direction, int rows, int columns, int count,
                             const MatrixOptions* from, const T* values, const int* offsets, const int* indices,
                             int height, int width, const MatrixOptions* to, T* out, int* out_offsets, int* out_indices,
                             int to_height, int to_width, void*) {
  if (!is_right_for_other_blocks(direction, rows, columns, count, from, height, width, to_height, to_width) ||
      !is_object(to) || !offsets || !out_offsets || (count > 0 && (!indices || !values || !out || !out_indices)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr(from, direction, rows, columns, count, values, offsets, indices, height, width);
  return call.enqueue(cost_of<T>(a.stored(), 1), [=, base = static_cast<Size>(to->base)](Running& running) {
    write_blocks(running, read_sparse<T>(running, a), direction, to_height, to_width, base, out, out_offsets,
                 out_indices);
  });
}

// y = alpha a x + beta y in the rows of blocks that the mask names; each row has its own end.
template <class T>
cusparseStatus_t bsrxmv(const Call& call, cusparseDirection_t direction, cusparseOperation_t op, int masked, int rows,
                        int columns, int count, const T* alpha, const MatrixOptions* options, const T* values,
                        const int* mask, const int* begins, const int* ends, const int* indices, int block, const T* x,
                        const T* beta, T* y) {
  if (!is_block_matrix(options, direction, rows, columns, count, block) || !is_operation(op) || !alpha || !beta ||
      masked < 0 || masked > rows)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (is_turned(op)) return call.unsupported("of a transposed matrix");
  if (masked == 0) return CUSPARSE_STATUS_SUCCESS;
  if (!mask || !begins || !ends || !y || (count > 0 && (!values || !indices || !x)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar by_a(call, alpha, kDataType<T>), by_y(call, beta, kDataType<T>);
  const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
  return call.enqueue(
      cost_of<T>(count, Size{block} * block), [=, base = static_cast<Size>(options->base)](Running& running) {
        const auto read = [&](const int* from, Size size) {
          return read_indices(running, from, size, CUSPARSE_INDEX_32I, base);
        };
        const auto wanted = read(mask, masked), first = read(begins, rows), last = read(ends, rows),
                   places = read(indices, count);
        const Size wide = columns, high = block, area = high * high;
        const T *const numbers = running.read(values, count * area), *const from = running.read(x, wide * high);
        T* const to = running.write(y, rows * high);
        const T a = by_a.get<T>(running), b = by_y.get<T>(running);
        for (const Size row : wanted) {
          need(row >= 0 && row < rows && first[at(row)] >= 0 && last[at(row)] <= count);
          for (Size r = 0; r < high; ++r) {
            T sum{};
            for (Size k = first[at(row)]; k < last[at(row)]; ++k) {
              need(places[at(k)] >= 0 && places[at(k)] < wide);
              for (Size c = 0; c < high; ++c)
                sum += numbers[k * area + (by_rows ? r * high + c : c * high + r)] * from[places[at(k)] * high + c];
            }
            T& out = to[row * high + r];
            out = b == T{} ? a * sum : a * sum + b * out;
          }
        }
      });
}

}  // namespace nvmlkit::cusparse::functions
