// and, or, xor, not, cnot, lop3; of predicates too.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/operations.hpp"

namespace nvmlkit::ptx {
namespace {

struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T of(T a) {
    return a == 0;
  }
};

// Of predicates: masks as a whole. `detail` is the operation, `flag` and `count` whether a and b are negated.
void predicates(Warp& w, const Instruction& i, Mask lanes) {
  const Mask a = i.flag ? ~w.predicate(i.a) : w.predicate(i.a);
  const Mask b = !i.b.is_there() ? 0 : i.count == 2 ? ~w.predicate(i.b) : w.predicate(i.b);
  w.set_predicate(i.d, lanes, i.detail == '&' ? a & b : i.detail == '|' ? a | b : i.detail == '^' ? a ^ b : ~a);
}

void lop3(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  const auto table = static_cast<std::uint32_t>(i.immediate);
  each_lane(lanes, [=](unsigned l) {
    std::uint32_t out = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (table >> k & 1) out |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
    d[l] = out;
  });
}

}  // namespace

namespace decoders {

void logic(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  if (type == Type::pred) {
    f.out.a = f.predicate(f.term(1));
    f.out.flag = f.term(1).negated;
    if (f.count() > 2) {
      f.out.b = f.predicate(f.term(2));
      f.out.count = f.term(2).negated ? 2 : 1;
    }
    f.out.detail = f.op() == Op::and_ ? '&' : f.op() == Op::or_ ? '|' : f.op() == Op::xor_ ? '^' : '!';
    f.out.handler = &predicates;
    return;
  }
  f.out.a = f.source(1, type);
  if (f.count() > 2) f.out.b = f.source(2, type);
  switch (f.op()) {
    case Op::and_:
      f.out.handler = binary_unsigned<And>(type);
      break;
    case Op::or_:
      f.out.handler = binary_unsigned<Or>(type);
      break;
    case Op::xor_:
      f.out.handler = binary_unsigned<Xor>(type);
      break;
    case Op::not_:
      f.out.handler = unary_bits<Not>(type);
      break;
    case Op::cnot_:
      f.out.handler = unary_bits<Cnot>(type);
      break;
    case Op::lop3_:
      f.out.c = f.source(3, type);
      f.out.immediate = f.term(4).value;
      f.out.handler = best<&lop3>();
      break;
    default:
      break;
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
