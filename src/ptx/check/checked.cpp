#include "ptx/check/checked.hpp"

#include <cstring>

#include "ptx/check/bits/unwritten.hpp"
#include "ptx/check/block_watch.hpp"
#include "ptx/check/bounds.hpp"
#include "ptx/check/order_checks.hpp"
#include "ptx/check/races/block.hpp"
#include "ptx/check/touched.hpp"
#include "ptx/check/written.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

bool all_are_there(Warp& w, const Instruction& i, const CheckedForm& form, Bounds bounds) {
  if ((bounds.bits & (form.size - 1)) != 0) return false;
  if (i.space == Space::generic && ((bounds.low ^ bounds.high) & kWindows) != 0) return false;
  auto low = bounds.low;
  const auto length = bounds.high - bounds.low + form.size;
  const auto space = space_of(i.space, low);
  return is_there(w, i, space, low, length);
}

Mask bad_lanes(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes) {
  Mask bad = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto address = addresses[lane];
    const auto space = space_of(i.space, address);
    const bool is_misaligned = addresses[lane] % form.size != 0;
    if (!is_misaligned && is_there(w, i, space, address, form.size)) continue;
    w.refuse(is_misaligned ? BadAccess::Kind::misaligned : BadAccess::Kind::out_of_bounds, form.touch, space, i,
             address, form.size, lane);
    bad |= Mask{1} << lane;
  }
  return bad;
}

// Of a warp that waits for others, whether it changes memory itself: a lock that stays taken is no change.
void execute_change(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses,
                    Mask lanes) {
  auto* const watch = w.block.watch();
  if (!watch || !checking.barriers || !watch->has_polled() || form.size > 16) {
    if (watch) watch->changes();
    return form.handler(w, i, lanes);
  }
  std::byte before[kLanes][16];
  std::byte* bytes[kLanes] = {};
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    bytes[lane] = w.resolve(i.space, i, addresses[lane], form.size, lane);
    if (bytes[lane]) std::memcpy(before[lane], bytes[lane], form.size);
  }
  form.handler(w, i, lanes);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    if (bytes[lane] && std::memcmp(before[lane], bytes[lane], form.size) != 0) return watch->changes();
  }
}

void check_memory(Warp& w, const Instruction& i, Mask lanes) {
  const auto& form = checked_form(*w.frame().function, i);
  std::uint64_t addresses[kLanes];
  effective_addresses(w, i, addresses);
  if (!all_are_there(w, i, form, bounds_of(addresses, lanes))) lanes &= ~bad_lanes(w, i, form, addresses, lanes);
  if (lanes == 0) return;
  if (checking.initialized) check_written(w, i, form, addresses, lanes);
  if (auto* const watch = w.block.watch(); watch && watch->races())
    watch->races()->access(w, i, form, addresses, lanes);
  if (auto* const watch = w.block.watch(); watch && checking.barriers && form.scope != Scope::none) watch->polls();
  if (form.touch == Touch::reads)
    form.handler(w, i, lanes);
  else
    execute_change(w, i, form, addresses, lanes);
}

std::uint32_t values_of(const Form& form) {
  const auto word = form.one_of({"v2", "v4", "v8"});
  return word.empty() ? 1 : static_cast<std::uint32_t>(word[1] - '0');
}

}  // namespace

namespace {

bool is_for_lanes(Op op) {
  return op == Op::shfl_ || op == Op::vote_ || op == Op::match_ || op == Op::redux_ || op == Op::elect_ ||
         op == Op::bar_ || op == Op::barrier_;
}

// An instruction for a set of lanes, which have come together.
void check_lanes(Warp& w, const Instruction& i, Mask lanes) {
  const auto& form = checked_form(*w.frame().function, i);
  auto* const watch = w.block.watch();
  if (watch) watch->check_lanes(w, i, lanes);
  if (form.touched) {
    if (check_touched(w, i, lanes) != lanes) return;  // it needs all lanes
    if (form.order) return form.order(w, i, lanes);
  }
  form.handler(w, i, lanes);
}

void add_lane_check(const Form& form, Instruction& out, CheckedForm& made) {
  const auto op = form.op();
  made.is_aligned = op == Op::bar_ || form.has("aligned");
  made.names_lanes = is_for_lanes(op);
  if (out.kind != Kind::converge || (!checking.watches_blocks() && !made.touched)) return;
  made.handler = out.handler;
  out.handler = &check_lanes;
}

}  // namespace

namespace {

void add_checks(const Form& form, Instruction& out, Function& function, CheckedForm& made) {
  const auto op = form.op();
  made.op = op;
  const bool changes = op == Op::atom_ || op == Op::red_;
  const bool reads = op == Op::ld_ || op == Op::ldu_;
  const bool is_usual = (reads || changes || op == Op::st_) && !form.has("async");
  const bool is_listed = !is_usual && add_touch_check(form, out, made);
  if (out.kind == Kind::barrier || out.kind == Kind::converge) add_lane_check(form, out, made);
  function.writes_unseen |= out.writes && !is_usual && !is_listed;
  if (!is_usual) return add_order_check(form, out, made);
  const bool is_plain = out.kind == Kind::plain || out.kind == Kind::guarded;
  made.size = size_of(form.type()) * values_of(form);
  if (!is_plain || out.space == Space::param || out.space == Space::kernel_param || made.size == 0) return;
  made.handler = out.handler;
  made.touch = changes ? Touch::changes : reads ? Touch::reads : Touch::writes;
  note_order(form, made);
  out.handler = &check_memory;
}

}  // namespace

void add_check(const Form& form, Instruction& out, Function& function) {
  auto& made = function.checked.emplace_back();
  add_checks(form, out, function, made);
  if (checking.initialized) add_following(out, made);
}

}  // namespace nvmlkit::ptx
