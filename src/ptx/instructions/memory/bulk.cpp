// Asynchronous copies of many consecutive bytes, and reductions of them. They run at once.
#include <bit>
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/instructions/memory/bulk_copies.hpp"
#include "ptx/instructions/memory/copy_targets.hpp"

namespace nvmlkit::ptx {
namespace {

enum RowOperand : unsigned { kRowTarget, kRowSource, kRowBytes, kRowBarrier, kRowBlocks };

// Between which spaces, and what becomes of the bytes; in an instruction's immediate.
struct BulkCopy {
  Space to, from;
  Reduction how;
  Type type;
  std::uint8_t unused[4];
};
static_assert(sizeof(BulkCopy) == 8);

bool copy_row(Warp& w, const Instruction& i, const BulkCopy& copy, std::uint64_t to, unsigned l) {
  const auto from = number_at(w, i, kRowSource, l), size = number_at(w, i, kRowBytes, l);
  for (std::uint64_t done = 0; done < size; done += 16) {
    auto* const d = w.resolve(copy.to, i, to + done, 16, l);
    const auto* const s = d ? w.resolve(copy.from, i, from + done, 16, l) : nullptr;
    if (!s) return false;
    if (copy.how == Reduction::copy)
      std::memmove(d, s, 16);
    else
      reduce(copy.how, copy.type, d, s, 16);
  }
  return true;
}

constexpr CopyTargets kRowTargets{kRowTarget, kRowBarrier, kRowBlocks};

void copy_bulk(Warp& w, const Instruction& i, Mask lanes) {
  const auto copy = std::bit_cast<BulkCopy>(i.immediate);
  const bool tells = has_operand(w, i, kRowBarrier);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    const auto size = static_cast<std::uint32_t>(number_at(w, i, kRowBytes, l));
    const bool is_done = kRowTargets.each(w, i, l, [&](std::uint64_t to, std::uint64_t told) {
      return copy_row(w, i, copy, to, l) && (!tells || complete(w, i, told, size, l));
    });
    if (!is_done) return;
  }
}

}  // namespace

void touched::bulk_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  const auto copy = std::bit_cast<BulkCopy>(i.immediate);
  const bool copies = copy.how == Reduction::copy;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(left));
    const auto from = number_at(w, i, kRowSource, lane);
    const auto size = static_cast<std::uint32_t>(number_at(w, i, kRowBytes, lane));
    kRowTargets.each(w, i, lane, [&](std::uint64_t to, std::uint64_t told) {
      if (size > 0) {
        out.push_back({from, size, 16, Touch::reads, copy.from, lane, false});
        out.push_back({to, size, 16, copies ? Touch::writes : Touch::changes, copy.to, lane, copies});
      }
      if (has_operand(w, i, kRowBarrier)) out.push_back({told, 8, 8, Touch::changes, Space::shared, lane, false});
      return true;
    });
  }
}

namespace decoders {

// cp.async.bulk and cp.reduce.async.bulk.
void bulk_copies(Form& f) {
  if (f.has("tensor")) return tensor_copies(f);
  if (f.has("prefetch")) return no_effect(f);
  const bool to_global = f.has("bulk_group");
  const bool multicasts = f.has("multicast::cluster");
  if (f.count() < (to_global ? 3u : 4u) + multicasts || f.has("cp_mask")) f.fail_types();
  BulkCopy copy{to_global ? Space::global : Space::shared,
                to_global || !f.has("global") ? Space::shared : Space::global,
                reduction_of(f),
                f.type(),
                {}};
  if (copy.how != Reduction::copy && !may_reduce(copy.how, copy.type)) f.fail_types();
  if ((copy.how != Reduction::copy) != (f.op() == Op::cp_ && f.has("reduce"))) f.fail_types();
  OperandList operands(f);
  operands.address(f.term(0));
  operands.address(f.term(1));
  operands.value(f.term(2), Type::u32);
  if (to_global)
    operands.nothing();
  else
    operands.address(f.term(3));
  if (multicasts)
    operands.value(f.term(4), Type::u16);
  else
    operands.nothing();
  operands.store();
  f.out.immediate = std::bit_cast<std::uint64_t>(copy);
  f.out.handler = &copy_bulk;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
