// Shared memory of other blocks of a cluster: mapa, getctarank; stores and reductions that signal a barrier: st.async,
// red.async.
#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/instructions/memory/mbarrier.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {
namespace {

// `immediate`: what a generic address has besides.
template <class T>
void map_address(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const rank = w.at<std::uint32_t>(i.b);
  each_lane(lanes, [&](unsigned l) {
    d[l] = static_cast<T>(i.immediate | Group::window_of(rank[l]) | Group::offset_of(a[l]));
  });
}

template <class T>
void rank_of_address(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto own = w.block.rank();
  each_lane(lanes, [&](unsigned l) {
    const auto window = static_cast<std::uint32_t>(a[l]) / Group::window_of(0);
    d[l] = window == 0 ? own : static_cast<std::uint32_t>(window - 1);
  });
}

std::uint64_t barrier_of(const Warp& w, const Instruction& i, unsigned lane) {
  const auto operand = w.frame().function->operands[i.side + i.count - 1u];
  return i.flag ? w.at<std::uint64_t>(operand)[lane] : w.at<std::uint32_t>(operand)[lane];
}

// The values lie one behind the other in Function::operands, and behind them the address of the barrier.
template <class T, class F>
void change_at_peer(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  const auto* const operands = w.frame().function->operands.data() + i.side;
  const unsigned values = i.count - 1u;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const bytes = w.resolve(i.space, i, addresses[l], sizeof(T) * values, l);
    if (!bytes) return;
    for (unsigned k = 0; k < values; ++k) {
      T old;
      std::memcpy(&old, bytes + k * sizeof(T), sizeof old);
      const T changed = F::of(old, w.at<T>(operands[k])[l]);
      std::memcpy(bytes + k * sizeof(T), &changed, sizeof changed);
    }
    auto* const told = w.resolve(i.space, i, barrier_of(w, i, l), 8, l);
    if (!told) return;
    auto barrier = Mbarrier::load(told);
    barrier.complete(static_cast<std::uint32_t>(sizeof(T) * values));
    barrier.write(told);
  }
}

template <class T>
Handler change_of(std::string_view what) {
  if (what == "inc") return &change_at_peer<T, Increment>;
  if (what == "dec") return &change_at_peer<T, Decrement>;
  if (what == "min") return &change_at_peer<T, Least>;
  if (what == "max") return &change_at_peer<T, Greatest>;
  if (what == "and") return &change_at_peer<T, And>;
  if (what == "or") return &change_at_peer<T, Or>;
  if (what == "xor") return &change_at_peer<T, Xor>;
  return what == "add" ? &change_at_peer<T, Add> : &change_at_peer<T, Replace>;
}

}  // namespace

void touched::async_changes(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  const auto& form = checked_form(*w.frame().function, i);
  each_lane(lanes, [&](unsigned l) {
    const auto lane = static_cast<std::uint8_t>(l);
    out.push_back({addresses[l], form.bytes, form.bytes, form.touch, i.space, lane, false});
    out.push_back({barrier_of(w, i, l), 8, 8, Touch::changes, i.space, lane, false});
  });
}

namespace decoders {

void cluster_addresses(Form& f) {
  const bool wide = f.type() == Type::u64;
  if (f.op() == Op::getctarank_) {
    f.out.d = f.target(0, Type::u32);
    f.out.a = f.source(1, f.type());
    f.out.handler = wide ? &rank_of_address<std::uint64_t> : &rank_of_address<std::uint32_t>;
    return;
  }
  f.out.d = f.target(0, f.type());
  if (f.term(1).kind == Term::Kind::symbol) {
    if (f.symbol_address(f.term(1)) != Space::shared) f.fail("expected an address in shared memory");
    f.out.a = f.constant(f.out.immediate, size_of(f.type()));
  } else {
    f.out.a = f.source(1, f.type());
  }
  f.out.b = f.source(2, Type::u32);
  f.out.immediate = f.space() == Space::generic ? kSharedWindow : 0;
  f.out.handler = wide ? &map_address<std::uint64_t> : &map_address<std::uint32_t>;
}

// st.async [a], b, [barrier]; red.async the same with an operation.
void async_changes(Form& f) {
  const auto type = f.type();
  const auto size = size_of(type);
  if (f.count() != 3 || f.space() == Space::global || (size != 4 && size != 8)) f.fail_types();
  std::vector<Operand> operands;
  const auto& value = f.term(1);
  if (value.kind == Term::Kind::vector)
    for (const auto& one : value.items) operands.push_back(f.source(one, type));
  else
    operands.push_back(f.source(value, type));
  const auto words = f.one_of({"v2", "v4"});
  if (operands.size() != (words.empty() ? 1u : static_cast<unsigned>(words[1] - '0')))
    f.fail(ErrorKind::vector_size, "a vector of another length");
  f.out.space = Space::shared;
  f.address(f.term(2), f.out.space);
  if (!f.out.a.is_there() || f.out.immediate != 0) f.fail("expected a register with the address of the barrier");
  operands.push_back(f.out.a);
  f.out.flag = f.out.wide_address;
  f.out.a = {};
  f.address(f.term(0), f.out.space);
  f.list(std::move(operands));
  const auto what = f.one_of({"and", "or", "xor", "add", "inc", "dec", "min", "max"});
  if (what.empty() != (f.op() == Op::st_)) f.fail_types();
  if (size == 8)
    f.out.handler = is_signed(type) ? change_of<std::int64_t>(what) : change_of<std::uint64_t>(what);
  else if (is_signed(type))
    f.out.handler = change_of<std::int32_t>(what);
  else
    f.out.handler = change_of<std::uint32_t>(what);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
