// Descriptions of dense matrices and vectors, and of sparse vectors. `Void` is void, or const void. Pointers to memory
// of the device may be null: programs set them later, or ask for sizes of buffers only.
#pragma once

#include "libraries/cusparse/call.hpp"
#include "libraries/cusparse/functions/objects.hpp"

namespace nvmlkit::cusparse::functions {

inline bool is_index(cusparseIndexType_t type) { return type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I; }
inline bool is_base(cusparseIndexBase_t base) { return base <= CUSPARSE_INDEX_BASE_ONE; }
inline bool is_number(cudaDataType type) {
  return blas::size_of(type_of(type)) > 0 && type != CUDA_R_8U && type != CUDA_R_8F_E4M3 && type != CUDA_R_8F_E5M2;
}
// Of batches: 0 is the same memory for all.
inline bool is_stride(Size stride, Size least) { return stride == 0 || stride >= least; }
inline bool is_order(cusparseOrder_t order) { return order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW; }

template <class Object>
cusparseStatus_t put_object(Object** out, const Object& object, bool is_right) {
  if (!out || !is_right) return CUSPARSE_STATUS_INVALID_VALUE;
  *out = new std::remove_const_t<Object>(object);
  return CUSPARSE_STATUS_SUCCESS;
}
// Answers that a program wants all of.
template <class... Pointers>
bool are_there(Pointers... pointers) {
  return (... && (pointers != nullptr));
}

template <class Vector, class Void>
cusparseStatus_t create_dense_vector(Vector** out, Size size, Void* values, cudaDataType type) {
  DenseVector made;
  made.size = size;
  made.values = const_cast<void*>(values);
  made.type = type;
  return put_object<Vector>(out, made, size >= 0 && is_number(type));
}
inline cusparseStatus_t destroy_dense_vector(const DenseVector* vector) { return destroy_object(vector); }
template <class Vector, class Void>
cusparseStatus_t get_dense_vector(Vector* vector, Size* size, Void** values, cudaDataType* type) {
  if (!is_object(vector) || !are_there(size, values, type)) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = vector->size;
  *values = vector->values;
  *type = vector->type;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Matrix, class Void>
cusparseStatus_t create_dense_matrix(Matrix** out, Size rows, Size columns, Size leading, Void* values,
                                     cudaDataType type, cusparseOrder_t order) {
  DenseMatrix made;
  made.rows = rows;
  made.columns = columns;
  made.leading = leading;
  made.values = const_cast<void*>(values);
  made.type = type;
  made.order = order;
  const bool is_right = rows >= 0 && columns >= 0 && is_order(order) && is_number(type) &&
                        leading >= (order == CUSPARSE_ORDER_ROW ? columns : rows);
  return put_object<Matrix>(out, made, is_right);
}
inline cusparseStatus_t destroy_dense_matrix(const DenseMatrix* matrix) { return destroy_object(matrix); }
template <class Matrix, class Void>
cusparseStatus_t get_dense_matrix(Matrix* matrix, Size* rows, Size* columns, Size* leading, Void** values,
                                  cudaDataType* type, cusparseOrder_t* order) {
  if (!is_object(matrix) || !are_there(rows, columns, leading, values, type, order))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = matrix->rows;
  *columns = matrix->columns;
  *leading = matrix->leading;
  *values = matrix->values;
  *type = matrix->type;
  *order = matrix->order;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t set_dense_batch(DenseMatrix* matrix, int batches, Size stride) {
  if (!is_object(matrix) || batches <= 0) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto lines = matrix->order == CUSPARSE_ORDER_ROW ? matrix->rows : matrix->columns;
  const bool overlaps = stride < 0 || (lines > 0 && stride / lines < matrix->leading);
  if (batches > 1 && stride != 0 && overlaps) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->batches = batches;
  matrix->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t get_dense_batch(const DenseMatrix* matrix, int* batches, Size* stride) {
  if (!is_object(matrix) || !are_there(batches, stride)) return CUSPARSE_STATUS_INVALID_VALUE;
  *batches = static_cast<int>(matrix->batches);
  *stride = matrix->stride;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Vector, class Void>
cusparseStatus_t create_sparse_vector(Vector** out, Size size, Size count, Void* indices, Void* values,
                                      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  SparseVector made;
  made.size = size;
  made.count = count;
  made.indices = const_cast<void*>(indices);
  made.values = const_cast<void*>(values);
  made.index_type = index_type;
  made.base = base;
  made.type = type;
  const bool is_right =
      size >= 0 && count >= 0 && count <= size && is_index(index_type) && is_base(base) && is_number(type);
  return put_object<Vector>(out, made, is_right);
}
inline cusparseStatus_t destroy_sparse_vector(const SparseVector* vector) { return destroy_object(vector); }
template <class Vector, class Void>
cusparseStatus_t get_sparse_vector(Vector* vector, Size* size, Size* count, Void** indices, Void** values,
                                   cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
  if (!is_object(vector) || !are_there(size, count, indices, values, index_type, base, type))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *size = vector->size;
  *count = vector->count;
  *indices = vector->indices;
  *values = vector->values;
  *index_type = vector->index_type;
  *base = vector->base;
  *type = vector->type;
  return CUSPARSE_STATUS_SUCCESS;
}

// Of all descriptions.
template <class Object, class Void>
cusparseStatus_t get_values(Object* object, Void** values) {
  if (!is_object(object) || !values) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = object->values;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Object>
cusparseStatus_t set_values(Object* object, void* values) {
  if (!is_object(object)) return CUSPARSE_STATUS_INVALID_VALUE;
  object->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Object>
cusparseStatus_t get_index_base(const Object* object, cusparseIndexBase_t* base) {
  if (!is_object(object) || !base) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = object->base;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusparse::functions
