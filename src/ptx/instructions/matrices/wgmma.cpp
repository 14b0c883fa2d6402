// wgmma: products of a group of four warps. Each warp takes 16 rows of the left matrix, from registers or shared
// memory, and the whole right matrix, from shared memory. They run at once.
#include <algorithm>
#include <bit>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/instructions/matrices/shared_matrix.hpp"
#include "ptx/instructions/matrices/sparse.hpp"
#include "ptx/instructions/matrices/tensor_tile.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr unsigned kRowsOfWarp = 16;
constexpr unsigned kMostColumns = 256, kMostDepth = 64;

// In an instruction's immediate.
struct GroupProduct {
  std::uint8_t column_blocks, depth;  // blocks of 8 columns
  Type a, b, d;
  bool a_in_registers;
  std::uint8_t flags, unused;

  unsigned columns() const { return column_blocks * 8u; }
};
static_assert(sizeof(GroupProduct) == 8);
constexpr std::uint8_t kAByRow = 1, kBByRow = 2, kNegatesA = 4, kNegatesB = 8, kClampsSum = 16, kIsSparse = 32;

// Sums lie in blocks of 16 by 8, one behind the other.
Tile block_of_sums(Type type) { return {Tile::Places::sum, kRowsOfWarp, 8, type, false}; }

void multiply_in_group(Warp& w, const Instruction& i, Mask) {
  const auto p = std::bit_cast<GroupProduct>(i.immediate);
  const auto block = block_of_sums(p.d);
  const auto columns = p.columns();
  const auto* const to = w.frame().function->operands.data() + i.side;
  const auto* const from_a = to + p.column_blocks * block.registers();
  const auto* const from_b = from_a + (p.a_in_registers ? 4 : 1);
  const bool sparse = p.flags & kIsSparse;
  const unsigned stored_depth = sparse ? p.depth / 2u : p.depth;
  double stored[kRowsOfWarp * kMostDepth], full[kRowsOfWarp * kMostDepth], b[kMostDepth * kMostColumns],
      d[kRowsOfWarp * kMostColumns];
  if (p.a_in_registers)
    Tile{Tile::Places::left, kRowsOfWarp, stored_depth, p.a, false}.gather(w, from_a, stored);
  else if (!SharedMatrix(w.at<std::uint64_t>(*from_a)[0], p.a, !(p.flags & kAByRow))
                .load(w, i, w.index() % 4 * kRowsOfWarp, kRowsOfWarp, stored_depth, stored, stored_depth, 1))
    return;
  if (!SharedMatrix(w.at<std::uint64_t>(*from_b)[0], p.b, !(p.flags & kBByRow))
           .load(w, i, 0, columns, p.depth, b, 1, columns))
    return;
  const double* a = stored;
  if (sparse) {
    SparseRows{p.a, p.depth}.expand(w, from_b[2], i.detail, stored, full);
    a = full;
  }
  const bool adds = w.predicate(from_b[1]) & 1;
  const bool negates = !(p.flags & kNegatesA) != !(p.flags & kNegatesB);
  double whole[kRowsOfWarp * 8];
  for (unsigned n = 0; n < p.column_blocks; ++n) {
    if (adds) block.gather(w, to + n * block.registers(), whole);
    for (unsigned row = 0; row < kRowsOfWarp; ++row)
      for (unsigned c = 0; c < 8; ++c) d[row * columns + n * 8 + c] = adds ? whole[row * 8 + c] : 0.0;
  }
  for (unsigned row = 0; row < kRowsOfWarp; ++row)
    for (unsigned k = 0; k < p.depth; ++k) {
      const double left = negates ? -a[row * p.depth + k] : a[row * p.depth + k];
      const double* const right = b + k * columns;
      double* const sums = d + row * columns;
      for (unsigned c = 0; c < columns; ++c) sums[c] += left * right[c];
    }
  for (unsigned n = 0; n < p.column_blocks; ++n) {
    for (unsigned row = 0; row < kRowsOfWarp; ++row)
      for (unsigned c = 0; c < 8; ++c) {
        const double sum = d[row * columns + n * 8 + c];
        whole[row * 8 + c] = p.flags & kClampsSum ? std::clamp(sum, -2147483648.0, 2147483647.0) : sum;
      }
    block.scatter(w, to + n * block.registers(), whole);
  }
}

bool may_multiply_in_group(const GroupProduct& p) {
  const unsigned depth = p.flags & kIsSparse ? p.depth / 2 : p.depth;
  const auto is_byte = [](Type t) { return t == Type::s8 || t == Type::u8; };
  const auto is_eight_bits = [](Type t) { return t == Type::e4m3 || t == Type::e5m2; };
  const bool is_sum = p.d == Type::f32 || p.d == Type::f16;
  if (is_byte(p.a)) return is_byte(p.b) && p.d == Type::s32 && depth == 32;
  if (is_eight_bits(p.a)) return is_eight_bits(p.b) && is_sum && depth == 32;
  if (p.a != p.b) return false;
  if (p.a == Type::f16) return is_sum && depth == 16;
  if (p.a == Type::bf16) return p.d == Type::f32 && depth == 16;
  return p.a == Type::tf32 && p.d == Type::f32 && depth == 8;
}

// "m64n128k16"
void read_shape(Form& f, GroupProduct& p) {
  const auto word = f.starting_with("m64n");
  const auto k = word.find('k');
  if (k == std::string_view::npos) f.fail_types();
  const auto number = [](std::string_view digits) {
    unsigned out = 0;
    for (const char c : digits) out = out * 10 + static_cast<unsigned>(c - '0');
    return out;
  };
  const auto columns = number(word.substr(4, k - 4));
  if (columns == 0 || columns > kMostColumns || columns % 8 != 0) f.fail("a multiple of 8 columns up to 256");
  p.column_blocks = static_cast<std::uint8_t>(columns / 8);
  p.depth = static_cast<std::uint8_t>(number(word.substr(k + 1)));
}

// 1 or -1.
bool is_negative(const Form& f, std::size_t index) {
  const auto& term = f.term(index);
  const auto value = static_cast<std::int64_t>(term.value);
  if (term.kind != Term::Kind::integer || (value != 1 && value != -1)) f.fail("expected 1 or -1");
  return value < 0;
}

bool is_transposed(const Form& f, std::size_t index) {
  const auto& term = f.term(index);
  if (term.kind != Term::Kind::integer || term.value > 1) f.fail("expected 0 or 1");
  return term.value == 1;
}

}  // namespace

// No lane reads them itself.
void touched::group_products(Warp& w, const Instruction& i, Mask, TouchedBytes& out) {
  const auto p = std::bit_cast<GroupProduct>(i.immediate);
  const auto* const from_a =
      w.frame().function->operands.data() + i.side + p.column_blocks * block_of_sums(p.d).registers();
  const auto* const from_b = from_a + (p.a_in_registers ? 4 : 1);
  const auto add = [&](std::uint64_t address, unsigned, unsigned) {
    out.push_back({address, SharedMatrix::kPiece, SharedMatrix::kPiece, Touch::reads, Space::shared,
                   static_cast<std::uint8_t>(out.size() % kLanes), false});
    return true;
  };
  const unsigned stored_depth = p.flags & kIsSparse ? p.depth / 2u : p.depth;
  if (!p.a_in_registers)
    SharedMatrix(w.at<std::uint64_t>(*from_a)[0], p.a, !(p.flags & kAByRow))
        .each_piece(w.index() % 4 * kRowsOfWarp, kRowsOfWarp, stored_depth, add);
  SharedMatrix(w.at<std::uint64_t>(*from_b)[0], p.b, !(p.flags & kBByRow)).each_piece(0, p.columns(), p.depth, add);
}

namespace decoders {

void group_products(Form& f) {
  if (f.has("fence") || f.has("commit_group") || f.has("wait_group")) return no_effect(f);
  const auto types = f.types();
  if (!f.has("mma_async") || types.size() != 3 || f.count() < 4) f.fail_types();
  GroupProduct p{0, 0, types[1], types[2], types[0], f.term(1).kind == Term::Kind::vector, 0, 0};
  read_shape(f, p);
  if (f.has("sp")) p.flags |= kIsSparse;
  if (!may_multiply_in_group(p)) f.fail_types();
  const auto block = block_of_sums(p.d);
  std::vector<Operand> operands;
  const auto& sums = f.term(0);
  if (sums.items.size() != p.column_blocks * block.registers())
    f.fail(ErrorKind::vector_size, "a vector of another length");
  for (const auto& one : sums.items) operands.push_back(f.target(one, block.register_type()));
  if (p.a_in_registers) {
    if (f.term(1).items.size() != 4) f.fail(ErrorKind::vector_size, "a vector of another length");
    for (const auto& one : f.term(1).items) operands.push_back(f.source(one, Type::b32));
  } else {
    operands.push_back(f.source(1, Type::b64));
  }
  operands.push_back(f.source(2, Type::b64));
  std::size_t next = 3;
  const bool sparse = p.flags & kIsSparse;
  const auto* const places = sparse ? &f.term(next++) : nullptr;
  if (sparse) {
    const auto& selector = f.term(next++);
    if (selector.kind != Term::Kind::integer || selector.value > 1) f.fail("expected a selector of 0 or 1");
    f.out.detail = static_cast<std::uint8_t>(selector.value);
  }
  operands.push_back(f.predicate(f.term(next++)));
  if (places) operands.push_back(f.source(*places, Type::b32));
  const auto mark = [&](bool is_set, std::uint8_t flag) { p.flags |= is_set ? flag : 0; };
  if (p.d != Type::s32) {
    mark(is_negative(f, next++), kNegatesA);
    mark(is_negative(f, next++), kNegatesB);
  }
  if (size_of(p.a) == 2) {
    if (!p.a_in_registers) mark(is_transposed(f, next++), kAByRow);
    mark(is_transposed(f, next++), kBByRow);
  }
  if (next != f.count()) f.fail(ErrorKind::operands, "so many operands it does not take");
  mark(p.d == Type::s32 && f.has("satfinite"), kClampsSum);
  f.list(std::move(operands));
  f.out.immediate = std::bit_cast<std::uint64_t>(p);
  f.out.kind = Kind::converge;
  f.out.c = f.constant(kAllLanes, 4);
  f.out.handler = &multiply_in_group;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
