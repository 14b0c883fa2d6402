#include "libraries/cusparse/entries.hpp"

#include <algorithm>
#include <numeric>

namespace nvmlkit::cusparse {
namespace {

template <class Index>
std::vector<Size> widened(const void* from, Size count, Size base) {
  std::vector<Size> out(at(count));
  const auto* const in = static_cast<const Index*>(from);
  for (Size k = 0; k < count; ++k) out[at(k)] = static_cast<Size>(in[k]) - base;
  return out;
}
template <class Index>
void narrow(const std::vector<Size>& from, void* to, Size base) {
  auto* const out = static_cast<Index*>(to);
  for (std::size_t k = 0; k < from.size(); ++k) out[k] = static_cast<Index>(from[k] + base);
}

// Offsets of rows, or of columns: they do not fall, and stay within the arrays.
std::vector<Size> read_offsets(Running& running, const SparseMatrix& m, Size batch, Size rows, Size most) {
  auto out = read_indices(running, advanced(m.offsets, batch * m.offset_stride, size_of(m.offset_type)), rows + 1,
                          m.offset_type, static_cast<Size>(m.base));
  need(out.front() == 0 && std::is_sorted(out.begin(), out.end()) && out.back() <= most);
  return out;
}
std::vector<Size> read_columns(Running& running, const SparseMatrix& m, Size batch, Size count) {
  return read_indices(running, advanced(m.indices, batch * m.index_stride, size_of(m.index_type)), count, m.index_type,
                      static_cast<Size>(m.base));
}

Entries read_compressed(Running& running, const SparseMatrix& m, Size batch, Size rows, Size columns) {
  Entries out{rows, columns, read_offsets(running, m, batch, rows, m.count), {}, {}};
  out.columns_of = read_columns(running, m, batch, out.begins.back());
  out.places.resize(out.columns_of.size());
  std::iota(out.places.begin(), out.places.end(), 0);
  return out;
}

Entries read_coordinates(Running& running, const SparseMatrix& m, Size batch) {
  const auto rows = read_indices(running, advanced(m.offsets, batch * m.offset_stride, size_of(m.index_type)), m.count,
                                 m.index_type, static_cast<Size>(m.base));
  for (const Size row : rows) need(row >= 0 && row < m.rows);
  // As the transposed of a matrix whose "row" k has one entry, in column rows[k].
  Entries flat{m.count, m.rows, std::vector<Size>(rows.size() + 1), rows, std::vector<Size>(rows.size())};
  std::iota(flat.begins.begin(), flat.begins.end(), 0);
  std::iota(flat.places.begin(), flat.places.end(), 0);
  auto out = transposed(flat);
  out.columns = m.columns;
  const auto columns = read_columns(running, m, batch, m.count);
  for (std::size_t k = 0; k < columns.size(); ++k) out.columns_of[k] = columns[at(out.places[k])];
  return out;
}

void add(Entries& out, Size column, Size place) {
  out.columns_of.push_back(column);
  out.places.push_back(place);
}

Entries read_blocks(Running& running, const SparseMatrix& m, Size batch) {
  const auto blocks = read_compressed(running, m, batch, m.rows, m.columns);
  for (const Size column : blocks.columns_of) need(column >= 0 && column < m.columns);
  const Size height = m.block_rows, width = m.block_columns;
  const bool by_rows = m.block_order == CUSPARSE_ORDER_ROW;
  Entries out{m.all_rows(), m.all_columns(), {0}, {}, {}};
  for (Size i = 0; i < m.rows; ++i)
    for (Size r = 0; r < height; ++r) {
      for (Size k = blocks.begin(i); k < blocks.end(i); ++k)
        for (Size c = 0; c < width; ++c)
          add(out, blocks.column(k) * width + c, k * height * width + (by_rows ? r * width + c : c * height + r));
      out.begins.push_back(out.count());
    }
  return out;
}

// Each row of blocks has the same number of them; a column below 0 is none.
Entries read_blocked_ell(Running& running, const SparseMatrix& m, Size batch) {
  const Size size = m.block_rows, wide = m.ell_columns / size, high = (m.rows + size - 1) / size;
  const auto columns = read_columns(running, m, batch, high * wide);
  Entries out{m.rows, m.columns, {0}, {}, {}};
  for (Size i = 0; i < m.rows; ++i) {
    for (Size k = 0; k < wide; ++k) {
      const Size column = columns[at(i / size * wide + k)];
      for (Size c = 0; c < size && column >= 0; ++c)
        if (column * size + c < m.columns) add(out, column * size + c, i * m.ell_columns + k * size + c);
    }
    out.begins.push_back(out.count());
  }
  return out;
}

// Slices of rows, each column by column; a column below 0 is none.
Entries read_sliced_ell(Running& running, const SparseMatrix& m, Size batch) {
  if (m.slice_rows <= 0) throw libraries::Failed{cuda::CUDA_ERROR_LAUNCH_FAILED};  // it can be described all the same
  const Size slices = (m.rows + m.slice_rows - 1) / m.slice_rows;
  const auto offsets = read_offsets(running, m, batch, slices, m.slice_size);
  const auto columns = read_columns(running, m, batch, m.slice_size);
  Entries out{m.rows, m.columns, {0}, {}, {}};
  for (Size i = 0; i < m.rows; ++i) {
    const Size slice = i / m.slice_rows;
    for (Size k = offsets[at(slice)] + i % m.slice_rows; k < offsets[at(slice) + 1]; k += m.slice_rows)
      if (columns[at(k)] >= 0) add(out, columns[at(k)], k);
    out.begins.push_back(out.count());
  }
  return out;
}

Entries read_format(Running& running, const SparseMatrix& m, Size batch) {
  switch (m.format) {
    case CUSPARSE_FORMAT_COO:
      return read_coordinates(running, m, batch);
    case CUSPARSE_FORMAT_BSR:
      return read_blocks(running, m, batch);
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      return read_blocked_ell(running, m, batch);
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      return read_sliced_ell(running, m, batch);
    case CUSPARSE_FORMAT_CSC: {
      auto out = read_compressed(running, m, batch, m.columns, m.rows);
      for (const Size row : out.columns_of) need(row >= 0 && row < m.rows);
      return transposed(out);
    }
    default:
      return read_compressed(running, m, batch, m.rows, m.columns);
  }
}

}  // namespace

std::size_t size_of(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

std::vector<Size> read_indices(Running& running, const void* from, Size count, cusparseIndexType_t type, Size base) {
  if (count <= 0) return {};
  const void* const in = running.read(from, count, size_of(type));
  return type == CUSPARSE_INDEX_64I   ? widened<std::int64_t>(in, count, base)
         : type == CUSPARSE_INDEX_32I ? widened<std::int32_t>(in, count, base)
                                      : widened<std::uint16_t>(in, count, base);
}

void write_indices(Running& running, void* to, const std::vector<Size>& from, cusparseIndexType_t type, Size base) {
  if (from.empty()) return;
  void* const out = running.write(to, static_cast<Size>(from.size()), size_of(type));
  if (type == CUSPARSE_INDEX_64I)
    narrow<std::int64_t>(from, out, base);
  else if (type == CUSPARSE_INDEX_32I)
    narrow<std::int32_t>(from, out, base);
  else
    narrow<std::uint16_t>(from, out, base);
}

Entries read_entries(Running& running, const SparseMatrix& matrix, Size batch) {
  auto out = read_format(running, matrix, batch);
  for (const Size column : out.columns_of) need(column >= 0 && column < out.columns);
  return out;
}

Entries transposed(const Entries& e) {
  Entries out{e.columns, e.rows, std::vector<Size>(at(e.columns) + 1), std::vector<Size>(e.columns_of.size()),
              std::vector<Size>(e.columns_of.size())};
  for (const Size column : e.columns_of) ++out.begins[at(column) + 1];
  std::partial_sum(out.begins.begin(), out.begins.end(), out.begins.begin());
  auto next = out.begins;
  for (Size i = 0; i < e.rows; ++i)
    for (Size k = e.begin(i); k < e.end(i); ++k) {
      const Size to = next[at(e.column(k))]++;
      out.columns_of[at(to)] = i;
      out.places[at(to)] = e.place(k);
    }
  return out;
}

}  // namespace nvmlkit::cusparse
