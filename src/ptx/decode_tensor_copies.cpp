// Copies of boxes of tensors that a tensor map describes, and changes of such maps.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/block.hpp"
#include "ptx/bulk_copies.hpp"
#include "ptx/group.hpp"
#include "ptx/tensor_map.hpp"

namespace nvmlkit::ptx {
namespace {

// Operands: places in Function::operands.
enum BoxOperand : unsigned {
  kBoxMemory,
  kBoxMap,
  kBoxBarrier,
  kBoxBlocks,
  kBoxCoordinates,
  kBoxOffsets = kBoxCoordinates + TensorMap::kMostDimensions
};

// In an instruction's immediate.
struct TensorCopy {
  std::uint8_t rank;
  bool is_store, is_columns;
  Reduction how;
  std::uint8_t unused[4];
};
static_assert(sizeof(TensorCopy) == 8);

// The map at a generic address; false after a fault.
bool read_map(Warp& w, const Instruction& i, std::uint64_t address, unsigned lane, TensorMap& out) {
  for (unsigned half = 0; half < 2; ++half) {
    const auto* const bytes = w.resolve(Space::generic, i, address + 64 * half, 64, lane);
    if (!bytes) return false;
    std::memcpy(reinterpret_cast<std::byte*>(&out) + 64 * half, bytes, 64);
  }
  const bool is_map = out.magic == TensorMap::kMagic && out.rank >= 1 && out.rank <= TensorMap::kMostDimensions &&
                      out.type < TensorMap::kTypes &&
                      std::find(out.steps, out.steps + out.rank, 0) == out.steps + out.rank;
  if (!is_map) w.fault(FaultKind::illegal_instruction, address, i);
  return is_map;
}

// Where a byte of a box lies in shared memory: 16 bytes each are exchanged within a row, by the number of the row.
std::uint64_t swizzled(std::uint64_t address, TensorMap::Swizzle swizzle) {
  const std::uint64_t bits = (1u << static_cast<unsigned>(swizzle)) - 1;
  return address ^ ((address >> 7 & bits) << 4);
}

// One copy between a box of a tensor and shared memory.
class BoxCopy {
 public:
  BoxCopy(Warp& w, const Instruction& i, unsigned lane, const TensorMap& map)
      : w_(w), i_(i), lane_(lane), copy_(std::bit_cast<TensorCopy>(i.immediate)), map_(map) {
    for (unsigned k = 0; k < map.rank; ++k)
      at_[k] = static_cast<std::int32_t>(number_at(w, i, kBoxCoordinates + k, lane));
    const auto size = map.element_size();
    row_bytes_ = map.box[0] * size;
    const unsigned span = map.swizzle == TensorMap::Swizzle::none ? 0 : 16u << static_cast<unsigned>(map.swizzle);
    pitch_ = std::max(row_bytes_, span);
  }

  // To or from an address of shared memory. False after a fault.
  bool run(std::uint64_t shared) {
    shared_ = shared;
    rows_ = 0;
    return copy_.is_columns ? columns() : rows(map_.rank - 1);
  }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(rows_ * row_bytes_); }

 private:
  // All rows of the dimensions up to one.
  bool rows(unsigned dimension) {
    if (dimension == 0) return row();
    const auto start = at_[dimension];
    for (unsigned k = 0; k < map_.box[dimension]; k += map_.steps[dimension]) {
      at_[dimension] = start + static_cast<std::int64_t>(k);
      if (!rows(dimension - 1)) return false;
    }
    at_[dimension] = start;
    return true;
  }

  // Pixels of a column, in the order of memory; each is looked at some offset from where it is.
  bool columns() {
    const unsigned spatial = map_.rank - 2u;
    std::int64_t base[3];
    std::copy_n(at_ + 1, spatial, base);
    for (unsigned pixel = 0; pixel < map_.box[1]; ++pixel) {
      for (unsigned k = 0; k < spatial; ++k) {
        const auto offset = copy_.is_store ? 0 : w_.at<std::uint16_t>(operand(kBoxOffsets + k))[lane_];
        at_[1 + k] = base[k] + offset;
      }
      if (!row()) return false;
      for (unsigned k = 0; k <= spatial; ++k) {
        if (k == spatial) {
          ++at_[map_.rank - 1];
          break;
        }
        base[k] += map_.steps[1 + k];
        if (base[k] <= std::int64_t{map_.last[1 + k]} + map_.upper[k]) break;
        base[k] = map_.lower[k];
      }
    }
    return true;
  }

  Operand operand(unsigned index) const { return w_.frame().function->operands[i_.side + index]; }

  // Elements along the first dimension.
  bool row() {
    const auto size = map_.element_size();
    const auto to = shared_ + rows_++ * pitch_;
    std::uint64_t address = map_.address;
    bool inside = true;
    for (unsigned k = 1; k < map_.rank; ++k) {
      inside &= at_[k] >= 0 && at_[k] <= std::int64_t{map_.last[k]};
      address += static_cast<std::uint64_t>(at_[k]) * map_.strides[k - 1];
    }
    const auto first = std::clamp<std::int64_t>(-at_[0], 0, map_.box[0]);
    const auto end = std::clamp<std::int64_t>(std::int64_t{map_.last[0]} + 1 - at_[0], first, map_.box[0]);
    std::byte* global = nullptr;
    if (inside && end > first) {
      address += static_cast<std::uint64_t>(at_[0] + first) * size;
      global = w_.block.run().global(address, static_cast<std::uint64_t>(end - first) * size, i_);
      if (!global) {
        w_.fault(FaultKind::illegal_address, address, i_);
        return false;
      }
    }
    const auto from = inside ? static_cast<unsigned>(first) * size : 0,
               until = inside ? static_cast<unsigned>(end) * size : 0;
    for (unsigned at = 0; at < row_bytes_; at += 16) {
      auto* const bytes = w_.resolve(Space::shared, i_, swizzled(to + at, map_.swizzle), 16, lane_);
      if (!bytes) return false;
      const auto low = std::clamp(from, at, at + 16), high = std::clamp(until, low, at + 16);
      if (copy_.is_store) {
        if (high > low) put(global + (low - from), bytes + (low - at), high - low);
        continue;
      }
      if (high - low < 16) fill(bytes);
      if (high > low) std::memcpy(bytes + (low - at), global + (low - from), high - low);
    }
    return true;
  }

  void put(std::byte* to, const std::byte* from, std::size_t size) const {
    if (copy_.how == Reduction::copy)
      std::memcpy(to, from, size);
    else
      reduce(copy_.how, TensorMap::element(map_.type), to, from, size);
  }

  // What lies outside of the tensor: zeros, or numbers that are none.
  void fill(std::byte* bytes) const {
    std::memset(bytes, map_.fills_with_nan ? 0xFF : 0, 16);
    if (!map_.fills_with_nan) return;
    const auto size = map_.element_size();
    for (unsigned at = size - 1; at < 16; at += size) bytes[at] = std::byte{0x7F};
  }

  Warp& w_;
  const Instruction& i_;
  const unsigned lane_;
  const TensorCopy copy_;
  const TensorMap& map_;
  std::int64_t at_[TensorMap::kMostDimensions] = {};
  std::uint64_t shared_ = 0, rows_ = 0;
  unsigned row_bytes_ = 0, pitch_ = 0;
};

void copy_box(Warp& w, const Instruction& i, Mask lanes) {
  const auto copy = std::bit_cast<TensorCopy>(i.immediate);
  const bool tells = has_operand(w, i, kBoxBarrier), multicasts = has_operand(w, i, kBoxBlocks);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    TensorMap map;
    const auto address = number_at(w, i, kBoxMap, l);
    if (!read_map(w, i, address, l, map)) return;
    const bool fits = map.rank == copy.rank && map.is_columns == copy.is_columns &&
                      (copy.how == Reduction::copy || may_reduce(copy.how, TensorMap::element(map.type)));
    if (!fits) return w.fault(FaultKind::illegal_instruction, address, i);
    const auto own = number_at(w, i, kBoxMemory, l), told = tells ? number_at(w, i, kBoxBarrier, l) : 0;
    if (own % 128 != 0) return w.fault(FaultKind::misaligned_address, own, i);
    const unsigned mask = multicasts ? w.at<std::uint16_t>(w.frame().function->operands[i.side + kBoxBlocks])[l] : 1;
    for (unsigned rank = 0; rank < 16; ++rank) {
      if (!(mask >> rank & 1)) continue;
      const auto in = [&](std::uint64_t a) { return multicasts ? Group::window_of(rank) | Group::offset_of(a) : a; };
      BoxCopy box(w, i, l, map);
      if (!box.run(in(own)) || (tells && !complete(w, i, in(told), box.bytes(), l))) return;
    }
  }
}

unsigned rank_of(const Form& f) {
  const auto word = f.one_of({"1d", "2d", "3d", "4d", "5d"});
  return word.empty() ? 0 : static_cast<unsigned>(word[0] - '0');
}

// What tensormap.replace writes.
enum class Field : std::uint8_t { address, rank, box, extent, stride, step, type, swizzle, fill };

void replace_field(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    TensorMap map;
    std::byte* halves[2];
    for (unsigned half = 0; half < 2; ++half) {
      halves[half] = w.resolve(i.space, i, addresses[l] + 64 * half, 64, l);
      if (!halves[half]) return;
      std::memcpy(reinterpret_cast<std::byte*>(&map) + 64 * half, halves[half], 64);
    }
    const std::uint64_t value = i.flag ? w.at<std::uint64_t>(i.b)[l] : w.at<std::uint32_t>(i.b)[l];
    // Numbers of types are not those of the driver.
    static constexpr std::uint8_t kTypes[TensorMap::kTypes] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    switch (static_cast<Field>(i.detail)) {
      case Field::address:
        map.address = value;
        break;
      case Field::rank:
        map.rank = static_cast<std::uint8_t>(value + 1);
        break;
      case Field::box:
        map.box[i.count] = static_cast<std::uint16_t>(value);
        break;
      case Field::extent:
        map.last[i.count] = static_cast<std::uint32_t>(value - 1);
        break;
      case Field::stride:
        map.strides[i.count] = value;
        break;
      case Field::step:
        map.steps[i.count] = static_cast<std::uint8_t>(value);
        break;
      case Field::type:
        map.type = kTypes[value % TensorMap::kTypes];
        break;
      case Field::swizzle:
        map.swizzle = static_cast<TensorMap::Swizzle>(value & 3);
        break;
      case Field::fill:
        map.fills_with_nan = value != 0;
        break;
    }
    for (unsigned half = 0; half < 2; ++half)
      std::memcpy(halves[half], reinterpret_cast<std::byte*>(&map) + 64 * half, 64);
  }
}

// From shared to global memory, 128 bytes by the whole warp.
void publish(Warp& w, const Instruction& i, Mask lanes) {
  const auto l = static_cast<unsigned>(std::countr_zero(lanes));
  for (unsigned half = 0; half < 2; ++half) {
    auto* const to = w.resolve(Space::global, i, number_at(w, i, 0, l) + 64 * half, 64, l);
    const auto* const from = to ? w.resolve(Space::shared, i, number_at(w, i, 1, l) + 64 * half, 64, l) : nullptr;
    if (!from) return;
    std::memcpy(to, from, 64);
  }
}

}  // namespace

namespace decoders {

// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
void tensor_copies(Form& f) {
  const auto rank = rank_of(f);
  if (rank == 0) f.fail_types();
  if (f.has("prefetch")) return no_effect(f);
  const bool stores = f.has("bulk_group"), multicasts = f.has("multicast::cluster");
  const bool columns = f.has("im2col") || f.has("im2col_no_offs");
  const TensorCopy copy{static_cast<std::uint8_t>(rank), stores, columns, reduction_of(f), {}};
  if ((copy.how != Reduction::copy) != f.has("reduce") || (copy.how != Reduction::copy && !stores)) f.fail_types();
  if (columns && rank < 3) f.fail_types();
  const auto& tensor = f.term(stores ? 0 : 1);
  if (tensor.kind != Term::Kind::address || tensor.items.size() != 2 || tensor.items[1].items.size() != rank)
    f.fail("expected a tensor map with its coordinates");
  OperandList operands(f);
  operands.address(f.term(stores ? 1 : 0));
  operands.address(tensor);
  std::size_t next = 2;
  if (stores)
    operands.nothing();
  else
    operands.address(f.term(next++));
  const auto* const looked_at = columns && !stores ? &f.term(next++) : nullptr;
  if (multicasts)
    operands.value(f.term(next++), Type::u16);
  else
    operands.nothing();
  for (const auto& c : tensor.items[1].items) operands.value(c, Type::s32);
  while (operands.size() < kBoxOffsets) operands.nothing();
  if (looked_at) {
    if (looked_at->items.size() != rank - 2) f.fail("a vector of another length");
    for (const auto& offset : looked_at->items) operands.value(offset, Type::u16);
  }
  operands.store();
  f.out.immediate = std::bit_cast<std::uint64_t>(copy);
  f.out.run = &copy_box;
}

void tensor_maps(Form& f) {
  if (f.has("cp_fenceproxy")) {
    OperandList operands(f);
    operands.address(f.term(0));
    operands.address(f.term(1));
    operands.store();
    f.out.kind = Kind::converge;
    f.out.c = f.constant(kAllLanes, 4);
    f.out.run = &publish;
    return;
  }
  static constexpr std::pair<std::string_view, Field> kFields[] = {{"global_address", Field::address},
                                                                   {"rank", Field::rank},
                                                                   {"box_dim", Field::box},
                                                                   {"global_dim", Field::extent},
                                                                   {"global_stride", Field::stride},
                                                                   {"element_stride", Field::step},
                                                                   {"elemtype", Field::type},
                                                                   {"swizzle_mode", Field::swizzle},
                                                                   {"fill_mode", Field::fill}};
  for (const auto& [word, field] : kFields) {
    if (!f.has(word)) continue;
    const bool numbered =
        field == Field::box || field == Field::extent || field == Field::stride || field == Field::step;
    f.out.space = f.space();
    f.address(f.term(0), f.out.space);
    if (numbered) {
      const auto& number = f.term(1);
      const auto places = TensorMap::kMostDimensions - (field == Field::stride);
      if (number.kind != Term::Kind::integer || number.value >= places) f.fail("expected the number of a dimension");
      f.out.count = static_cast<std::uint8_t>(number.value);
    }
    f.out.flag = f.has("b64");
    f.out.b = f.source(numbered ? 2 : 1, f.out.flag ? Type::b64 : Type::b32);
    f.out.detail = static_cast<std::uint8_t>(field);
    f.out.run = &replace_field;
    return;
  }
  f.fail_types();
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
