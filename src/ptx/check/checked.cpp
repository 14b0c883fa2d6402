#include "ptx/check/checked.hpp"

#include <cstring>

#include "ptx/check/block_watch.hpp"
#include "ptx/check/extents.hpp"
#include "ptx/check/order_checks.hpp"
#include "ptx/check/races/block.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint64_t kWindows = std::uint64_t{0xFF} << 56;

// The space of an address, which becomes relative to the start of the space.
Space space_of(Space space, std::uint64_t& address) {
  if (space != Space::generic) return space;
  const auto window = address & kWindows;
  if (window != kSharedWindow && window != kLocalWindow && window != kParamWindow) return Space::global;
  address -= window;
  return window == kSharedWindow ? Space::shared : window == kLocalWindow ? Space::local : Space::kernel_param;
}

bool is_in_shared(Warp& w, std::uint64_t address, std::uint64_t size) {
  const auto& grid = w.block.worker().grid;
  if (!w.block.shared_of_peer(address, size) && address >= Group::window_of(0)) return false;
  const auto offset = Group::offset_of(address);
  if (grid.module->extents->shared.hold(offset, size)) return true;
  const Extent dynamic{grid.module->shared_bytes, grid.dynamic_shared, nullptr};
  return dynamic.holds(offset, size) || w.block.is_reserved(offset, size);
}

bool is_in_global(Warp& w, const Instruction& i, std::uint64_t address, std::uint64_t size) {
  auto& worker = w.block.worker();
  if (!worker.global(address, size, i)) return false;
  const auto& extents = *worker.grid.module->extents;
  const auto offset = address - extents.image_start;
  return offset >= extents.image_size || extents.image.hold(offset, size);
}

// Whether all of so many bytes are memory that the thread may use.
bool is_there(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::uint64_t size) {
  switch (space) {
    case Space::shared:
      return is_in_shared(w, address, size);
    case Space::local:
      return Extent{0, w.local_start() + w.frame().function->local_bytes, nullptr}.holds(address, size);
    case Space::kernel_param:
      return Extent{0, w.block.worker().grid.params.size(), nullptr}.holds(address, size);
    case Space::param:
      return true;
    case Space::generic:
    case Space::global:
    case Space::constant:
      return is_in_global(w, i, address, size);
  }
  return false;
}

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

// Reads of bytes that nothing wrote; what is written is noted.
void check_written(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes) {
  if (form.touch == Touch::reads && i.space == Space::constant) return;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto address = addresses[lane];
    if (space_of(i.space, address) != Space::global || !w.block.worker().global(address, form.size, i)) continue;
    auto* const written = w.block.worker().written(address);
    if (!written) continue;
    const bool is_known = form.touch == Touch::writes || !std::memchr(written, 0, form.size);
    if (!is_known) w.refuse(BadAccess::Kind::uninitialized, Touch::reads, Space::global, i, address, form.size, lane);
    if (form.touch != Touch::reads) std::memset(written, 1, form.size);
  }
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
  if (checking.initialized && i.space != Space::shared && i.space != Space::local)
    check_written(w, i, form, addresses, lanes);
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
  if (auto* const watch = w.block.watch()) {
    watch->check_lanes(w, i, lanes);
    if (watch->races()) note_matrix(w, i, lanes);
  }
  checked_form(*w.frame().function, i).handler(w, i, lanes);
}

void add_lane_check(const Form& form, Instruction& out, CheckedForm& made) {
  const auto op = form.op();
  made.is_aligned = op == Op::bar_ || form.has("aligned");
  made.names_lanes = is_for_lanes(op);
  if (out.kind != Kind::converge || !checking.watches_blocks()) return;
  made.handler = out.handler;
  out.handler = &check_lanes;
}

}  // namespace

void add_check(const Form& form, Instruction& out, Function& function) {
  auto& made = function.checked.emplace_back();
  const auto op = form.op();
  made.op = op;
  if (out.kind == Kind::barrier || out.kind == Kind::converge) add_lane_check(form, out, made);
  const bool changes = op == Op::atom_ || op == Op::red_;
  const bool reads = op == Op::ld_ || op == Op::ldu_;
  function.writes_unseen |= (out.writes && !changes && op != Op::st_) || form.has("async");
  if (!reads && !changes && op != Op::st_) return add_order_check(form, out, made);
  const bool is_plain = out.kind == Kind::plain || out.kind == Kind::guarded;
  if (!is_plain || form.has("async") || out.space == Space::param || out.space == Space::kernel_param) return;
  const auto size = size_of(form.type()) * values_of(form);
  if (size == 0) return;
  made.handler = out.handler;
  made.size = size;
  made.touch = changes ? Touch::changes : reads ? Touch::reads : Touch::writes;
  note_order(form, made);
  out.handler = &check_memory;
}

}  // namespace nvmlkit::ptx
