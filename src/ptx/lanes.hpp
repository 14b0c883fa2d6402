// Loops over the lanes of a warp. All lanes at once is the usual case, which the compiler makes vectors of.
#pragma once

#include "ptx/warp.hpp"

namespace nvmlkit::ptx {

template <class F>
inline void each_lane(Mask lanes, F f) {
  if (lanes == kAllLanes) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) f(lane);
  }
}

// d = F(a), F(a, b), F(a, b, c) with D the type of d. F is a type with a static function `of`.
template <class D, class A, class F>
void map1(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<D>(i.d);
  const auto* const a = w.at<A>(i.a);
  each_lane(lanes, [=](unsigned l) { d[l] = F::of(a[l]); });
}

template <class D, class A, class B, class F>
void map2(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<D>(i.d);
  const auto* const a = w.at<A>(i.a);
  const auto* const b = w.at<B>(i.b);
  each_lane(lanes, [=](unsigned l) { d[l] = F::of(a[l], b[l]); });
}

template <class D, class A, class B, class C, class F>
void map3(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<D>(i.d);
  const auto* const a = w.at<A>(i.a);
  const auto* const b = w.at<B>(i.b);
  const auto* const c = w.at<C>(i.c);
  each_lane(lanes, [=](unsigned l) { d[l] = F::of(a[l], b[l], c[l]); });
}

// A predicate of each lane.
template <class F>
inline Mask gather(F f) {
  Mask out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) out |= Mask{f(lane) ? 1u : 0u} << lane;
  return out;
}

}  // namespace nvmlkit::ptx
