// Asynchronous copies of a few bytes per lane. They run at once.
#include <bit>
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/instructions/memory/mbarrier.hpp"
#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {
namespace {

// A copy of one lane.
struct LaneCopy {
  std::uint64_t to = 0, from = 0;
  std::size_t bytes = 0;  // that are copied; the rest becomes 0

  LaneCopy(const Warp& w, const Instruction& i, unsigned lane) {
    const auto* const operands = w.frame().function->operands.data() + i.side;
    const std::size_t width = i.wide_address ? 8 : 4;
    std::memcpy(&to, w.at<std::byte>(operands[0]) + lane * width, width);
    to += i.immediate & 0xFFFFFFFF;
    from = w.at<std::uint64_t>(operands[1])[lane] +
           static_cast<std::uint64_t>(static_cast<std::int32_t>(i.immediate >> 32));
    bytes = i.c.is_there() ? std::min<std::size_t>(w.at<std::uint32_t>(i.c)[lane], i.count) : i.count;
  }
};

// Memory may end behind the bytes that are copied.
const std::byte* source_of(Warp& w, const Instruction& i, const LaneCopy& copy, unsigned lane) {
  if (copy.bytes < i.count && copy.from % i.count == 0)
    if (const auto* const bytes = w.block.worker().global(copy.from, copy.bytes, i)) return bytes;
  return w.resolve(Space::global, i, copy.from, i.count, lane);
}

// 16 bytes or fewer from global to shared memory; of what is left out, zeros.
void copy_async(Warp& w, const Instruction& i, Mask lanes) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    const LaneCopy copy(w, i, l);
    auto* const d = w.resolve(Space::shared, i, copy.to, i.count, l);
    if (!d) return;
    std::byte bytes[16] = {};
    if (copy.bytes > 0) {
      const auto* const s = source_of(w, i, copy, l);
      if (!s) return;
      std::memcpy(bytes, s, copy.bytes);
    }
    std::memcpy(d, bytes, i.count);
  }
}

// The copies before are done. Without `flag` the barrier expected no arrival for them.
void arrive_after_copies(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const bytes = w.resolve(i.space, i, addresses[l], 8, l);
    if (!bytes) return;
    auto barrier = Mbarrier::load(bytes);
    if (!i.flag) continue;
    barrier.arrive(1);
    barrier.write(bytes);
  }
}

}  // namespace

void touched::async_copies(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(left));
    const LaneCopy copy(w, i, lane);
    if (copy.bytes > 0)
      out.push_back(
          {copy.from, static_cast<std::uint32_t>(copy.bytes), i.count, Touch::reads, Space::global, lane, false});
    out.push_back({copy.to, i.count, i.count, Touch::writes, Space::shared, lane, false});
  }
}

namespace decoders {

void async_copies(Form& f) {
  if (!f.has("async")) f.fail_types();
  if (f.has("mbarrier") && !f.has("bulk")) {
    f.out.space = f.space();
    f.address(f.term(0), f.out.space);
    f.out.flag = f.has("noinc");
    f.out.handler = &arrive_after_copies;
    return;
  }
  if (f.has("commit_group") || f.has("wait_group") || f.has("wait_all")) return no_effect(f);
  if (f.has("bulk")) return bulk_copies(f);
  if (f.count() < 3 || f.space() == Space::generic) f.fail_types();
  std::vector<Operand> operands;
  Space space = Space::shared;
  f.address(f.term(0), space);
  if (f.out.local_base) f.fail_types();
  bool wide = f.out.wide_address;
  const auto target_offset = f.out.immediate;
  if (!f.out.a.is_there()) {
    operands.push_back(f.constant(0, 8));
    wide = true;
  } else {
    operands.push_back(f.out.a);
  }
  f.out.a = {};
  f.out.wide_address = true;
  space = Space::global;
  f.address(f.term(1), space);
  if (!f.out.a.is_there() || !f.out.wide_address) f.fail(ErrorKind::operands, "expected a register with an address");
  operands.push_back(f.out.a);
  f.list(operands);
  f.out.immediate = f.out.immediate << 32 | (target_offset & 0xFFFFFFFF);
  f.out.wide_address = wide;
  const auto size = f.term(2).value;
  if (f.term(2).kind != Term::Kind::integer || (size != 4 && size != 8 && size != 16)) f.fail("4, 8 or 16 bytes");
  f.out.count = static_cast<std::uint8_t>(size);
  if (f.count() > 3) f.out.c = f.source(3, Type::u32);
  f.out.is_lane_copy = true;
  f.out.handler = &copy_async;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
