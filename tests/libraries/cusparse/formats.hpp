// Sparse matrices of the device, made from the numbers of a test.
#pragma once

#include <numeric>

#include "library.hpp"

namespace nvmlkit::library_test {

struct Form {
  cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
  cusparseIndexType_t index_type = CUSPARSE_INDEX_32I;
  int base = 0, block_rows = 1, block_columns = 1;
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
};

// The arrays of a matrix, on the side of the test.
struct Arrays {
  std::vector<Size> offsets, indices;
  std::vector<Number> values;

  void add_line(const Numbers& a, int line, bool by_rows) {
    for (int k = 0; k < (by_rows ? a.columns : a.rows); ++k)
      if (const Number x = by_rows ? a(line, k) : a(k, line); x != Number()) {
        indices.push_back(k);
        values.push_back(x);
      }
    offsets.push_back(static_cast<Size>(indices.size()));
  }
};

inline Arrays compressed(const Numbers& a, bool by_rows) {
  Arrays out{{0}, {}, {}};
  for (int i = 0; i < (by_rows ? a.rows : a.columns); ++i) out.add_line(a, i, by_rows);
  return out;
}
inline Arrays coordinates(const Numbers& a) {
  Arrays out;
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j)
      if (a(i, j) != Number()) {
        out.offsets.push_back(i);
        out.indices.push_back(j);
        out.values.push_back(a(i, j));
      }
  return out;
}
// Those blocks in which the pattern has a number, with the numbers of another matrix.
inline Arrays blocks(const Numbers& pattern, const Numbers& numbers, const Form& form) {
  Arrays out{{0}, {}, {}};
  const int high = form.block_rows, wide = form.block_columns;
  const bool by_rows = form.block_order == CUSPARSE_ORDER_ROW;
  for (int i = 0; i < pattern.rows; i += high) {
    for (int j = 0; j < pattern.columns; j += wide) {
      std::vector<Number> block;
      bool is_there = false;
      for (int k = 0; k < high * wide; ++k) {
        const int row = i + (by_rows ? k / wide : k % high), column = j + (by_rows ? k % wide : k / high);
        block.push_back(numbers(row, column));
        is_there = is_there || pattern(row, column) != Number();
      }
      if (!is_there) continue;
      out.indices.push_back(j / wide);
      out.values.insert(out.values.end(), block.begin(), block.end());
    }
    out.offsets.push_back(static_cast<Size>(out.indices.size()));
  }
  return out;
}
inline Arrays arrays_of(const Numbers& a, const Form& form) {
  if (form.format == CUSPARSE_FORMAT_BSR) return blocks(a, a, form);
  return form.format == CUSPARSE_FORMAT_COO ? coordinates(a) : compressed(a, form.format == CUSPARSE_FORMAT_CSR);
}
// The numbers that a matrix with the places of another one stores.
inline std::vector<Number> stored_values(const Numbers& pattern, const Numbers& numbers, const Form& form) {
  if (form.format == CUSPARSE_FORMAT_BSR) return blocks(pattern, numbers, form).values;
  const bool by_columns = form.format == CUSPARSE_FORMAT_CSC;
  const auto places = by_columns ? pattern.transposed() : pattern, from = by_columns ? numbers.transposed() : numbers;
  std::vector<Number> out;
  for (int i = 0; i < places.rows; ++i)
    for (int j = 0; j < places.columns; ++j)
      if (places(i, j) != Number()) out.push_back(from(i, j));
  return out;
}

template <class T>
class OnDeviceSparse {
 public:
  OnDeviceSparse(const Numbers& from, const Form& form)
      : arrays(arrays_of(from, form)),
        offsets(indices_of(arrays.offsets, form)),
        indices(indices_of(arrays.indices, form)),
        values(padded(all_as<T>(arrays.values))) {
    EXPECT_EQ(create(from, form), kFine);
  }
  ~OnDeviceSparse() { EXPECT_EQ(library().cusparseDestroySpMat(matrix), kFine); }
  OnDeviceSparse(const OnDeviceSparse&) = delete;

  int count() const { return static_cast<int>(arrays.indices.size()); }
  std::vector<Number> get_values() const {
    std::vector<Number> out;
    const auto all = values.read();
    for (std::size_t k = 0; k < arrays.values.size(); ++k) out.push_back(wide(all[k]));
    return out;
  }

  Arrays arrays;
  OnDevice<char> offsets, indices;
  OnDevice<T> values;
  SparseMatrix* matrix = nullptr;

 private:
  static std::vector<T> padded(std::vector<T> from) {
    from.push_back(T{});
    return from;
  }
  static std::vector<char> indices_of(const std::vector<Size>& from, const Form& form) {
    const bool is_long = form.index_type == CUSPARSE_INDEX_64I;
    std::vector<char> out(from.size() * (is_long ? 8 : 4) + 8);
    for (std::size_t k = 0; k < from.size(); ++k) {
      const std::int64_t wide_index = from[k] + form.base;
      const auto short_index = static_cast<std::int32_t>(wide_index);
      if (is_long)
        std::memcpy(out.data() + 8 * k, &wide_index, 8);
      else
        std::memcpy(out.data() + 4 * k, &short_index, 4);
    }
    return out;
  }
  cusparseStatus_t create(const Numbers& from, const Form& form) {
    const auto base = static_cast<cusparseIndexBase_t>(form.base);
    switch (form.format) {
      case CUSPARSE_FORMAT_COO:
        return library().cusparseCreateCoo(&matrix, from.rows, from.columns, count(), offsets.as(), indices.as(),
                                           values.as(), form.index_type, base, kType<T>);
      case CUSPARSE_FORMAT_CSC:
        return library().cusparseCreateCsc(&matrix, from.rows, from.columns, count(), offsets.as(), indices.as(),
                                           values.as(), form.index_type, form.index_type, base, kType<T>);
      case CUSPARSE_FORMAT_BSR:
        return library().cusparseCreateBsr(&matrix, from.rows / form.block_rows, from.columns / form.block_columns,
                                           count(), form.block_rows, form.block_columns, offsets.as(), indices.as(),
                                           values.as(), form.index_type, form.index_type, base, kType<T>,
                                           form.block_order);
      default:
        return library().cusparseCreateCsr(&matrix, from.rows, from.columns, count(), offsets.as(), indices.as(),
                                           values.as(), form.index_type, form.index_type, base, kType<T>);
    }
  }
};

// A form for a matrix whose sizes are multiples of 6.
inline Form random_form(Random& random) {
  constexpr cusparseFormat_t kFormats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                           CUSPARSE_FORMAT_BSR};
  Form out;
  out.format = kFormats[random.below(4)];
  out.index_type = random.below(2) ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  out.base = random.below(2);
  out.block_rows = out.block_columns = 1 + random.below(3);  // the library has square blocks only
  out.block_order = random.below(2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
  return out;
}
inline cusparseOrder_t random_order(Random& random) {
  return random.below(2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
}

// What functions with typed arguments know of a matrix.
class Options {
 public:
  explicit Options(int base = 0) {
    EXPECT_EQ(library().cusparseCreateMatDescr(&options_), kFine);
    EXPECT_EQ(library().cusparseSetMatIndexBase(options_, static_cast<cusparseIndexBase_t>(base)), kFine);
  }
  ~Options() { EXPECT_EQ(library().cusparseDestroyMatDescr(options_), kFine); }
  Options(const Options&) = delete;
  operator MatrixOptions*() const { return options_; }

 private:
  MatrixOptions* options_ = nullptr;
};

inline Form blocks_of(Random& random, int block) {
  Form out;
  out.format = CUSPARSE_FORMAT_BSR;
  out.base = random.below(2);
  out.block_rows = out.block_columns = block;
  out.block_order = random_order(random);
  return out;
}
inline cusparseDirection_t direction_of(const Form& form) {
  return form.block_order == CUSPARSE_ORDER_ROW ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
}

}  // namespace nvmlkit::library_test
