// Copies of boxes of tensors that a tensor map describes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/instructions/memory/box_copy.hpp"
#include "ptx/instructions/memory/copy_targets.hpp"

namespace nvmlkit::ptx {
namespace {

bool is_map(const TensorMap& map) {
  return map.magic == TensorMap::kMagic && map.rank >= 1 && map.rank <= TensorMap::kMostDimensions &&
         map.type < TensorMap::kTypes && std::find(map.steps, map.steps + map.rank, 0) == map.steps + map.rank;
}

bool fits(const TensorMap& map, const TensorCopy& copy) {
  return map.rank == copy.rank && map.is_columns == copy.is_columns &&
         (copy.how == Reduction::copy || may_reduce(copy.how, TensorMap::element(map.type)));
}

// The map at a generic address; false after a fault.
bool read_map(Warp& w, const Instruction& i, std::uint64_t address, unsigned lane, TensorMap& out) {
  for (unsigned half = 0; half < 2; ++half) {
    const auto* const bytes = w.resolve(Space::generic, i, address + 64 * half, 64, lane);
    if (!bytes) return false;
    std::memcpy(reinterpret_cast<std::byte*>(&out) + 64 * half, bytes, 64);
  }
  if (is_map(out)) return true;
  w.fault(FaultKind::illegal_instruction, address, i, lane);
  return false;
}

// The same without a fault, in a parameter of the kernel or in global memory.
bool peek_at_map(Warp& w, const Instruction& i, std::uint64_t address, TensorMap& out) {
  auto& worker = w.block.worker();
  const auto params = worker.grid.params;
  const auto offset = address - kParamWindow;
  const bool is_param = offset <= params.size() && params.size() - offset >= sizeof out;
  const auto* const bytes = is_param ? params.data() + offset : worker.global(address, sizeof out, i);
  if (bytes) std::memcpy(&out, bytes, sizeof out);
  return bytes && is_map(out);
}

constexpr CopyTargets kBoxTargets{kBoxMemory, kBoxBarrier, kBoxBlocks};

constexpr std::uint32_t kAlignment = 128;  // of shared memory

void copy_box(Warp& w, const Instruction& i, Mask lanes) {
  const auto copy = std::bit_cast<TensorCopy>(i.immediate);
  const bool tells = has_operand(w, i, kBoxBarrier);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    TensorMap map;
    const auto address = number_at(w, i, kBoxMap, l);
    if (!read_map(w, i, address, l, map)) return;
    if (!fits(map, copy)) return w.fault(FaultKind::illegal_instruction, address, i, l);
    const auto own = number_at(w, i, kBoxMemory, l);
    if (own % kAlignment != 0) return w.fault(FaultKind::misaligned_address, own, i, l);
    const bool is_done = kBoxTargets.each(w, i, l, [&](std::uint64_t to, std::uint64_t told) {
      BoxCopy box(w, i, l, map);
      return box.copy(to) && (!tells || complete(w, i, told, box.bytes(), l));
    });
    if (!is_done) return;
  }
}

unsigned rank_of(const Form& f) {
  const auto word = f.one_of({"1d", "2d", "3d", "4d", "5d"});
  return word.empty() ? 0 : static_cast<unsigned>(word[0] - '0');
}

}  // namespace

void touched::tensor_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  const auto copy = std::bit_cast<TensorCopy>(i.immediate);
  const auto touch = copy.is_store ? Touch::reads : Touch::writes;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(left));
    const auto address = number_at(w, i, kBoxMap, lane);
    const bool is_param = (address & kParamWindow) == kParamWindow;
    out.push_back({is_param ? address - kParamWindow : address, sizeof(TensorMap), 64, Touch::reads,
                   is_param ? Space::kernel_param : Space::constant, lane, false});
    TensorMap map;
    if (!peek_at_map(w, i, address, map) || !fits(map, copy)) continue;
    out.push_back({number_at(w, i, kBoxMemory, lane), 0, kAlignment, touch, Space::shared, lane, false});
    kBoxTargets.each(w, i, lane, [&](std::uint64_t to, std::uint64_t told) {
      BoxCopy(w, i, lane, map).list(to, out);
      if (has_operand(w, i, kBoxBarrier)) out.push_back({told, 8, 8, Touch::changes, Space::shared, lane, false});
      return true;
    });
  }
}

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
    if (looked_at->items.size() != rank - 2) f.fail(ErrorKind::vector_size, "a vector of another length");
    for (const auto& offset : looked_at->items) operands.value(offset, Type::u16);
  }
  operands.store();
  f.out.immediate = std::bit_cast<std::uint64_t>(copy);
  f.out.handler = &copy_box;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
