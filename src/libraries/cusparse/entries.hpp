// Sparse matrices of all formats as one: their entries row by row, in memory of the host.
#pragma once

#include <stdexcept>

#include "libraries/cusparse/call.hpp"

namespace nvmlkit::cusparse {

// What a program wrote into memory of the device is checked where it is read: indices out of range fail the context.
inline void need(bool is_right) {
  if (!is_right) throw std::out_of_range("a sparse matrix");
}

inline std::size_t at(Size k) { return static_cast<std::size_t>(k); }

struct Entries {
  Size rows = 0, columns = 0;
  std::vector<Size> begins;  // of each row, and the end of the last
  std::vector<Size> columns_of;
  std::vector<Size> places;  // in the array of values

  Size count() const { return static_cast<Size>(columns_of.size()); }
  Size begin(Size row) const { return begins[at(row)]; }
  Size end(Size row) const { return begins[at(row) + 1]; }
  Size column(Size k) const { return columns_of[at(k)]; }
  Size place(Size k) const { return places[at(k)]; }
};

// Arrays of indices, from 0 whatever their base.
std::vector<Size> read_indices(Running& running, const void* from, Size count, cusparseIndexType_t type, Size base);
void write_indices(Running& running, void* to, const std::vector<Size>& from, cusparseIndexType_t type, Size base);

Entries read_entries(Running& running, const SparseMatrix& matrix, Size batch = 0);
Entries transposed(const Entries& entries);

// The address of an element of an array without a type.
inline const void* advanced(const void* data, Size elements, std::size_t size) {
  return static_cast<const char*>(data) + elements * static_cast<Size>(size);
}
inline void* advanced(void* data, Size elements, std::size_t size) {
  return static_cast<char*>(data) + elements * static_cast<Size>(size);
}
std::size_t size_of(cusparseIndexType_t type);

template <class T>
std::vector<T> read_numbers(Running& running, const void* from, Size count, cudaDataType type) {
  std::vector<T> out(at(std::max<Size>(count, 0)));
  const auto size = blas::size_of(type_of(type));
  if (count > 0) blas::load(type_of(type), running.read(from, count, size), count, out.data());
  return out;
}
template <class T>
void write_numbers(Running& running, void* to, const std::vector<T>& from, cudaDataType type) {
  const auto count = static_cast<Size>(from.size());
  const auto size = blas::size_of(type_of(type));
  if (count > 0) blas::store(type_of(type), from.data(), count, running.write(to, count, size));
}

template <class T>
T conjugated(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

// A matrix with its numbers: entry k has the number values[places[k]].
template <class T>
struct Sparse {
  Entries entries;
  std::vector<T> values;

  T value(Size k) const { return values[at(entries.place(k))]; }
  T& value(Size k) { return values[at(entries.place(k))]; }
};

template <class T>
Sparse<T> read_sparse(Running& running, const SparseMatrix& matrix, Size batch = 0,
                      cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE) {
  Sparse<T> out{read_entries(running, matrix, batch), {}};
  const auto size = blas::size_of(type_of(matrix.type));
  out.values = read_numbers<T>(running, advanced(matrix.values, batch * matrix.value_stride, size), matrix.stored(),
                               matrix.type);
  if (operation != CUSPARSE_OPERATION_NON_TRANSPOSE) out.entries = transposed(out.entries);
  if (operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    for (T& x : out.values) x = conjugated(x);
  return out;
}
template <class T>
void write_values(Running& running, const SparseMatrix& matrix, const std::vector<T>& values, Size batch = 0) {
  const auto size = blas::size_of(type_of(matrix.type));
  write_numbers(running, advanced(matrix.values, batch * matrix.value_stride, size), values, matrix.type);
}

}  // namespace nvmlkit::cusparse
