// Descriptions of sparse matrices. `Void` is void, or const void.
#pragma once

#include <cstring>

#include "libraries/cusparse/functions/dense_objects.hpp"

namespace nvmlkit::cusparse::functions {

template <class Void>
SparseMatrix sparse_matrix(cusparseFormat_t format, Size rows, Size columns, Size count, Void* offsets, Void* indices,
                           Void* values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                           cusparseIndexBase_t base, cudaDataType type) {
  SparseMatrix out;
  out.format = format;
  out.rows = rows;
  out.columns = columns;
  out.count = count;
  out.offsets = const_cast<void*>(static_cast<const void*>(offsets));
  out.indices = const_cast<void*>(static_cast<const void*>(indices));
  out.values = const_cast<void*>(static_cast<const void*>(values));
  out.offset_type = offset_type;
  out.index_type = index_type;
  out.base = base;
  out.type = type;
  return out;
}
inline bool is_matrix(const SparseMatrix& m) {
  return m.rows >= 0 && m.columns >= 0 && m.count >= 0 && is_index(m.offset_type) && is_index(m.index_type) &&
         is_base(m.base) && is_number(m.type);
}
// It has a place for each of its entries, or blocks.
inline bool has_places(const SparseMatrix& m) {
  return m.count == 0 || (m.columns > 0 && (m.count - 1) / m.columns < m.rows);
}
template <class Matrix>
cusparseStatus_t put_compressed(Matrix** out, const SparseMatrix& made, bool is_right = true) {
  if (!is_matrix(made) || !has_places(made) || !is_right) return CUSPARSE_STATUS_INVALID_VALUE;
  if (made.offset_type != made.index_type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return put_object<Matrix>(out, made, true);
}

template <class Matrix, class Void>
cusparseStatus_t create_csr(Matrix** out, Size rows, Size columns, Size count, Void* offsets, Void* indices,
                            Void* values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                            cusparseIndexBase_t base, cudaDataType type) {
  const auto made = sparse_matrix(CUSPARSE_FORMAT_CSR, rows, columns, count, offsets, indices, values, offset_type,
                                  index_type, base, type);
  return put_compressed(out, made);
}
template <class Matrix, class Void>
cusparseStatus_t create_csc(Matrix** out, Size rows, Size columns, Size count, Void* offsets, Void* indices,
                            Void* values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                            cusparseIndexBase_t base, cudaDataType type) {
  const auto made = sparse_matrix(CUSPARSE_FORMAT_CSC, rows, columns, count, offsets, indices, values, offset_type,
                                  index_type, base, type);
  return put_compressed(out, made);
}
template <class Matrix, class Void>
cusparseStatus_t create_coo(Matrix** out, Size rows, Size columns, Size count, Void* row_indices, Void* indices,
                            Void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  const auto made = sparse_matrix(CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, indices, values, index_type,
                                  index_type, base, type);
  return put_compressed(out, made);
}
template <class Matrix, class Void>
cusparseStatus_t create_bsr(Matrix** out, Size rows, Size columns, Size count, Size block_rows, Size block_columns,
                            Void* offsets, Void* indices, Void* values, cusparseIndexType_t offset_type,
                            cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type,
                            cusparseOrder_t order) {
  auto made = sparse_matrix(CUSPARSE_FORMAT_BSR, rows, columns, count, offsets, indices, values, offset_type,
                            index_type, base, type);
  made.block_rows = block_rows;
  made.block_columns = block_columns;
  made.block_order = order;
  return put_compressed(out, made, block_rows > 0 && block_columns == block_rows && is_order(order));
}
template <class Matrix, class Void>
cusparseStatus_t create_blocked_ell(Matrix** out, Size rows, Size columns, Size block, Size ell_columns, Void* indices,
                                    Void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                    cudaDataType type) {
  auto made = sparse_matrix<Void>(CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, 0, nullptr, indices, values, index_type,
                                  index_type, base, type);
  if (block <= 0 || ell_columns < 0 || ell_columns % block != 0 || rows % block != 0)
    return CUSPARSE_STATUS_INVALID_VALUE;
  made.block_rows = made.block_columns = block;
  made.ell_columns = ell_columns;
  made.count = rows * ell_columns;
  return put_object<Matrix>(out, made, is_matrix(made));
}
template <class Matrix, class Void>
cusparseStatus_t create_sliced_ell(Matrix** out, Size rows, Size columns, Size count, Size slice_size, Size slice_rows,
                                   Void* offsets, Void* indices, Void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  auto made = sparse_matrix(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, columns, count, offsets, indices, values, offset_type,
                            index_type, base, type);
  made.slice_size = slice_size;
  made.slice_rows = slice_rows;
  return put_object<Matrix>(out, made, is_matrix(made) && slice_rows >= 0 && slice_size >= count);
}
inline cusparseStatus_t destroy_sparse_matrix(const SparseMatrix* matrix) { return destroy_object(matrix); }

template <class Matrix>
bool is_of(Matrix* matrix, cusparseFormat_t format) {
  return is_object(matrix) && matrix->format == format;
}

template <class Matrix, class Void>
cusparseStatus_t get_compressed(Matrix* m, cusparseFormat_t format, Size* rows, Size* columns, Size* count,
                                Void** offsets, Void** indices, Void** values, cusparseIndexType_t* offset_type,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
  if (!is_of(m, format) ||
      !are_there(rows, columns, count, offsets, indices, values, offset_type, index_type, base, type))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = m->rows;
  *columns = m->columns;
  *count = m->count;
  *offsets = m->offsets;
  *indices = m->indices;
  *values = m->values;
  *offset_type = m->offset_type;
  *index_type = m->index_type;
  *base = m->base;
  *type = m->type;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Matrix, class... Rest>
cusparseStatus_t get_csr(Matrix* matrix, Rest... rest) {
  return get_compressed(matrix, CUSPARSE_FORMAT_CSR, rest...);
}
template <class Matrix, class... Rest>
cusparseStatus_t get_csc(Matrix* matrix, Rest... rest) {
  return get_compressed(matrix, CUSPARSE_FORMAT_CSC, rest...);
}
template <class Matrix, class Void>
cusparseStatus_t get_coo(Matrix* matrix, Size* rows, Size* columns, Size* count, Void** row_indices, Void** indices,
                         Void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                         cudaDataType* type) {
  return get_compressed(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, indices, values, index_type,
                        index_type, base, type);
}
template <class Matrix, class Void>
cusparseStatus_t get_blocked_ell(Matrix* m, Size* rows, Size* columns, Size* block, Size* ell_columns, Void** indices,
                                 Void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                 cudaDataType* type) {
  if (!is_of(m, CUSPARSE_FORMAT_BLOCKED_ELL) ||
      !are_there(rows, columns, block, ell_columns, indices, values, index_type, base, type))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = m->rows;
  *columns = m->columns;
  *block = m->block_rows;
  *ell_columns = m->ell_columns;
  *indices = m->indices;
  *values = m->values;
  *index_type = m->index_type;
  *base = m->base;
  *type = m->type;
  return CUSPARSE_STATUS_SUCCESS;
}

inline cusparseStatus_t set_pointers(SparseMatrix* m, cusparseFormat_t format, void* offsets, void* indices,
                                     void* values) {
  if (!is_of(m, format)) return CUSPARSE_STATUS_INVALID_VALUE;
  m->offsets = offsets;
  m->indices = indices;
  m->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t set_csr(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}
inline cusparseStatus_t set_csc(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}
inline cusparseStatus_t set_coo(SparseMatrix* m, void* rows, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_COO, rows, indices, values);
}

inline cusparseStatus_t set_batch(SparseMatrix* m, int batches, Size offsets, Size indices, Size values) {
  const auto least_offsets = m->format == CUSPARSE_FORMAT_COO ? m->count : m->rows + 1;
  if (batches <= 0 || !is_stride(offsets, least_offsets) || !is_stride(indices, m->count) ||
      !is_stride(values, m->stored()))
    return CUSPARSE_STATUS_INVALID_VALUE;
  m->batches = batches;
  m->offset_stride = offsets;
  m->index_stride = indices;
  m->value_stride = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t set_csr_batch(SparseMatrix* m, int batches, Size offsets, Size entries) {
  if (!is_of(m, CUSPARSE_FORMAT_CSR) && !is_of(m, CUSPARSE_FORMAT_CSC)) return CUSPARSE_STATUS_INVALID_VALUE;
  return set_batch(m, batches, offsets, entries, entries);
}
inline cusparseStatus_t set_coo_batch(SparseMatrix* m, int batches, Size stride) {
  if (!is_of(m, CUSPARSE_FORMAT_COO)) return CUSPARSE_STATUS_INVALID_VALUE;
  return set_batch(m, batches, stride, stride, stride);
}
inline cusparseStatus_t set_bsr_batch(SparseMatrix* m, int batches, Size offsets, Size indices, Size values) {
  if (!is_of(m, CUSPARSE_FORMAT_BSR)) return CUSPARSE_STATUS_INVALID_VALUE;
  return set_batch(m, batches, offsets, indices, values);
}
inline cusparseStatus_t get_batch(const SparseMatrix* m, int* batches) {
  return is_object(m) ? answer(batches, static_cast<int>(m->batches)) : CUSPARSE_STATUS_INVALID_VALUE;
}
inline cusparseStatus_t get_format(const SparseMatrix* m, cusparseFormat_t* format) {
  return is_object(m) ? answer(format, m->format) : CUSPARSE_STATUS_INVALID_VALUE;
}
inline cusparseStatus_t get_size(const SparseMatrix* m, Size* rows, Size* columns, Size* count) {
  if (!is_object(m) || !are_there(rows, columns, count)) return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = m->rows;
  *columns = m->columns;
  *count = m->count;
  return CUSPARSE_STATUS_SUCCESS;
}

// Both attributes are enums.
inline cusparseStatus_t set_attribute(SparseMatrix* m, cusparseSpMatAttribute_t attribute, void* data,
                                      std::size_t size) {
  std::uint32_t value = 0;
  if (!is_object(m) || !data || size != sizeof value) return CUSPARSE_STATUS_INVALID_VALUE;
  std::memcpy(&value, data, size);
  if (attribute > CUSPARSE_SPMAT_DIAG_TYPE) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    m->fill = static_cast<cusparseFillMode_t>(value);
  else
    m->diagonal = static_cast<cusparseDiagType_t>(value);
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t get_attribute(const SparseMatrix* m, cusparseSpMatAttribute_t attribute, void* data,
                                      std::size_t size) {
  if (!is_object(m) || !data || size != sizeof(std::uint32_t) || attribute > CUSPARSE_SPMAT_DIAG_TYPE)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const std::uint32_t value = attribute == CUSPARSE_SPMAT_FILL_MODE ? static_cast<std::uint32_t>(m->fill)
                                                                    : static_cast<std::uint32_t>(m->diagonal);
  std::memcpy(data, &value, size);
  return CUSPARSE_STATUS_SUCCESS;
}

// A matrix as functions with typed arguments hand it over.
template <class T>
SparseMatrix typed_csr(const MatrixOptions* options, Size rows, Size columns, Size count, const T* values,
                       const int* offsets, const int* indices) {
  auto out =
      sparse_matrix<const void>(CUSPARSE_FORMAT_CSR, rows, columns, count, offsets, indices, values, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, options->base, static_cast<cudaDataType>(blas::kTypeOf<T>));
  out.fill = options->fill;
  out.diagonal = options->diagonal;
  return out;
}
template <class T>
SparseMatrix typed_bsr(const MatrixOptions* options, cusparseDirection_t direction, Size rows, Size columns, Size count,
                       const T* values, const int* offsets, const int* indices, Size block_rows, Size block_columns) {
  auto out = typed_csr(options, rows, columns, count, values, offsets, indices);
  out.format = CUSPARSE_FORMAT_BSR;
  out.block_rows = block_rows;
  out.block_columns = block_columns;
  out.block_order = direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
  return out;
}
inline bool is_block_matrix(const MatrixOptions* options, cusparseDirection_t direction, int rows, int columns,
                            int count, int block) {
  return is_object(options) && direction <= CUSPARSE_DIRECTION_COLUMN && rows >= 0 && columns >= 0 && count >= 0 &&
         block > 0;
}
// Its arrays are there.
inline bool has_arrays(const SparseMatrix& m) {
  return m.rows == 0 || (m.offsets && (m.count == 0 || (m.indices && m.values)));
}

}  // namespace nvmlkit::cusparse::functions
