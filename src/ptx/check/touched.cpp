#include "ptx/check/touched.hpp"

#include <algorithm>

#include "ptx/check/bounds.hpp"
#include "ptx/check/written.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint32_t kChunk = 16;

ListTouched list_of_copies(const Form& f) {
  if (f.has("mbarrier") && !f.has("bulk")) return &touched::barriers;
  if (f.has("prefetch") || f.has("commit_group") || f.has("wait_group") || f.has("wait_all")) return nullptr;
  if (!f.has("bulk")) return &touched::async_copies;
  return f.has("tensor") ? &touched::tensor_copies : &touched::bulk_copies;
}

ListTouched list_of(const Form& f) {
  switch (f.op()) {
    case Op::cp_:
      return list_of_copies(f);
    case Op::ldmatrix_:
    case Op::stmatrix_:
      return &touched::matrix_rows;
    case Op::wmma_:
      return f.has("mma") ? nullptr : &touched::tiles;
    case Op::wgmma_:
      return f.has("mma_async") ? &touched::group_products : nullptr;
    case Op::mbarrier_:
      return f.has("pending_count") ? nullptr : &touched::barriers;
    case Op::st_:
    case Op::red_:
      return f.has("async") ? &touched::async_changes : nullptr;
    case Op::tensormap_:
      return f.has("cp_fenceproxy") ? &touched::published_maps : &touched::tensor_maps;
    default:
      return nullptr;
  }
}

Touch touch_of(const Form& f) {
  switch (f.op()) {
    case Op::ldmatrix_:
      return Touch::reads;
    case Op::stmatrix_:
    case Op::st_:
      return Touch::writes;
    case Op::mbarrier_:
      return f.has("init") || f.has("inval") ? Touch::writes : Touch::changes;
    default:
      return Touch::changes;
  }
}

// The usual case: of each space, all lie within one allocation or variable.
bool all_are_there(Warp& w, const Instruction& i, const TouchedBytes& pieces) {
  struct Reach {
    std::uint64_t low = ~std::uint64_t{0}, end = 0;
  };
  Reach shared, global;
  for (const auto& p : pieces) {
    if (p.address % p.align != 0) return false;
    if (p.size == 0) continue;
    if (p.space != Space::shared && p.space != Space::global) {
      if (!is_there(w, i, p.space, p.address, p.size)) return false;
      continue;
    }
    auto& reach = p.space == Space::shared ? shared : global;
    reach.low = std::min(reach.low, p.address);
    reach.end = std::max(reach.end, p.address + p.size);
  }
  return (shared.end == 0 || is_there(w, i, Space::shared, shared.low, shared.end - shared.low)) &&
         (global.end == 0 || is_there(w, i, Space::global, global.low, global.end - global.low));
}

// Where a piece that is not all there begins to be elsewhere.
Touched first_missing(Warp& w, const Instruction& i, Touched p) {
  while (p.size > kChunk && is_there(w, i, p.space, p.address, kChunk)) {
    p.address += kChunk;
    p.size -= kChunk;
  }
  p.size = std::min(p.size, kChunk);
  return p;
}

Mask missing_lanes(Warp& w, const Instruction& i, const TouchedBytes& pieces, Mask lanes) {
  const bool is_by_warp = checked_form(*w.frame().function, i).op == Op::wgmma_;
  Mask bad = 0;
  for (const auto& p : pieces) {
    if (bad >> p.lane & 1) continue;
    const bool is_misaligned = p.address % p.align != 0;
    if (!is_misaligned && (p.size == 0 || is_there(w, i, p.space, p.address, p.size))) continue;
    const auto first = is_misaligned ? p : first_missing(w, i, p);
    const auto kind = is_misaligned ? BadAccess::Kind::misaligned : BadAccess::Kind::out_of_bounds;
    const Mask of = is_by_warp ? lanes : Mask{1} << p.lane;
    for (Mask left = of; left != 0; left &= left - 1)
      w.refuse(kind, first.touch, first.space, i, first.address, first.size, first_of(left));
    bad |= of;
  }
  return bad;
}

void check(Warp& w, const Instruction& i, Mask lanes) {
  lanes = check_touched(w, i, lanes);
  if (lanes == 0) return;
  const auto& form = checked_form(*w.frame().function, i);
  (form.order ? form.order : form.handler)(w, i, lanes);
}

thread_local TouchedBytes last;

}  // namespace

const TouchedBytes& touched_by(Warp& w, const Instruction& i, Mask lanes) {
  last.clear();
  checked_form(*w.frame().function, i).touched(w, i, lanes, last);
  for (auto& p : last) p.space = space_of(p.space, p.address);
  return last;
}

const TouchedBytes& last_touched() { return last; }

Mask check_touched(Warp& w, const Instruction& i, Mask lanes) {
  const auto& all = touched_by(w, i, lanes);
  if (!all_are_there(w, i, all)) lanes &= ~missing_lanes(w, i, all, lanes);
  if (checking.initialized && lanes != 0) check_written(w, i, all, lanes);
  return lanes;
}

bool add_touch_check(const Form& form, Instruction& out, CheckedForm& made) {
  const bool is_plain = out.kind == Kind::plain || out.kind == Kind::guarded;
  if (!out.handler || (!is_plain && out.kind != Kind::converge)) return false;
  made.touched = list_of(form);
  if (!made.touched) return false;
  made.touch = touch_of(form);
  const auto words = form.one_of({"v2", "v4"});
  made.bytes = static_cast<std::uint16_t>(size_of(form.type()) * (words.empty() ? 1u : words[1] - '0'));
  if (is_plain) {
    made.handler = out.handler;
    out.handler = &check;
  }
  return true;
}

}  // namespace nvmlkit::ptx
