// mma, and wmma with its loads and stores: products of small matrices with elements in the registers of a warp.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/instructions/matrices/sparse.hpp"
#include "ptx/instructions/matrices/tensor_product.hpp"
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {
namespace {

// sums[row][column] = add(sums[row][column], a[row][k], b[k][column]), k after k. Eight columns at a time.
template <class Add>
void add_products(const Product& p, const double* a, const double* b, double* sums, Add add) {
  constexpr unsigned kBlock = 8;
  const unsigned depth = p.k();
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned first = 0; first < p.n; first += kBlock) {
      double* const out = sums + row * p.n + first;
      double block[kBlock];
      std::copy_n(out, kBlock, block);
      for (unsigned k = 0; k < depth; ++k) {
        const double left = a[row * depth + k];
        const double* const right = b + k * p.n + first;
        for (unsigned c = 0; c < kBlock; ++c) block[c] = add(block[c], left, right[c]);
      }
      std::copy_n(block, kBlock, out);
    }
}

// But for doubles, products of two elements are exact as doubles: with one rounding, that of the sum.
void multiply(const Product& p, const double* a, const double* b, double* sums) {
  if (p.a == Type::f64)
    add_products(p, a, b, sums, [](double sum, double x, double y) { return std::fma(x, y, sum); });
  else if (p.a == Type::b1 && !(p.flags & kCountsBoth))  // bits that one of both has alone
    add_products(p, a, b, sums, [](double sum, double x, double y) { return sum + (x != y ? 1.0 : 0.0); });
  else
    add_products(p, a, b, sums, [](double sum, double x, double y) { return sum + x * y; });
}

void multiply(Warp& w, const Instruction& i, Mask) {
  const auto p = Product::of(i);
  const Tile ta = tile(p, 'a'), tb = tile(p, 'b'), tc = tile(p, 'c'), td = tile(p, 'd');
  const auto* operands = w.frame().function->operands.data() + i.side;
  const auto* const to = operands;
  const auto* const from_a = to + td.registers();
  const auto* const from_b = from_a + ta.registers();
  const auto* const from_c = from_b + tb.registers();
  double stored[Tile::kMost], full[Tile::kMost], b[Tile::kMost], c[32 * 32];
  ta.gather(w, from_a, stored);
  const double* a = stored;
  if (p.flags & kSparse) {
    SparseRows{p.a, p.k()}.expand(w, from_c[tc.registers()], i.detail, stored, full);
    a = full;
  }
  tb.gather(w, from_b, b);
  tc.gather(w, from_c, c);
  multiply(p, a, b, c);
  if (p.d == Type::s32 && p.flags & kSaturatingSum)
    for (unsigned element = 0; element < p.m * p.n; ++element)
      c[element] = std::clamp(c[element], -2147483648.0, 2147483647.0);
  td.scatter(w, to, c);
}

struct Transfer {
  std::uint8_t rows, columns;
  Type type;
  bool by_column, stores, repeats;

  static Transfer of(const Warp& w, const Instruction& i) {
    Transfer out;
    const auto packed = w.at<std::uint64_t>(w.frame().function->operands[i.side])[0];
    std::memcpy(&out, &packed, sizeof out);
    return out;
  }
};

// A matrix in memory, from row to row (or column to column) so many elements apart.
std::uint64_t stride_of(const Warp& w, const Instruction& i, const Transfer& t, unsigned lane) {
  return i.b.is_there() ? w.at<std::uint32_t>(i.b)[lane] : t.by_column ? t.rows : t.columns;
}

// The usual case: all lanes name one matrix, whose bytes are looked up once. Null: each element is looked up.
std::byte* start_of(Warp& w, const Instruction& i, const Transfer& t, const std::uint64_t* addresses, Mask lanes) {
  const std::uint64_t size = size_of(t.type), stride = stride_of(w, i, t, 0);
  if (size == 0 || lanes != kAllLanes) return nullptr;
  for (unsigned l = 1; l < kLanes; ++l)
    if (addresses[l] != addresses[0] || stride_of(w, i, t, l) != stride) return nullptr;
  const unsigned lines = t.by_column ? t.columns : t.rows, length = t.by_column ? t.rows : t.columns;
  const Bounds bounds{addresses[0], addresses[0] + ((lines - 1) * stride + length - 1) * size, addresses[0]};
  Reach reach;
  if (bounds.high < bounds.low || !w.reach(i, bounds, size, reach) || reach.stride != 0) return nullptr;
  return reinterpret_cast<std::byte*>(reach.base + addresses[0]);
}

void transfer(Warp& w, const Instruction& i, Mask lanes) {
  const auto t = Transfer::of(w, i);
  const auto* const registers = w.frame().function->operands.data() + i.side + 1;
  const Tile tile{Tile::Places::by_row, t.rows, t.columns, t.type, t.repeats};
  const auto size = size_of(t.type), bits = bits_of_element(t.type);
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  if (auto* const start = start_of(w, i, t, addresses, lanes))
    return tile.move(w, registers, {start, stride_of(w, i, t, 0), t.by_column, t.stores});
  for (unsigned slot = 0; slot < tile.slots(); ++slot)
    for (unsigned l = 0; l < kLanes; ++l) {
      if (!(lanes >> l & 1)) continue;
      const auto place = tile.place(l, slot);
      const auto stride = stride_of(w, i, t, l);
      const auto at = t.by_column ? place.column * stride + place.row : place.row * stride + place.column;
      auto* const bytes = w.resolve(i.space, i, addresses[l] + at * bits / 8, std::max(size, 1u), l);
      if (!bytes) return;
      if (size == 0) {  // elements of less than a byte are only loaded
        auto& whole = w.at<std::uint32_t>(registers[slot / tile.per_register()])[l];
        const unsigned shift = slot % tile.per_register() * bits, one = (1u << bits) - 1;
        const auto value = static_cast<std::uint32_t>(*bytes) >> at * bits % 8 & one;
        whole = (whole & ~(one << shift)) | value << shift;
        continue;
      }
      auto* const element = tile.element(w, registers, l, slot);
      std::memcpy(t.stores ? bytes : element, t.stores ? element : bytes, size);
    }
}

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

Shape shape_of(const Form& f) {
  static constexpr std::pair<std::string_view, Shape> kShapes[] = {
      {"m16n16k16", {16, 16, 16}}, {"m32n8k16", {32, 8, 16}}, {"m8n32k16", {8, 32, 16}}, {"m16n16k8", {16, 16, 8}},
      {"m8n8k32", {8, 8, 32}},     {"m8n8k128", {8, 8, 128}}, {"m16n8k64", {16, 8, 64}}, {"m16n8k128", {16, 8, 128}},
      {"m16n8k256", {16, 8, 256}}, {"m8n8k4", {8, 8, 4}},     {"m8n8k16", {8, 8, 16}},   {"m16n8k4", {16, 8, 4}},
      {"m16n8k8", {16, 8, 8}},     {"m16n8k16", {16, 8, 16}}, {"m16n8k32", {16, 8, 32}}};
  for (const auto& [name, shape] : kShapes)
    if (f.has(name)) return shape;
  f.fail_simulation("this shape is not simulated");
}

// The registers of a tile, behind those that are there.
void append(Form& f, const Term& term, const Tile& tile, bool is_target, std::vector<Operand>& operands) {
  const bool is_vector = term.kind == Term::Kind::vector;
  if (tile.slots() == 0 || tile.slots() % tile.per_register() != 0) f.fail_types();
  if ((is_vector ? term.items.size() : 1) != tile.registers())
    f.fail(ErrorKind::vector_size, "a vector of another length");
  for (unsigned r = 0; r < tile.registers(); ++r) {
    const auto& one = is_vector ? term.items[r] : term;
    operands.push_back(is_target ? f.target(one, tile.register_type()) : f.source(one, tile.register_type()));
  }
}

void for_whole_warp(Form& f) {
  f.out.kind = Kind::converge;
  f.out.c = f.constant(kAllLanes, 4);
}

bool may_multiply(const Product& p) {
  const auto is_byte = [](Type t) { return t == Type::s8 || t == Type::u8; };
  const auto is_eight_bit_float = [](Type t) { return t == Type::e4m3 || t == Type::e5m2; };
  const auto is_sum = [](Type t) { return t == Type::f16 || t == Type::f32; };
  const auto is_small = [](Type t) { return t == Type::s4 || t == Type::u4; };
  if (is_small(p.a)) return is_small(p.b) && p.c == Type::s32 && p.d == Type::s32;
  if (p.a == Type::b1) return p.b == Type::b1 && p.c == Type::s32 && p.d == Type::s32;
  if (is_byte(p.a)) return is_byte(p.b) && p.c == Type::s32 && p.d == Type::s32;
  if (is_eight_bit_float(p.a)) return is_eight_bit_float(p.b) && is_sum(p.c) && p.c == p.d;
  if (p.a != p.b) return false;
  if (p.a == Type::f16) return is_sum(p.c) && is_sum(p.d);
  if (p.a == Type::bf16 || p.a == Type::tf32) return p.c == Type::f32 && p.d == Type::f32;
  return p.a == Type::f64 && p.c == Type::f64 && p.d == Type::f64;
}

void product(Form& f, bool whole_warp) {
  const auto shape = shape_of(f);
  const auto types = f.types();
  Product p{static_cast<std::uint8_t>(shape.m),
            static_cast<std::uint8_t>(shape.n),
            static_cast<std::uint8_t>(shape.k / 4),
            Type::f16,
            Type::f16,
            Type::f16,
            Type::f16,
            0};
  if (types.size() == 2 && whole_warp) {  // of halves, by the types of the sums
    p.d = types[0];
    p.c = types[1];
  } else if (types.size() == 4) {
    p.d = types[0];
    p.a = types[1];
    p.b = types[2];
    p.c = types[3];
  } else {
    f.fail_types();
  }
  if (!may_multiply(p)) f.fail_types();
  if (!whole_warp && shape.m == 8 && shape.k == 4 && p.a != Type::f64) f.fail_types();
  const bool sparse = f.has("sp") || f.has("sp::ordered_metadata");
  if (sparse && (whole_warp || shape.m != 16 || SparseRows{p.a, shape.k}.bits() == 0)) f.fail_types();
  if ((p.a == Type::b1) != f.has("popc")) f.fail_types();
  // Whole registers of each lane lie along k.
  if (!whole_warp && (shape.n != 8 || shape.m > 16 || shape.k % (4 * tile(p, 'a').per_register()) != 0)) f.fail_types();
  if (!whole_warp && (!f.has("row") || !f.has("col"))) f.fail("only .row.col is simulated");
  p.flags = static_cast<std::uint8_t>((whole_warp ? kWholeWarp : 0) | (f.has("satfinite") ? kSaturatingSum : 0) |
                                      (sparse ? kSparse : 0) | (f.has("and") ? kCountsBoth : 0));
  std::vector<Operand> operands;
  append(f, f.term(0), tile(p, 'd'), true, operands);
  append(f, f.term(1), tile(p, 'a'), false, operands);
  append(f, f.term(2), tile(p, 'b'), false, operands);
  append(f, f.term(3), tile(p, 'c'), false, operands);
  if (f.count() != (sparse ? 6u : 4u)) f.fail(ErrorKind::operands, "so many operands it does not take");
  if (sparse) {
    operands.push_back(f.source(4, Type::b32));
    const auto& selector = f.term(5);
    if (selector.kind != Term::Kind::integer || selector.value > 3) f.fail("expected a selector from 0 to 3");
    f.out.detail =
        static_cast<std::uint8_t>(SparseRows{p.a, shape.k}.bits() == 32 ? selector.value & 1 : selector.value);
  }
  f.list(std::move(operands));
  std::memcpy(&f.out.immediate, &p, sizeof p);
  f.out.flag = true;  // no load or store
  f.out.handler = &multiply;
  const auto mode = FloatMode::of(f);
  if (!mode.any()) return;
  if (p.a != Type::f64) f.fail_types();
  f.out.detail = mode.packed();
  f.out.handler = &in_mode<multiply, double>;
}

void memory(Form& f, bool stores) {
  const auto shape = shape_of(f);
  const auto which = f.one_of({"a", "b", "c", "d"});
  if (which.empty() || f.types().size() != 1) f.fail_types();
  Transfer t{};
  t.rows = static_cast<std::uint8_t>(which == "b" ? shape.k : shape.m);
  t.columns = static_cast<std::uint8_t>(which == "a" ? shape.k : shape.n);
  t.type = f.type();
  if (size_of(t.type) == 0 && stores) f.fail_types();
  t.by_column = f.has("col");
  t.stores = stores;
  t.repeats = t.type == Type::f16 && (which == "a" || which == "b");
  std::uint64_t packed = 0;
  std::memcpy(&packed, &t, sizeof t);
  std::vector<Operand> operands{f.constant(packed, 8)};
  const Tile tile{Tile::Places::by_row, t.rows, t.columns, t.type, t.repeats};
  append(f, f.term(stores ? 1 : 0), tile, !stores, operands);
  f.out.space = f.space();
  f.address(f.term(stores ? 0 : 1), f.out.space);
  if (f.count() > 2) f.out.b = f.source(2, Type::u32);
  f.list(std::move(operands));
  f.out.handler = &transfer;
}

}  // namespace

// Which lane has which element is not documented: here each has some that lie side by side.
void touched::tiles(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  const auto t = Transfer::of(w, i);
  const unsigned each = t.rows * t.columns / kLanes, line = t.by_column ? t.rows : t.columns;
  const auto bits = bits_of_element(t.type);
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint8_t>(first_of(left));
    const auto at = lane * each / line * stride_of(w, i, t, lane) + lane * each % line;
    out.push_back({addresses[lane] + at * bits / 8, each * bits / 8, std::max(size_of(t.type), 1u),
                   t.stores ? Touch::writes : Touch::reads, i.space, lane, false});
  }
}

namespace decoders {

void tensor(Form& f) {
  if (f.op() == Op::mma_)
    product(f, false);
  else if (f.has("mma"))
    product(f, true);
  else
    memory(f, f.has("store"));
  for_whole_warp(f);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
