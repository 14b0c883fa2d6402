#include "ptx/fused.hpp"

#include <cmath>

#include "ptx/float_mode.hpp"
#include "ptx/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

template <class T>
void by_library(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1) d[lane] = std::fma(a[lane], b[lane], c[lane]);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("fma,avx"))) void by_instruction(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  const auto one = [](T x, T y, T z) __attribute__((target("fma,avx"), always_inline)) {
    if constexpr (sizeof(T) == 4)
      return __builtin_fmaf(x, y, z);
    else
      return __builtin_fma(x, y, z);
  };
  if (lanes == kAllLanes) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = one(a[lane], b[lane], c[lane]);
  } else {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) d[lane] = one(a[lane], b[lane], c[lane]);
  }
}
#endif

template <class T>
Handler choose(bool with_mode) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) return with_mode ? &in_mode<&by_instruction<T>, T> : &by_instruction<T>;
#endif
  return with_mode ? &in_mode<&by_library<T>, T> : &by_library<T>;
}

}  // namespace

Handler fused(Type type, bool with_mode) {
  return type == Type::f32 ? choose<float>(with_mode) : choose<double>(with_mode);
}

}  // namespace nvmlkit::ptx
