// Barriers in shared memory. They count arrivals and bytes of pending copies; copies are complete at once
// here.
#include "ptx/instructions/memory/mbarrier.hpp"

#include <cstring>

#include "ptx/check/touched.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {

std::uint64_t Mbarrier::arrive(std::uint32_t count) {
  const auto before = word();
  pending -= count;
  end_phase();
  return before;
}

void Mbarrier::end_phase() {
  if (pending > 0 || bytes != 0) return;
  pending = static_cast<std::int32_t>(expected);
  phase ^= 1;
}

namespace {

enum class Action : std::uint8_t { init, invalidate, arrive, arrive_expecting, expect, complete, drop, test, parity };

// The number of arrivals or bytes is in operand b, as is the state or parity that is waited for.
template <Action action>
void act(Warp& w, const Instruction& i, Mask lanes) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  Mask done = 0;
  if (action == Action::test || action == Action::parity) w.waits(kWeightOfPoll);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    auto* const bytes = w.resolve(i.space, i, addresses[l], 8, l);
    if (!bytes) return;
    auto barrier = Mbarrier::load(bytes);
    const std::uint32_t number = i.b.is_there() && action != Action::test ? w.at<std::uint32_t>(i.b)[l] : 1;
    std::uint64_t state = barrier.word();
    switch (action) {
      case Action::init:
        barrier = {number, static_cast<std::int32_t>(number), 0, 0};
        break;
      case Action::invalidate:
        barrier = {};
        break;
      case Action::arrive_expecting:
        barrier.bytes += static_cast<std::int32_t>(number);
        state = barrier.arrive(1);
        break;
      case Action::arrive:
        state = barrier.arrive(number);
        break;
      case Action::expect:
        barrier.bytes += static_cast<std::int32_t>(number);
        break;
      case Action::complete:
        barrier.complete(number);
        break;
      case Action::drop:
        barrier.expected -= number;
        state = barrier.arrive(number);
        break;
      case Action::test:
        done |= Mask{Mbarrier::of(w.at<std::uint64_t>(i.b)[l]).phase != barrier.phase ? 1u : 0u} << l;
        break;
      case Action::parity:
        done |= Mask{(number & 1) != barrier.phase ? 1u : 0u} << l;
        break;
    }
    barrier.write(bytes);
    if (action != Action::test && action != Action::parity && i.d.is_there()) w.at<std::uint64_t>(i.d)[l] = state;
  }
  if (action != Action::test && action != Action::parity) return;
  if (i.d.is_there()) w.set_predicate(i.d, lanes, done);
  if (done != lanes) w.waits(kWholeTurn);
}

void pending_count(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::uint64_t>(i.a);
  each_lane(lanes, [=](unsigned l) { d[l] = static_cast<std::uint32_t>(Mbarrier::of(a[l]).pending); });
}

Handler handler_of(const Form& f) {
  if (f.has("init")) return &act<Action::init>;
  if (f.has("inval")) return &act<Action::invalidate>;
  if (f.has("arrive")) return f.has("expect_tx") ? &act<Action::arrive_expecting> : &act<Action::arrive>;
  if (f.has("arrive_drop")) return &act<Action::drop>;
  if (f.has("expect_tx")) return &act<Action::expect>;
  if (f.has("complete_tx")) return &act<Action::complete>;
  if (f.has("test_wait") || f.has("try_wait")) return f.has("parity") ? &act<Action::parity> : &act<Action::test>;
  return nullptr;
}

}  // namespace

void touched::barriers(Warp& w, const Instruction& i, Mask lanes, TouchedBytes& out) {
  std::uint64_t addresses[kLanes];
  w.addresses(i, addresses);
  const auto touch = checked_form(*w.frame().function, i).touch;
  each_lane(lanes, [&](unsigned l) {
    out.push_back({addresses[l], 8, 8, touch, i.space, static_cast<std::uint8_t>(l), false});
  });
}

namespace decoders {

void mbarrier(Form& f) {
  if (f.has("pending_count")) {
    f.out.d = f.target(0, Type::u32);
    f.out.a = f.source(1, Type::b64);
    f.out.handler = &pending_count;
    return;
  }
  const bool waits = f.has("test_wait") || f.has("try_wait");
  const bool arrives = f.has("arrive") || f.has("arrive_drop");
  const bool has_target = waits || (arrives && f.term(0).kind != Term::Kind::address);
  if (has_target && f.term(0).kind != Term::Kind::none) f.out.d = f.target(0, waits ? Type::pred : Type::b64);
  const std::size_t at = has_target ? 1 : 0;
  f.out.space = f.space();
  f.address(f.term(at), f.out.space);
  if (f.count() > at + 1) f.out.b = f.source(at + 1, waits && !f.has("parity") ? Type::b64 : Type::u32);
  f.out.handler = handler_of(f);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
