// The types of libcusparse in our own code: enums of the headers, numbers, what handles and descriptions stand for.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "libraries/blas/types.hpp"
#include "libraries/common/linked_kernel.hpp"
#include "libraries/common/matrix_options.hpp"
#include "libraries/cusparse/generated/types.hpp"

namespace nvmlkit::cusparse {

using blas::Complex;
using blas::DoubleComplex;
using blas::Half;
using libraries::CUstream;
using Size = std::int64_t;
using LogCallback = void (*)(int level, const char* function, const char* message);

// Each object begins with a mark of its kind: what a program hands over is checked.
struct Handle {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b737061;
  std::uint64_t mark = kMark;
  const libraries::Driver* driver = nullptr;
  CUstream stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

// What functions with typed arguments know of a matrix.
using MatrixOptions =
    libraries::MatrixOptionsOf<cusparseMatrixType_t, cusparseFillMode_t, cusparseDiagType_t, cusparseIndexBase_t>;

struct DenseVector {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b647665;
  std::uint64_t mark = kMark;
  Size size = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
};

struct DenseMatrix {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b646d61;
  std::uint64_t mark = kMark;
  Size rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
  cusparseOrder_t order = CUSPARSE_ORDER_COL;
  Size batches = 1, stride = 0;
};

struct SparseVector {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b737665;
  std::uint64_t mark = kMark;
  Size size = 0, count = 0;
  void* indices = nullptr;
  void* values = nullptr;
  cusparseIndexType_t index_type = CUSPARSE_INDEX_32I;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cudaDataType type = CUDA_R_32F;
};

// Of all formats.
struct SparseMatrix {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b736d61;
  std::uint64_t mark = kMark;
  cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
  Size rows = 0, columns = 0, count = 0;  // of blocks for BSR
  void* offsets = nullptr;                // COO: the indices of rows
  void* indices = nullptr;
  void* values = nullptr;
  cusparseIndexType_t offset_type = CUSPARSE_INDEX_32I, index_type = CUSPARSE_INDEX_32I;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cudaDataType type = CUDA_R_32F;
  Size block_rows = 1, block_columns = 1;  // BSR, blocked ELL
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
  Size ell_columns = 0;                 // blocked ELL
  Size slice_rows = 0, slice_size = 0;  // sliced ELL
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  Size batches = 1, offset_stride = 0, index_stride = 0, value_stride = 0;

  Size all_rows() const { return format == CUSPARSE_FORMAT_BSR ? rows * block_rows : rows; }
  Size all_columns() const { return format == CUSPARSE_FORMAT_BSR ? columns * block_columns : columns; }
  // Values in memory.
  Size stored() const {
    switch (format) {
      case CUSPARSE_FORMAT_BSR:
        return count * block_rows * block_columns;
      case CUSPARSE_FORMAT_BLOCKED_ELL:
        return rows * ell_columns;
      case CUSPARSE_FORMAT_SLICED_ELLPACK:
        return slice_size;
      default:
        return count;
    }
  }
};

// Numbers that a program puts in the place of those of an analyzed matrix, in the order of its stream.
struct NewNumbers {
  std::vector<DoubleComplex> all, diagonal;
};

// What an analysis leaves for triangular solves of the functions with data types as arguments.
struct Solver {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b736f6c;
  std::uint64_t mark = kMark;
  bool is_analyzed = false;
  SparseMatrix matrix;
  std::shared_ptr<NewNumbers> numbers = std::make_shared<NewNumbers>();
};

// The product of two sparse matrices, between its steps.
struct SparseProduct {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b70726f;
  std::uint64_t mark = kMark;
  bool is_computed = false;
  Size products = 0;
  std::vector<Size> begins, columns;
  std::vector<DoubleComplex> values;
};

// A product with functions of the program.
struct OperatorPlan {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b6f7065;
  std::uint64_t mark = kMark;
  Handle* handle = nullptr;
  SparseMatrix a;
  DenseMatrix b, c;
  cusparseOperation_t op_b = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::shared_ptr<const libraries::LinkedKernel> kernel;
};

// Of factors and triangular solves with typed arguments. Its work may end after the object that a program destroyed.
struct PivotInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b706976;
  std::uint64_t mark = kMark;
  std::shared_ptr<std::atomic<int>> zero =
      std::make_shared<std::atomic<int>>(-1);  // the first, with the base of the matrix
  bool is_boosted = false;
  double tolerance = 0;
  DoubleComplex boost = 0;
};

// What programs hand to functions that need nothing kept.
struct PruneInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b70726e;
  std::uint64_t mark = kMark;
};
struct ColorInfo {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b636f6c;
  std::uint64_t mark = kMark;
};
// Where the entries of sorted rows were. Its work may end after the object that a program destroyed.
struct RowOrder {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b6f7264;
  std::uint64_t mark = kMark;
  std::shared_ptr<std::vector<Size>> places = std::make_shared<std::vector<Size>>();
};

template <class Object>
bool is_object(const Object* object) {
  return object && reinterpret_cast<std::uintptr_t>(object) % alignof(Object) == 0 && object->mark == Object::kMark;
}

}  // namespace nvmlkit::cusparse
