#include "libraries/cusparse/functions/conversions.hpp"

#include <numeric>

namespace nvmlkit::cusparse::functions {
namespace {

bool are_of_one_shape(const SparseMatrix* a, const DenseMatrix* b) {
  return is_object(a) && is_object(b) && a->all_rows() == b->rows && a->all_columns() == b->columns;
}
constexpr auto k32 = CUSPARSE_INDEX_32I;

// The places of all numbers that are not 0, row by row.
Entries entries_of(Running& running, const DenseMatrix& m) {
  const auto dense = read_dense<DoubleComplex>(running, m);
  Entries out{m.rows, m.columns, {0}, {}, {}};
  for (Size i = 0; i < m.rows; ++i) {
    for (Size j = 0; j < m.columns; ++j)
      if (dense.row(i)[j] != DoubleComplex{}) {
        out.columns_of.push_back(j);
        out.places.push_back(i * m.columns + j);
      }
    out.begins.push_back(out.count());
  }
  return out;
}

// Whether the entries of a format follow from the numbers; those of the others are there before.
bool is_counted(cusparseFormat_t format) {
  return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC || format == CUSPARSE_FORMAT_COO;
}

void write_structure(Running& running, const SparseMatrix& m, const Entries& entries) {
  const auto base = static_cast<Size>(m.base);
  need(entries.count() <= m.count);
  write_indices(running, m.indices, entries.columns_of, m.index_type, base);
  if (m.format != CUSPARSE_FORMAT_COO) return write_indices(running, m.offsets, entries.begins, m.offset_type, base);
  std::vector<Size> rows;
  for (Size i = 0; i < entries.rows; ++i) rows.insert(rows.end(), at(entries.end(i) - entries.begin(i)), i);
  write_indices(running, m.offsets, rows, m.index_type, base);
}

void convert(Running& running, const DenseMatrix& from, const SparseMatrix& to) {
  const auto dense = read_dense<DoubleComplex>(running, from);
  if (!is_counted(to.format)) {
    auto out = read_sparse<DoubleComplex>(running, to);
    for (Size i = 0; i < out.entries.rows; ++i)
      for (Size k = out.entries.begin(i); k < out.entries.end(i); ++k)
        out.value(k) = dense.row(i)[out.entries.column(k)];
    return write_values(running, to, out.values);
  }
  auto entries = entries_of(running, from);
  if (to.format == CUSPARSE_FORMAT_CSC) entries = transposed(entries);
  write_structure(running, to, entries);
  std::vector<DoubleComplex> values;
  for (const Size place : entries.places) values.push_back(dense.numbers[at(place)]);
  write_numbers(running, to.values, values, to.type);
}

// Sorts by a key of each entry; what has the same key stays in order. p is taken along.
template <class Key>
void sort_entries(Size begin, Size end, std::vector<Size*> arrays, Key key) {
  std::vector<Size> order(at(end - begin));
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](Size x, Size y) { return key(x) < key(y); });
  std::vector<Size> sorted(order.size());
  for (Size* const array : arrays) {
    std::transform(order.begin(), order.end(), sorted.begin(), [&](Size k) { return array[k]; });
    std::copy(sorted.begin(), sorted.end(), array + begin);
  }
}

cusparseStatus_t coosort(const Call& call, int m, int n, int count, int* rows, int* columns, int* p, bool by_rows) {
  if (m < 0 || n < 0 || count < 0 || (count > 0 && (!rows || !columns))) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<int>(count, 1), [=](Running& running) {
    auto first = read_indices(running, by_rows ? rows : columns, count, k32, 0);
    auto second = read_indices(running, by_rows ? columns : rows, count, k32, 0);
    auto places = read_indices(running, p, p ? count : 0, k32, 0);
    std::vector<Size> key_first = first, key_second = second;
    std::vector<Size*> arrays{first.data(), second.data()};
    if (p) arrays.push_back(places.data());
    sort_entries(0, count, arrays, [&](Size k) { return std::pair(key_first[at(k)], key_second[at(k)]); });
    write_indices(running, by_rows ? rows : columns, first, k32, 0);
    write_indices(running, by_rows ? columns : rows, second, k32, 0);
    write_indices(running, p, places, k32, 0);
  });
}

cusparseStatus_t sort_compressed(const Call& call, int lines, int count, const MatrixOptions* options,
                                 const int* offsets, int* indices, int* p) {
  if (lines < 0 || count < 0 || !is_object(options) || !offsets || (count > 0 && !indices))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<int>(count, 1), [=, base = static_cast<Size>(options->base)](Running& running) {
    const auto begins = read_indices(running, offsets, lines + 1, k32, base);
    need(begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()) && begins.back() <= count);
    auto columns = read_indices(running, indices, count, k32, 0);
    auto places = read_indices(running, p, p ? count : 0, k32, 0);
    const auto keys = columns;
    std::vector<Size*> arrays{columns.data()};
    if (p) arrays.push_back(places.data());
    for (Size i = 0; i < lines; ++i)
      sort_entries(begins[at(i)], begins[at(i) + 1], arrays, [&](Size k) { return keys[at(k)]; });
    write_indices(running, indices, columns, k32, 0);
    write_indices(running, p, places, k32, 0);
  });
}

}  // namespace

cusparseStatus_t sparse_to_dense_size(const Call&, const SparseMatrix* a, DenseMatrix* b, cusparseSparseToDenseAlg_t,
                                      std::size_t* size) {
  return tell_size(size, are_of_one_shape(a, b));
}
cusparseStatus_t sparse_to_dense(const Call& call, const SparseMatrix* a, DenseMatrix* b, cusparseSparseToDenseAlg_t,
                                 void*) {
  if (!are_of_one_shape(a, b)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->type != b->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return call.enqueue(cost_of<float>(b->rows, b->columns), [a = *a, b = *b](Running& running) {
    const auto from = read_sparse<DoubleComplex>(running, a);
    Dense<DoubleComplex> to(b.rows, b.columns);
    for (Size i = 0; i < b.rows; ++i)
      for (Size k = from.entries.begin(i); k < from.entries.end(i); ++k)
        to.row(i)[from.entries.column(k)] = from.value(k);
    write_dense(running, b, to);
  });
}
cusparseStatus_t dense_to_sparse_size(const Call&, const DenseMatrix* a, SparseMatrix* b, cusparseDenseToSparseAlg_t,
                                      std::size_t* size) {
  return tell_size(size, are_of_one_shape(b, a));
}
// Done when the call returns: the program asks for the number of entries then.
cusparseStatus_t dense_to_sparse_analysis(const Call& call, const DenseMatrix* a, SparseMatrix* b,
                                          cusparseDenseToSparseAlg_t, void*) {
  if (!are_of_one_shape(b, a)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_counted(b->format)) return CUSPARSE_STATUS_SUCCESS;
  Size count = -1;
  const auto work = [a = *a, b = *b, &count](Running& running) {
    auto entries = entries_of(running, a);
    if (b.format == CUSPARSE_FORMAT_CSC) entries = transposed(entries);
    if (b.format != CUSPARSE_FORMAT_COO && b.offsets)
      write_indices(running, b.offsets, entries.begins, b.offset_type, static_cast<Size>(b.base));
    count = entries.count();
  };
  const auto status = call.enqueue_and_wait(cost_of<float>(a->rows, a->columns), work);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (count < 0) return CUSPARSE_STATUS_EXECUTION_FAILED;
  b->count = count;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t dense_to_sparse(const Call& call, const DenseMatrix* a, SparseMatrix* b, cusparseDenseToSparseAlg_t,
                                 void*) {
  if (!are_of_one_shape(b, a) || (b->count > 0 && (!b->indices || !b->values))) return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->type != b->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return call.enqueue(cost_of<float>(a->rows, a->columns),
                      [a = *a, b = *b](Running& running) { convert(running, a, b); });
}

cusparseStatus_t identity_permutation(const Call& call, int n, int* p) {
  if (n < 0 || (n > 0 && !p)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<int>(n, 1), [=](Running& running) {
    int* const out = running.write(p, n);
    std::iota(out, out + n, 0);
  });
}
cusparseStatus_t coo_to_csr(const Call& call, const int* rows, int count, int m, int* offsets,
                            cusparseIndexBase_t base) {
  if (count < 0 || m < 0 || (count > 0 && !rows) || !offsets || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<int>(count, 1), [=](Running& running) {
    std::vector<Size> begins(at(m) + 1);
    for (const Size row : read_indices(running, rows, count, k32, static_cast<Size>(base))) {
      need(row >= 0 && row < m);
      ++begins[at(row) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    write_indices(running, offsets, begins, k32, static_cast<Size>(base));
  });
}
cusparseStatus_t csr_to_coo(const Call& call, const int* offsets, int count, int m, int* rows,
                            cusparseIndexBase_t base) {
  if (count < 0 || m < 0 || (count > 0 && !rows) || !offsets || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<int>(count, 1), [=](Running& running) {
    const auto begins = read_indices(running, offsets, m + 1, k32, static_cast<Size>(base));
    need(begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()) && begins.back() == count);
    std::vector<Size> out;
    for (Size i = 0; i < m; ++i) out.insert(out.end(), at(begins[at(i) + 1] - begins[at(i)]), i);
    write_indices(running, rows, out, k32, static_cast<Size>(base));
  });
}

cusparseStatus_t coosort_size(const Call&, int m, int n, int count, const int*, const int*, std::size_t* size) {
  return tell_size(size, m >= 0 && n >= 0 && count >= 0);
}
cusparseStatus_t coosort_by_row(const Call& call, int m, int n, int count, int* rows, int* columns, int* p, void*) {
  return coosort(call, m, n, count, rows, columns, p, true);
}
cusparseStatus_t coosort_by_column(const Call& call, int m, int n, int count, int* rows, int* columns, int* p, void*) {
  return coosort(call, m, n, count, rows, columns, p, false);
}
cusparseStatus_t compressed_sort_size(const Call&, int m, int n, int count, const int*, const int*, std::size_t* size) {
  return tell_size(size, m >= 0 && n >= 0 && count >= 0);
}
cusparseStatus_t csrsort(const Call& call, int m, int, int count, const MatrixOptions* options, const int* offsets,
                         int* indices, int* p, void*) {
  return sort_compressed(call, m, count, options, offsets, indices, p);
}
cusparseStatus_t cscsort(const Call& call, int, int n, int count, const MatrixOptions* options, const int* offsets,
                         int* indices, int* p, void*) {
  return sort_compressed(call, n, count, options, offsets, indices, p);
}

cusparseStatus_t csr_to_csc_size(const Call&, int m, int n, int count, const void*, const int*, const int*, void*, int*,
                                 int*, cudaDataType type, cusparseAction_t, cusparseIndexBase_t base,
                                 cusparseCsr2CscAlg_t, std::size_t* size) {
  return tell_size(size, m >= 0 && n >= 0 && count >= 0 && is_number(type) && is_base(base));
}
cusparseStatus_t csr_to_csc(const Call& call, int m, int n, int count, const void* values, const int* offsets,
                            const int* columns, void* out_values, int* out_offsets, int* out_rows, cudaDataType type,
                            cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void*) {
  const bool with_values = action == CUSPARSE_ACTION_NUMERIC;
  if (m < 0 || n < 0 || count < 0 || !is_number(type) || !is_base(base) || !offsets || !out_offsets ||
      (count > 0 && (!columns || !out_rows || (with_values && (!values || !out_values)))))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return call.enqueue(cost_of<float>(count, 1), [=](Running& running) {
    const auto from =
        sparse_matrix<const void>(CUSPARSE_FORMAT_CSR, m, n, count, offsets, columns, values, k32, k32, base, type);
    const auto turned = transposed(read_entries(running, from));
    write_indices(running, out_offsets, turned.begins, k32, static_cast<Size>(base));
    write_indices(running, out_rows, turned.columns_of, k32, static_cast<Size>(base));
    if (!with_values) return;
    const auto size = blas::size_of(type_of(type));
    const auto* const in = static_cast<const char*>(running.read(values, count, size));
    auto* to = static_cast<char*>(running.write(out_values, count, size));
    for (const Size place : turned.places) to = std::copy_n(in + at(place) * size, size, to);
  });
}

}  // namespace nvmlkit::cusparse::functions
