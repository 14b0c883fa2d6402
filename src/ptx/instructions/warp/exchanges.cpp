// Exchanges between the lanes of a warp: shuffles, votes, matches, reductions.
#include <algorithm>
#include <bit>

#include "ptx/decode/form.hpp"
#include "ptx/decode/variants.hpp"
#include "ptx/instructions/numbers/operations.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

// `how` is the first letter of what the instruction is called. Lanes that would read outside of their segment keep
// their own.
template <char how>
void shuffle_lanes(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(w.frame().function->operands[i.side]);
  std::uint32_t from[kLanes], source[kLanes];
  std::copy_n(a, kLanes, from);
  bool inside[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    const auto by = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    const auto last = (l & segment) | (clamp & ~segment);
    const auto other = how == 'u'   ? l - by
                       : how == 'd' ? l + by
                       : how == 'b' ? l ^ by
                                    : (l & segment) | (by & ~segment);
    inside[l] = how == 'u' ? static_cast<int>(other) >= static_cast<int>(last) : other <= last;
    source[l] = inside[l] ? other & 31 : l;
  }
  if (i.d2.is_there()) w.set_predicate(i.d2, lanes, gather([&](unsigned l) { return inside[l]; }));
  if (i.d.is_there()) set_lanes(w.at<std::uint32_t>(i.d), lanes, [&](unsigned l) { return from[source[l]]; });
}

void vote(Warp& w, const Instruction& i, Mask lanes) {
  const Mask yes = (i.flag ? ~w.predicate(i.a) : w.predicate(i.a)) & lanes;
  if (i.detail == 'b') {
    auto* const d = w.at<std::uint32_t>(i.d);
    each_lane(lanes, [=](unsigned l) { d[l] = yes; });
    return;
  }
  const bool result = i.detail == 'a' ? yes == lanes : i.detail == 'o' ? yes != 0 : yes == 0 || yes == lanes;
  w.set_predicate(i.d, lanes, result ? kAllLanes : 0);
}

template <class T>
void match_any(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  auto* const d = w.at<std::uint32_t>(i.d);
  Mask same[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) same[l] = gather([&](unsigned k) { return a[k] == a[l]; }) & lanes;
  each_lane(lanes, [&](unsigned l) { d[l] = same[l]; });
}

template <class T>
void match_all(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const bool all = (gather([&](unsigned k) { return a[k] == a[first]; }) & lanes) == lanes;
  if (i.d.is_there()) {
    auto* const d = w.at<std::uint32_t>(i.d);
    each_lane(lanes, [&](unsigned l) { d[l] = all ? lanes : 0; });
  }
  if (i.d2.is_there()) w.set_predicate(i.d2, lanes, all ? kAllLanes : 0);
}

// What stands for the operation in Instruction::detail, for the compiler.
std::uint8_t sign_of_reduction(std::string_view what) {
  constexpr std::pair<std::string_view, char> kSigns[] = {{"add", '+'}, {"min", '<'}, {"max", '>'},
                                                          {"and", '&'}, {"or", '|'},  {"xor", '^'}};
  for (const auto& [name, sign] : kSigns)
    if (name == what) return static_cast<std::uint8_t>(sign);
  return 0;
}

// F of what all lanes have.
template <class T, class F>
void reduce_lanes(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  T result = a[first];
  if constexpr (std::is_floating_point_v<T>) result = F::of(result, result);  // also of one lane
  for (auto l = first + 1; l < kLanes; ++l)
    if (lanes >> l & 1) result = F::of(result, a[l]);
  auto* const d = w.at<T>(i.d);
  each_lane(lanes, [=](unsigned l) { d[l] = result; });
}

void elect_one(Warp& w, const Instruction& i, Mask lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  if (i.d.is_there()) {
    auto* const d = w.at<std::uint32_t>(i.d);
    each_lane(lanes, [=](unsigned l) { d[l] = first; });
  }
  if (i.d2.is_there()) w.set_predicate(i.d2, lanes, Mask{1} << first);
}

void active(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  each_lane(lanes, [=](unsigned l) { d[l] = lanes; });
}

// Lanes that go together may name sets of their own, as groups of a partition do: each set is answered by itself.
template <Handler inner>
void by_set(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const sets = w.at<Mask>(i.c);
  while (lanes != 0) {
    const Mask set = sets[std::countr_zero(lanes)];
    const Mask group = gather([&](unsigned l) { return sets[l] == set; }) & lanes;
    inner(w, i, group);
    lanes &= ~group;
  }
}

// With .sync, the last operand selects the lanes that take part, and all of them must arrive.
void wait_for(Form& f, std::size_t index) {
  if (!f.has("sync")) return;
  f.out.kind = Kind::converge;
  f.out.c = f.source(index, Type::b32);
}

template <Handler inner>
void wait_and_run(Form& f, std::size_t index) {
  wait_for(f, index);
  f.out.handler = f.has("sync") && f.term(index).kind != Term::Kind::integer ? &by_set<inner> : inner;
}

// Of floats; with .abs of their magnitudes.
template <class F, bool of_magnitudes>
struct OfFloats {
  static float of(float a, float b) { return settled(of_magnitudes ? F::of(std::fabs(a), std::fabs(b)) : F::of(a, b)); }
};

template <class F>
void float_reduction(Form& f) {
  f.has("abs") ? wait_and_run<reduce_lanes<float, OfFloats<F, true>>>(f, 2)
               : wait_and_run<reduce_lanes<float, OfFloats<F, false>>>(f, 2);
}

void float_reduction(Form& f, std::string_view what) {
  const bool keeps = f.has("NaN");
  if (what == "min") return keeps ? float_reduction<Extreme<true, true>>(f) : float_reduction<Extreme<true, false>>(f);
  if (what == "max")
    return keeps ? float_reduction<Extreme<false, true>>(f) : float_reduction<Extreme<false, false>>(f);
  f.fail_types();
}

template <class T>
void reduction(Form& f, std::string_view what) {
  if (what == "add") return wait_and_run<reduce_lanes<T, Add>>(f, 2);
  if (what == "min") return wait_and_run<reduce_lanes<T, Least>>(f, 2);
  if (what == "max") return wait_and_run<reduce_lanes<T, Greatest>>(f, 2);
  if (what == "and") return wait_and_run<reduce_lanes<T, And>>(f, 2);
  if (what == "or") return wait_and_run<reduce_lanes<T, Or>>(f, 2);
  wait_and_run<reduce_lanes<T, Xor>>(f, 2);
}

}  // namespace

namespace decoders {

void shuffle(Form& f) {
  f.out.d = f.target(f.half(0, 0), Type::b32);
  f.out.d2 = f.target(f.half(0, 1), Type::pred);
  f.out.a = f.source(1, Type::b32);
  f.out.b = f.source(2, Type::b32);
  f.list({f.source(3, Type::b32)});
  wait_for(f, 4);
  const auto how = f.one_of({"up", "down", "bfly", "idx"});
  if (how.empty()) f.fail_types();
  f.out.handler = how == "up"     ? best<&shuffle_lanes<'u'>>()
                  : how == "down" ? best<&shuffle_lanes<'d'>>()
                  : how == "bfly" ? best<&shuffle_lanes<'b'>>()
                                  : best<&shuffle_lanes<'i'>>();
}

void lanes(Form& f) {
  const bool wide = size_of(f.type()) == 8;
  switch (f.op()) {
    case Op::activemask_:
      f.out.d = f.target(0, Type::b32);
      f.out.handler = &active;
      return;
    case Op::elect_:
      f.out.d = f.target(f.half(0, 0), Type::b32);
      f.out.d2 = f.target(f.half(0, 1), Type::pred);
      wait_and_run<elect_one>(f, 1);
      return;
    case Op::vote_: {
      const auto what = f.one_of({"all", "any", "uni", "ballot"});
      if (what.empty()) f.fail_types();
      f.out.detail = static_cast<std::uint8_t>(what == "all" ? 'a' : what == "any" ? 'o' : what[0]);
      f.out.d = f.target(0, what == "ballot" ? Type::b32 : Type::pred);
      f.out.a = f.predicate(f.term(1));
      f.out.flag = f.term(1).negated;
      wait_and_run<vote>(f, 2);
      return;
    }
    case Op::match_:
      f.out.d = f.target(f.half(0, 0), Type::b32);
      f.out.d2 = f.target(f.half(0, 1), Type::pred);
      f.out.a = f.source(1, f.type());
      f.out.detail = f.has("any") ? 'o' : 'a';
      if (f.has("any"))
        wide ? wait_and_run<match_any<std::uint64_t>>(f, 2) : wait_and_run<match_any<std::uint32_t>>(f, 2);
      else
        wide ? wait_and_run<match_all<std::uint64_t>>(f, 2) : wait_and_run<match_all<std::uint32_t>>(f, 2);
      return;
    case Op::redux_: {
      const auto what = f.one_of({"add", "min", "max", "and", "or", "xor"});
      if (what.empty()) f.fail_types();
      f.out.d = f.target(0, Type::b32);
      f.out.a = f.source(1, Type::b32);
      if (f.type() == Type::f32) {
        f.need_family(100);
        return float_reduction(f, what);
      }
      if (f.has("abs") || f.has("NaN")) f.fail_types();
      f.out.detail = sign_of_reduction(what);
      is_signed(f.type()) ? reduction<std::int32_t>(f, what) : reduction<std::uint32_t>(f, what);
      return;
    }
    default:
      f.fail_types();
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
