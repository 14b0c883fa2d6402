// Copies of boxes of tensors that a tensor map describes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/instructions/memory/box_copy.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {
namespace {

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
  if (!is_map) w.fault(FaultKind::illegal_instruction, address, i, lane);
  return is_map;
}

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
    if (!fits) return w.fault(FaultKind::illegal_instruction, address, i, l);
    const auto own = number_at(w, i, kBoxMemory, l), told = tells ? number_at(w, i, kBoxBarrier, l) : 0;
    if (own % 128 != 0) return w.fault(FaultKind::misaligned_address, own, i, l);
    const unsigned mask = multicasts ? w.at<std::uint16_t>(w.frame().function->operands[i.side + kBoxBlocks])[l] : 1;
    for (unsigned rank = 0; rank < 16; ++rank) {
      if (!(mask >> rank & 1)) continue;
      const auto in = [&](std::uint64_t a) { return multicasts ? Group::window_of(rank) | Group::offset_of(a) : a; };
      BoxCopy box(w, i, l, map);
      if (!box.copy(in(own)) || (tells && !complete(w, i, in(told), box.bytes(), l))) return;
    }
  }
}

unsigned rank_of(const Form& f) {
  const auto word = f.one_of({"1d", "2d", "3d", "4d", "5d"});
  return word.empty() ? 0 : static_cast<unsigned>(word[0] - '0');
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
  f.out.handler = &copy_box;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
