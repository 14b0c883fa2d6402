// Dense matrices in memory of the host, row by row, and the data types of a call as templates.
#pragma once

#include "libraries/cusparse/entries.hpp"

namespace nvmlkit::cusparse {

template <class T>
struct Dense {
  Size rows = 0, columns = 0;
  std::vector<T> numbers;

  Dense(Size m, Size n) : rows(m), columns(n), numbers(at(m * n)) {}
  T* row(Size i) { return numbers.data() + i * columns; }
  const T* row(Size i) const { return numbers.data() + i * columns; }
};

// How a matrix lies in memory: lines of `length` elements, `leading` apart.
struct Lines {
  Size count, length, leading;

  explicit Lines(const DenseMatrix& m)
      : count(m.order == CUSPARSE_ORDER_ROW ? m.rows : m.columns),
        length(m.order == CUSPARSE_ORDER_ROW ? m.columns : m.rows),
        leading(m.leading) {}
  Size span() const { return count > 0 && length > 0 ? (count - 1) * leading + length : 0; }
};

// op(matrix)
template <class T>
Dense<T> read_dense(Running& running, const DenseMatrix& m, Size batch = 0,
                    cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE) {
  const Lines lines(m);
  const auto type = type_of(m.type);
  const auto size = blas::size_of(type);
  const bool is_turned = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
  Dense<T> out(is_turned ? m.columns : m.rows, is_turned ? m.rows : m.columns);
  const void* const from =
      running.read(advanced(static_cast<const void*>(m.values), batch * m.stride, size), lines.span(), size);
  const bool is_line_row = (m.order == CUSPARSE_ORDER_ROW) != is_turned;
  std::vector<T> line(at(lines.length));
  for (Size k = 0; k < lines.count && lines.length > 0; ++k) {
    T* const to = is_line_row ? out.row(k) : line.data();
    blas::load(type, advanced(from, k * lines.leading, size), lines.length, to);
    for (Size j = 0; !is_line_row && j < lines.length; ++j) out.row(j)[k] = to[j];
  }
  if (operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    for (T& x : out.numbers) x = conjugated(x);
  return out;
}

template <class T>
void write_dense(Running& running, const DenseMatrix& m, const Dense<T>& from, Size batch = 0) {
  const Lines lines(m);
  const auto type = type_of(m.type);
  const auto size = blas::size_of(type);
  void* const to = running.write(advanced(m.values, batch * m.stride, size), lines.span(), size);
  std::vector<T> line(at(lines.length));
  for (Size k = 0; k < lines.count && lines.length > 0; ++k) {
    const T* row = from.row(m.order == CUSPARSE_ORDER_ROW ? k : 0);
    if (m.order == CUSPARSE_ORDER_COL) {
      for (Size j = 0; j < lines.length; ++j) line[at(j)] = from.row(j)[k];
      row = line.data();
    }
    blas::store(type, row, lines.length, advanced(to, k * lines.leading, size));
  }
}

// A vector as a matrix of one column.
inline DenseMatrix column_of(const DenseVector& v) {
  DenseMatrix out;
  out.rows = out.leading = v.size;
  out.columns = 1;
  out.values = v.values;
  out.type = v.type;
  return out;
}

// work(T{}) of the type that a call computes with: sums of integers are exact in double.
template <class Work>
cusparseStatus_t for_compute(const Call& call, cudaDataType type, Work work) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_R_32F:
      return work(float{});
    case CUDA_R_64F:
    case CUDA_R_32I:
      return work(double{});
    case CUDA_C_16F:
    case CUDA_C_16BF:
    case CUDA_C_32F:
      return work(Complex{});
    case CUDA_C_64F:
      return work(DoubleComplex{});
    default:
      return call.unsupported("of this compute type");
  }
}

// Whether numbers of a type can be numbers of a call that computes with another: not complex ones with real ones.
inline bool is_stored_for(cudaDataType type, cudaDataType compute) {
  return blas::size_of(type_of(type)) > 0 && (!blas::is_complex(type_of(type)) || blas::is_complex(type_of(compute)));
}

template <class T>
inline constexpr cudaDataType kDataType = static_cast<cudaDataType>(blas::kTypeOf<T>);

inline bool is_operation(cusparseOperation_t op) { return op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE; }
inline bool is_turned(cusparseOperation_t op) { return op != CUSPARSE_OPERATION_NON_TRANSPOSE; }

template <class T>
Cost cost_of(Size entries, Size wide) {
  const auto n = static_cast<double>(entries) * static_cast<double>(wide);
  return {
      .operations = (std::is_floating_point_v<T> ? 2 : 8) * n,
      .bytes = static_cast<double>(entries) * static_cast<double>(sizeof(T) + 8) + n * static_cast<double>(sizeof(T))};
}

// Buffers are not used. Programs get a size that they can allocate.
inline constexpr int kBuffer = 16;
template <class Number>
cusparseStatus_t tell_size(Number* out, bool is_right = true) {
  if (!is_right || !out) return CUSPARSE_STATUS_INVALID_VALUE;
  *out = kBuffer;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace nvmlkit::cusparse
