// Sums of two sparse matrices, and between matrices of entries and of blocks: counted first, then made.
#pragma once

#include "libraries/cusparse/functions/sparse_objects.hpp"
#include "libraries/cusparse/kernels.hpp"

namespace nvmlkit::cusparse::functions {

template <class T, class... Rest>
cusparseStatus_t csrgeam_size(const Call&, int m, int n, const T* alpha, const MatrixOptions* a, int count_a, const T*,
                              const int*, const int*, const T* beta, const MatrixOptions* b, int count_b, const T*,
                              const int*, const int*, const MatrixOptions* c, const T*, const int*, const int*,
                              std::size_t* size) {
  return tell_size(size, m >= 0 && n >= 0 && count_a >= 0 && count_b >= 0 && alpha && beta && is_object(a) &&
                             is_object(b) && is_object(c));
}

// How many entries of each row there are, and in all.
inline cusparseStatus_t csrgeam_count(const Call& call, int m, int n, const MatrixOptions* options_a, int count_a,
                                      const int* offsets_a, const int* indices_a, const MatrixOptions* options_b,
                                      int count_b, const int* offsets_b, const int* indices_b,
                                      const MatrixOptions* options_c, int* offsets_c, int* total, void*) {
  if (m < 0 || n < 0 || count_a < 0 || count_b < 0 || !is_object(options_a) || !is_object(options_b) ||
      !is_object(options_c) || !offsets_a || !offsets_b || !offsets_c || !total)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr<float>(options_a, m, n, count_a, nullptr, offsets_a, indices_a),
             b = typed_csr<float>(options_b, m, n, count_b, nullptr, offsets_b, indices_b);
  const Answer<int> answer(call, total);
  const auto work = [=, base = static_cast<Size>(options_c->base)](Running& running) {
    const auto ones = [&](const SparseMatrix& from) {
      return Sparse<float>{read_entries(running, from), std::vector<float>(at(from.count), 1)};
    };
    const auto made = sum(ones(a), ones(b), 1.0f, 1.0f);
    write_indices(running, offsets_c, made.begins, CUSPARSE_INDEX_32I, base);
    answer.set(running, static_cast<int>(made.columns.size()));
  };
  return call.enqueue_with_answer(cost_of<float>(count_a + count_b, 1), work);
}

// c = alpha a + beta b; the offsets of c were counted before.
template <class T>
cusparseStatus_t csrgeam(const Call& call, int m, int n, const T* alpha, const MatrixOptions* options_a, int count_a,
                         const T* values_a, const int* offsets_a, const int* indices_a, const T* beta,
                         const MatrixOptions* options_b, int count_b, const T* values_b, const int* offsets_b,
                         const int* indices_b, const MatrixOptions* options_c, T* values_c, int* offsets_c,
                         int* indices_c, void*) {
  if (m < 0 || n < 0 || count_a < 0 || count_b < 0 || !is_object(options_a) || !is_object(options_b) ||
      !is_object(options_c) || !alpha || !beta || !offsets_c)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr(options_a, m, n, count_a, values_a, offsets_a, indices_a),
             b = typed_csr(options_b, m, n, count_b, values_b, offsets_b, indices_b);
  if (!has_arrays(a) || !has_arrays(b) || (count_a + count_b > 0 && (!values_c || !indices_c)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar by_a(call, alpha, kDataType<T>), by_b(call, beta, kDataType<T>);
  const auto work = [=, base = static_cast<Size>(options_c->base)](Running& running) {
    const auto made =
        sum(read_sparse<T>(running, a), read_sparse<T>(running, b), by_a.get<T>(running), by_b.get<T>(running));
    write_indices(running, offsets_c, made.begins, CUSPARSE_INDEX_32I, base);
    write_indices(running, indices_c, made.columns, CUSPARSE_INDEX_32I, base);
    write_numbers(running, values_c, made.values, kDataType<T>);
  };
  return call.enqueue(cost_of<T>(count_a + count_b, 1), work);
}

// Numbers that are not 0, by rows or by columns, and in all.
template <class T>
cusparseStatus_t count_numbers(const Call& call, cusparseDirection_t direction, int m, int n,
                               const MatrixOptions* options, const T* values, int lda, int* by_line, int* total) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || direction > CUSPARSE_DIRECTION_COLUMN || !is_object(options) ||
      !total || ((m > 0 && n > 0) && (!values || !by_line)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  DenseMatrix dense;
  dense.rows = m;
  dense.columns = n;
  dense.leading = lda;
  dense.values = const_cast<T*>(values);
  dense.type = kDataType<T>;
  const Answer<int> answer(call, total);
  const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
  const auto work = [=](Running& running) {
    const auto lines =
        read_dense<T>(running, dense, 0, by_rows ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE);
    std::vector<Size> counts(at(lines.rows));
    for (Size i = 0; i < lines.rows; ++i)
      counts[at(i)] = lines.columns - std::count(lines.row(i), lines.row(i) + lines.columns, T{});
    Size all = 0;
    for (const Size count : counts) all += count;
    write_indices(running, by_line, counts, CUSPARSE_INDEX_32I, 0);
    answer.set(running, static_cast<int>(all));
  };
  return call.enqueue_with_answer(cost_of<T>(m, n), work);
}

// The entries of a matrix as blocks: those that hold one at least.
struct Blocks {
  std::vector<Size> begins{0}, columns;

  Blocks(const Entries& entries, Size height, Size width) {
    for (Size row = 0; row < entries.rows; row += height) {
      std::vector<Size> here;
      for (Size k = entries.begin(row); k < entries.end(std::min(row + height, entries.rows) - 1); ++k)
        here.push_back(entries.column(k) / width);
      std::sort(here.begin(), here.end());
      columns.insert(columns.end(), here.begin(), std::unique(here.begin(), here.end()));
      begins.push_back(static_cast<Size>(columns.size()));
    }
  }
};

inline bool is_right_for_blocks(cusparseDirection_t direction, int m, int n, const MatrixOptions* from,
                                const MatrixOptions* to, int height, int width) {
  return direction <= CUSPARSE_DIRECTION_COLUMN && m >= 0 && n >= 0 && is_object(from) && is_object(to) && height > 0 &&
         width > 0;
}

// The matrix of functions that do not say how many entries it has: the end of its last row.
template <class T>
SparseMatrix counted(Running& running, SparseMatrix m, const T*) {
  const auto offsets = read_indices(running, m.offsets, m.rows + 1, CUSPARSE_INDEX_32I, static_cast<Size>(m.base));
  m.count = offsets.back();
  return m;
}

inline cusparseStatus_t csr2gebsr_count(const Call& call, cusparseDirection_t direction, int m, int n,
                                        const MatrixOptions* from, const int* offsets, const int* indices,
                                        const MatrixOptions* to, int* out, int height, int width, int* total, void*) {
  if (!is_right_for_blocks(direction, m, n, from, to, height, width) || !offsets || !out || !total)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr<float>(from, m, n, 0, nullptr, offsets, indices);
  const Answer<int> answer(call, total);
  return call.enqueue_with_answer(cost_of<float>(m, 1), [=, base = static_cast<Size>(to->base)](Running& running) {
    const Blocks blocks(read_entries(running, counted<float>(running, a, nullptr)), height, width);
    write_indices(running, out, blocks.begins, CUSPARSE_INDEX_32I, base);
    answer.set(running, static_cast<int>(blocks.columns.size()));
  });
}
inline cusparseStatus_t csr2bsr_count(const Call& call, cusparseDirection_t direction, int m, int n,
                                      const MatrixOptions* from, const int* offsets, const int* indices, int block,
                                      const MatrixOptions* to, int* out, int* total) {
  return csr2gebsr_count(call, direction, m, n, from, offsets, indices, to, out, block, block, total, nullptr);
}

template <class T>
cusparseStatus_t csr2gebsr_size(const Call&, cusparseDirection_t direction, int m, int n, const MatrixOptions* from,
                                const T*, const int*, const int*, int height, int width, int* size) {
  return tell_size(size, is_right_for_blocks(direction, m, n, from, from, height, width));
}
template <class T>
void write_blocks(Running& running, const Sparse<T>& matrix, cusparseDirection_t direction, Size height, Size width,
                  Size base, T* out, int* out_offsets, int* out_indices) {
  const auto& entries = matrix.entries;
  const Blocks blocks(entries, height, width);
  std::vector<T> numbers(blocks.columns.size() * at(height * width));
  for (Size i = 0; i < entries.rows; ++i)
    for (Size k = entries.begin(i); k < entries.end(i); ++k) {
      const auto first = blocks.columns.begin() + blocks.begins[at(i / height)];
      const auto last = blocks.columns.begin() + blocks.begins[at(i / height) + 1];
      const Size place = std::lower_bound(first, last, entries.column(k) / width) - blocks.columns.begin();
      const Size r = i % height, c = entries.column(k) % width;
      const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
      numbers[at(place * height * width + (by_rows ? r * width + c : c * height + r))] += matrix.value(k);
    }
  write_indices(running, out_offsets, blocks.begins, CUSPARSE_INDEX_32I, base);
  write_indices(running, out_indices, blocks.columns, CUSPARSE_INDEX_32I, base);
  write_numbers(running, out, numbers, kDataType<T>);
}
template <class T>
cusparseStatus_t csr2gebsr(const Call& call, cusparseDirection_t direction, int m, int n, const MatrixOptions* from,
                           const T* values, const int* offsets, const int* indices, const MatrixOptions* to, T* out,
                           int* out_offsets, int* out_indices, int height, int width, void*) {
  if (!is_right_for_blocks(direction, m, n, from, to, height, width) || !offsets || !out_offsets)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr(from, m, n, 0, values, offsets, indices);
  return call.enqueue(cost_of<T>(m, 1), [=, base = static_cast<Size>(to->base)](Running& running) {
    write_blocks(running, read_sparse<T>(running, counted(running, a, values)), direction, height, width, base, out,
                 out_offsets, out_indices);
  });
}
template <class T>
cusparseStatus_t csr2bsr(const Call& call, cusparseDirection_t direction, int m, int n, const MatrixOptions* from,
                         const T* values, const int* offsets, const int* indices, int block, const MatrixOptions* to,
                         T* out, int* out_offsets, int* out_indices) {
  return csr2gebsr(call, direction, m, n, from, values, offsets, indices, to, out, out_offsets, out_indices, block,
                   block, nullptr);
}

// All numbers of the blocks, also those that are 0.
template <class T>
cusparseStatus_t gebsr2csr(const Call& call, cusparseDirection_t direction, int rows, int columns,
                           const MatrixOptions* from, const T* values, const int* offsets, const int* indices,
                           int height, int width, const MatrixOptions* to, T* out, int* out_offsets, int* out_indices) {
  if (!is_right_for_blocks(direction, rows, columns, from, to, height, width) || !offsets || !out_offsets)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_bsr(from, direction, rows, columns, 0, values, offsets, indices, height, width);
  return call.enqueue(cost_of<T>(rows, 1), [=, base = static_cast<Size>(to->base)](Running& running) {
    const auto matrix = read_sparse<T>(running, counted(running, a, values));
    std::vector<T> numbers;
    for (Size k = 0; k < matrix.entries.count(); ++k) numbers.push_back(matrix.value(k));
    write_indices(running, out_offsets, matrix.entries.begins, CUSPARSE_INDEX_32I, base);
    write_indices(running, out_indices, matrix.entries.columns_of, CUSPARSE_INDEX_32I, base);
    write_numbers(running, out, numbers, kDataType<T>);
  });
}
template <class T>
cusparseStatus_t bsr2csr(const Call& call, cusparseDirection_t direction, int rows, int columns,
                         const MatrixOptions* from, const T* values, const int* offsets, const int* indices, int block,
                         const MatrixOptions* to, T* out, int* out_offsets, int* out_indices) {
  return gebsr2csr(call, direction, rows, columns, from, values, offsets, indices, block, block, to, out, out_offsets,
                   out_indices);
}

// Numbers above a tolerance: of a complex one, the real part counts.
template <class T>
bool is_above(T x, T tolerance) {
  return std::abs(x) > std::real(tolerance);
}

// How many of each row there are, and in all.
template <class T>
cusparseStatus_t count_compressed(const Call& call, int m, const MatrixOptions* options, const T* values,
                                  const int* offsets, int* by_row, int* total, T tolerance) {
  if (m < 0 || !is_object(options) || !offsets || !by_row || !total || !(std::real(tolerance) >= 0))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Answer<int> answer(call, total);
  return call.enqueue_with_answer(cost_of<T>(m, 1), [=, base = static_cast<Size>(options->base)](Running& running) {
    const auto begins = read_indices(running, offsets, m + 1, CUSPARSE_INDEX_32I, base);
    need(begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()));
    const auto numbers = read_numbers<T>(running, values, begins.back(), kDataType<T>);
    std::vector<Size> counts(at(m));
    int all = 0;
    for (Size i = 0; i < m; ++i)
      for (Size k = begins[at(i)]; k < begins[at(i) + 1]; ++k)
        if (is_above(numbers[at(k)], tolerance)) ++counts[at(i)], ++all;
    write_indices(running, by_row, counts, CUSPARSE_INDEX_32I, 0);
    answer.set(running, all);
  });
}

// The same matrix without the other numbers. The order of the arrays is that of the header.
template <class T>
cusparseStatus_t compress(const Call& call, int m, int n, const MatrixOptions* options, const T* values,
                          const int* indices, const int* offsets, int count, const int*, T* out, int* out_indices,
                          int* out_offsets, T tolerance) {
  if (m < 0 || n < 0 || count < 0 || !is_object(options) || !out_offsets || !(std::real(tolerance) >= 0))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const auto a = typed_csr(options, m, n, count, values, offsets, indices);
  if (!has_arrays(a)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<T>(count, 1), [=](Running& running) {
    const auto from = read_sparse<T>(running, a);
    Rows<T> to;
    for (Size i = 0; i < m; ++i) {
      for (Size k = from.entries.begin(i); k < from.entries.end(i); ++k)
        if (is_above(from.value(k), tolerance)) {
          to.columns.push_back(from.entries.column(k));
          to.values.push_back(from.value(k));
        }
      to.begins.push_back(static_cast<Size>(to.columns.size()));
    }
    write_indices(running, out_offsets, to.begins, CUSPARSE_INDEX_32I, static_cast<Size>(a.base));
    write_indices(running, out_indices, to.columns, CUSPARSE_INDEX_32I, static_cast<Size>(a.base));
    write_numbers(running, out, to.values, kDataType<T>);
  });
}

}  // namespace nvmlkit::cusparse::functions
