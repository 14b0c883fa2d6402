// selp, slct.
#include "ptx/decode/form.hpp"
#include "ptx/instructions/numbers/numbers.hpp"
#include "ptx/instructions/numbers/settled.hpp"

namespace nvmlkit::ptx {
namespace {

template <class T>
void select(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const Mask p = i.flag ? ~w.predicate(i.c) : w.predicate(i.c);
  set_lanes(w.at<T>(i.d), lanes, [=](unsigned l) { return p >> l & 1 ? a[l] : b[l]; });
}

template <class T>
bool is_not_negative(T v) {
  if constexpr (std::is_same_v<T, FlushedFloat>)
    return T::wide(v) >= 0;
  else
    return v >= T{0};
}

template <class T, class C>
void select_by_sign(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<C>(i.c);
  each_lane(lanes, [=](unsigned l) { d[l] = is_not_negative(c[l]) ? a[l] : b[l]; });
}

}  // namespace

namespace decoders {

void choose(Form& f) {
  const auto type = f.type();
  f.out.d = f.target(0, type);
  f.out.a = f.source(1, type);
  f.out.b = f.source(2, type);
  const auto size = size_of(type);
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  if (f.op() == Op::selp_) {
    f.out.c = f.predicate(f.term(3));
    f.out.flag = f.term(3).negated;
    f.out.handler = size == 2 ? &select<U16> : size == 4 ? best<&select<U32>>() : best<&select<U64>>();
    return;
  }
  if (f.types().size() != 2) f.fail_types();
  const auto by = f.types()[1];
  f.out.c = f.source(3, by);
  if (by == Type::f32 && f.has("ftz"))
    f.out.handler = size == 2   ? &select_by_sign<U16, FlushedFloat>
                    : size == 4 ? &select_by_sign<U32, FlushedFloat>
                                : &select_by_sign<U64, FlushedFloat>;
  else if (by == Type::f32)
    f.out.handler = size == 2   ? &select_by_sign<U16, float>
                    : size == 4 ? &select_by_sign<U32, float>
                                : &select_by_sign<U64, float>;
  if (by == Type::s32)
    f.out.handler = size == 2   ? &select_by_sign<U16, std::int32_t>
                    : size == 4 ? &select_by_sign<U32, std::int32_t>
                                : &select_by_sign<U64, std::int32_t>;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
