// Loops over the lanes of a warp. The usual case is all lanes at once, which the compiler vectorizes.
#pragma once

#include <type_traits>

#include "ptx/run/warp.hpp"

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

// Operations that a compiler cannot vectorize have `static constexpr bool kOneByOne`.
template <class F>
concept OneByOne = F::kOneByOne;

// d[lane] = f(lane). Of numbers it is computed for the other lanes, too, and left out there: vectors make it cheap.
template <bool one_by_one = false, class D, class F>
inline void set_lanes(D* d, Mask lanes, F f) {
  if (lanes == kAllLanes || !std::is_arithmetic_v<D> || one_by_one)
    return each_lane(lanes, [=](unsigned l) { d[l] = f(l); });
  D all[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) all[lane] = f(lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = lanes >> lane & 1 ? all[lane] : d[lane];
}

// d = F(a), F(a, b), F(a, b, c) with D the type of d. F is a type with a static function `of`.
template <class D, class A, class F>
void map1(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<A>(i.a);
  set_lanes<OneByOne<F>>(w.at<D>(i.d), lanes, [=](unsigned l) { return D(F::of(a[l])); });
}

template <class D, class A, class B, class F>
void map2(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<A>(i.a);
  const auto* const b = w.at<B>(i.b);
  set_lanes<OneByOne<F>>(w.at<D>(i.d), lanes, [=](unsigned l) { return D(F::of(a[l], b[l])); });
}

template <class D, class A, class B, class C, class F>
void map3(Warp& w, const Instruction& i, Mask lanes) {
  const auto* const a = w.at<A>(i.a);
  const auto* const b = w.at<B>(i.b);
  const auto* const c = w.at<C>(i.c);
  set_lanes<OneByOne<F>>(w.at<D>(i.d), lanes, [=](unsigned l) { return D(F::of(a[l], b[l], c[l])); });
}

// A predicate of each lane.
template <class F>
inline Mask gather(F f) {
  Mask out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) out |= Mask{f(lane) ? 1u : 0u} << lane;
  return out;
}

}  // namespace nvmlkit::ptx
