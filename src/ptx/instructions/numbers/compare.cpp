// setp, set.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Relation r>
struct Compare {
  template <class T>
  static bool of(T a, T b) {
    if constexpr (requires { T::wide(a); }) {
      return of(T::wide(a), T::wide(b));
    } else {
      const bool unordered = a != a || b != b;
      switch (r) {
        case Relation::eq:
          return a == b;
        case Relation::ne:
          return !unordered && a != b;
        case Relation::lt:
          return a < b;
        case Relation::le:
          return a <= b;
        case Relation::gt:
          return a > b;
        case Relation::ge:
          return a >= b;
        case Relation::equ:
          return unordered || a == b;
        case Relation::neu:
          return unordered || a != b;
        case Relation::ltu:
          return unordered || a < b;
        case Relation::leu:
          return unordered || a <= b;
        case Relation::gtu:
          return unordered || a > b;
        case Relation::geu:
          return unordered || a >= b;
        case Relation::num:
          return !unordered;
        case Relation::nan:
          return unordered;
      }
      return false;
    }
  }
};

Mask combine(Warp& w, const Instruction& i, Mask result) {
  if (!i.c.is_there()) return result;
  const Mask c = i.flag ? ~w.predicate(i.c) : w.predicate(i.c);
  return i.detail == '&' ? result & c : i.detail == '|' ? result | c : result ^ c;
}

template <class T, Relation r>
void set_predicate(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const Mask result = gather([=](unsigned l) { return Compare<r>::of(a[l], b[l]); });
  // Either may be the predicate that it is combined with.
  const Mask first = combine(w, i, result), second = combine(w, i, ~result);
  if (i.d.is_there()) w.set_predicate(i.d, lanes, first);
  if (i.d2.is_there()) w.set_predicate(i.d2, lanes, second);
}

// All ones, or 1.0 in a float.
template <class T, Relation r, class D = std::uint32_t>
void set_value(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const Mask result = combine(w, i, gather([=](unsigned l) { return Compare<r>::of(a[l], b[l]); }));
  auto* const d = w.at<D>(i.d);
  const auto yes = static_cast<D>(i.immediate);
  each_lane(lanes, [=](unsigned l) { d[l] = result >> l & 1 ? yes : D{0}; });
}

// The halves of a pair, each into its half.
template <class T, Relation r>
void set_both(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<Pair<T>>(i.a);
  const auto* const b = w.at<Pair<T>>(i.b);
  const Mask low = combine(w, i, gather([=](unsigned l) { return Compare<r>::of(a[l].low, b[l].low); }));
  const Mask high = combine(w, i, gather([=](unsigned l) { return Compare<r>::of(a[l].high, b[l].high); }));
  auto* const d = w.at<Pair<std::uint16_t>>(i.d);
  const auto yes = static_cast<std::uint16_t>(i.immediate);
  const auto one = [=](Mask result, unsigned l) { return result >> l & 1 ? yes : std::uint16_t{0}; };
  each_lane(lanes, [=](unsigned l) { d[l] = {one(low, l), one(high, l)}; });
}

// Into 16 bits, or pairs of them.
template <Relation r>
Handler setting_halves(Type to, Type type) {
  const bool narrow = size_of(to) == 2;
  switch (type) {
    case Type::f16:
      return narrow ? &set_value<Half, r, std::uint16_t> : &set_value<Half, r>;
    case Type::bf16:
      return narrow ? &set_value<Bfloat, r, std::uint16_t> : &set_value<Bfloat, r>;
    case Type::f16x2:
      return narrow ? nullptr : &set_both<Half, r>;
    case Type::bf16x2:
      return narrow ? nullptr : &set_both<Bfloat, r>;
    default:
      return nullptr;
  }
}

// The halves of a pair into two predicates.
template <class T, Relation r>
void set_pair(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<Pair<T>>(i.a);
  const auto* const b = w.at<Pair<T>>(i.b);
  const Mask low = combine(w, i, gather([=](unsigned l) { return Compare<r>::of(a[l].low, b[l].low); }));
  const Mask high = combine(w, i, gather([=](unsigned l) { return Compare<r>::of(a[l].high, b[l].high); }));
  if (i.d.is_there()) w.set_predicate(i.d, lanes, low);
  if (i.d2.is_there()) w.set_predicate(i.d2, lanes, high);
}

template <Relation r>
Handler comparing(Type type, bool to_value) {
  using enum Type;
#define NVMLKIT_COMPARE(T) (to_value ? &set_value<T, r> : best<&set_predicate<T, r>>())
  constexpr bool kOrdered = r <= Relation::ge;
  switch (type) {
    case f32:
      return NVMLKIT_COMPARE(float);
    case f64:
      return NVMLKIT_COMPARE(double);
    case f16:
      return to_value ? &set_value<Half, r> : &set_predicate<Half, r>;
    case bf16:
      return to_value ? &set_value<Bfloat, r> : &set_predicate<Bfloat, r>;
    case f16x2:
      return to_value ? nullptr : &set_pair<Half, r>;
    case bf16x2:
      return to_value ? nullptr : &set_pair<Bfloat, r>;
    default:
      break;
  }
  if constexpr (kOrdered) {
    switch (type) {
      case s16:
        return to_value ? &set_value<std::int16_t, r> : &set_predicate<std::int16_t, r>;
      case s32:
        return NVMLKIT_COMPARE(std::int32_t);
      case s64:
        return NVMLKIT_COMPARE(std::int64_t);
      case b16:
      case u16:
        return to_value ? &set_value<std::uint16_t, r> : &set_predicate<std::uint16_t, r>;
      case b32:
      case u32:
        return NVMLKIT_COMPARE(std::uint32_t);
      case b64:
      case u64:
        return NVMLKIT_COMPARE(std::uint64_t);
      default:
        break;
    }
  }
#undef NVMLKIT_COMPARE
  return nullptr;
}

// Small numbers count as zero.
template <Relation r>
Handler comparing_flushed(Type type, bool to_value, Type halves) {
  const bool narrow = size_of(halves) == 2;
  switch (type) {
    case Type::f32:
      return to_value ? &set_value<FlushedFloat, r> : best<&set_predicate<FlushedFloat, r>>();
    case Type::f16:
      if (!to_value) return &set_predicate<FlushedHalf, r>;
      return narrow ? &set_value<FlushedHalf, r, std::uint16_t> : &set_value<FlushedHalf, r>;
    case Type::f16x2:
      return !to_value ? &set_pair<FlushedHalf, r> : narrow ? nullptr : &set_both<FlushedHalf, r>;
    default:
      return nullptr;
  }
}

// `halves`: type of a value that halves are compared into.
Handler comparing(std::string_view relation, Type type, bool to_value, Type halves, bool flushes) {
#define NVMLKIT_RELATION(name)                                                              \
  if (relation == #name)                                                                    \
  return flushes                ? comparing_flushed<Relation::name>(type, to_value, halves) \
         : halves != Type::none ? setting_halves<Relation::name>(halves, type)              \
                                : comparing<Relation::name>(type, to_value)
  NVMLKIT_RELATION(eq);
  NVMLKIT_RELATION(ne);
  NVMLKIT_RELATION(lt);
  NVMLKIT_RELATION(le);
  NVMLKIT_RELATION(gt);
  NVMLKIT_RELATION(ge);
  NVMLKIT_RELATION(equ);
  NVMLKIT_RELATION(neu);
  NVMLKIT_RELATION(ltu);
  NVMLKIT_RELATION(leu);
  NVMLKIT_RELATION(gtu);
  NVMLKIT_RELATION(geu);
  NVMLKIT_RELATION(num);
  NVMLKIT_RELATION(nan);
#undef NVMLKIT_RELATION
  if (relation == "lo") return comparing<Relation::lt>(type, to_value);
  if (relation == "ls") return comparing<Relation::le>(type, to_value);
  if (relation == "hi") return comparing<Relation::gt>(type, to_value);
  if (relation == "hs") return comparing<Relation::ge>(type, to_value);
  return nullptr;
}

// What stands for true.
std::uint64_t one_of(Type type) {
  switch (type) {
    case Type::f32:
      return 0x3F800000;
    case Type::f16:
    case Type::f16x2:
      return 0x3C00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3F80;
    default:
      return 0xFFFFFFFF;
  }
}

}  // namespace

namespace decoders {

void compare(Form& f) {
  const bool to_value = f.op() == Op::set_;
  Type halves = Type::none;
  if (f.types().size() != (to_value ? 2u : 1u)) f.fail_types();
  const auto type = f.types().back();
  const auto relation = f.one_of({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu",
                                  "leu", "gtu", "geu", "num", "nan"});
  if (to_value) {
    f.out.d = f.target(0, f.type());
    f.out.immediate = one_of(f.type());
    const bool is_half = type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
    if (is_half) halves = f.type();
    if (size_of(f.type()) != 4 && !is_half) f.fail_types();
  } else {
    const auto& first = f.half(0, 0);
    const auto& other = f.half(0, 1);
    f.out.d = f.target(first, Type::pred);
    f.out.d2 = f.target(other, Type::pred);
    // Of two results in one predicate, the first stays, as ptxas has it for an H100.
    const bool is_of_pairs = type == Type::f16x2 || type == Type::bf16x2;
    if (f.out.d2.packed == f.out.d.packed && !is_of_pairs) f.out.d2 = {};
  }
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  if (f.count() > 3) {
    f.out.c = f.predicate(f.term(3));
    f.out.flag = f.term(3).negated;
    f.out.detail = f.has("and") ? '&' : f.has("or") ? '|' : '^';
  }
  f.out.handler = comparing(relation, type, to_value, halves, f.has("ftz"));
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
