// ldmatrix, stmatrix, movmatrix: matrices of 8 by 8 elements of 16 bits between shared memory and the registers of a
// warp.
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

using Half16 = std::uint16_t;

// Each lane supplies the address of a row; lane 8 * m + r that of row r of matrix m. `flag`: transposed.
bool rows(Warp& w, const Instruction& i, Mask lanes, std::byte* out[kLanes]) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (unsigned l = 0; l < 8u * i.count; ++l) {
    if (!(lanes >> l & 1)) return false;
    if (!(out[l] = w.resolve(i.space, i, addresses[l], 16, l))) return false;
  }
  return true;
}

// Elements 2 * t and 2 * t + 1 of row g lie in lane 4 * g + t.
std::byte* place(std::byte* const rows_of_matrix[8], unsigned lane, unsigned part, bool transposed) {
  const unsigned row = lane / 4, column = lane % 4 * 2 + part;
  return transposed ? rows_of_matrix[column] + row * sizeof(Half16) : rows_of_matrix[row] + column * sizeof(Half16);
}

template <bool stores>
void transfer(Warp& w, const Instruction& i, Mask lanes) {
  std::byte* row[kLanes];
  if (!rows(w, i, lanes, row)) return;
  const auto* const registers = w.frame().function->operands.data() + i.side;
  for (unsigned m = 0; m < i.count; ++m)
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned part = 0; part < 2; ++part) {
        auto* const element = w.at<Half16>(registers[m]) + 2 * l + part;
        auto* const bytes = place(row + 8 * m, l, part, i.flag);
        std::memcpy(stores ? static_cast<void*>(bytes) : element, stores ? static_cast<const void*>(element) : bytes,
                    sizeof(Half16));
      }
}

void transpose(Warp& w, const Instruction& i, Mask) {
  Half16 whole[8][8];
  const auto* const a = w.at<Half16>(i.a);
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned part = 0; part < 2; ++part) whole[l / 4][l % 4 * 2 + part] = a[2 * l + part];
  auto* const d = w.at<Half16>(i.d);
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned part = 0; part < 2; ++part) d[2 * l + part] = whole[l % 4 * 2 + part][l / 4];
}

}  // namespace

void touched::matrix_rows(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  const auto touch = checked_form(*w.frame().function, i).touch;
  for (std::uint8_t l = 0; l < 8u * i.count; ++l)
    if (lanes >> l & 1) out.push_back({addresses[l], 16, 16, touch, i.space, l, false});
}

namespace decoders {

void matrices(Form& f) {
  f.out.kind = Kind::converge;
  f.out.c = f.constant(kAllLanes, 4);
  if (f.op() == Op::movmatrix_) {
    f.out.d = f.target(0, Type::b32);
    f.out.a = f.source(1, Type::b32);
    f.out.handler = &transpose;
    return;
  }
  const bool stores = f.op() == Op::stmatrix_;
  const auto words = f.one_of({"x1", "x2", "x4"});
  if (words.empty() || f.type() != Type::b16) f.fail_types();
  const auto& value = f.term(stores ? 1 : 0);
  const auto count = static_cast<std::size_t>(words[1] - '0');
  const bool is_vector = value.kind == Term::Kind::vector;
  if ((is_vector ? value.items.size() : 1) != count) f.fail(ErrorKind::vector_size, "a vector of another length");
  std::vector<Operand> operands;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& one = is_vector ? value.items[k] : value;
    operands.push_back(stores ? f.source(one, Type::b32) : f.target(one, Type::b32));
  }
  f.out.space = f.space();
  f.address(f.term(stores ? 0 : 1), f.out.space);
  f.list(std::move(operands));
  f.out.flag = f.has("trans");
  f.out.handler = stores ? &transfer<true> : &transfer<false>;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
