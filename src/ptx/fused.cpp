#include "ptx/fused.hpp"

#include <algorithm>
#include <cmath>

#include "ptx/float_mode.hpp"
#include "ptx/lanes.hpp"
#include "ptx/variants.hpp"

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

#if defined(__x86_64__) && defined(NVMLKIT_PTX_VARIANTS)
template <class T>
__attribute__((target("fma,avx2"))) void by_instruction(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  T all[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if constexpr (sizeof(T) == 4)
      all[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    else
      all[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  }
  if (lanes == kAllLanes) {
    std::copy_n(all, kLanes, d);
  } else {
    for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = lanes >> lane & 1 ? all[lane] : d[lane];
  }
}
#endif

template <Handler inner, class T>
Handler with(bool mode) {
  return mode ? &in_mode<inner, T> : inner;
}

template <class T>
Handler choose(bool with_mode) {
#if defined(__x86_64__) && defined(NVMLKIT_PTX_VARIANTS)
  switch (widest_vectors()) {
    case Vectors::of_512_bits:
      return with<&with_avx512<&by_instruction<T>>, T>(with_mode);
    case Vectors::of_256_bits:
      return with<&with_avx2<&by_instruction<T>>, T>(with_mode);
    default:
      break;
  }
#endif
  return with<&by_library<T>, T>(with_mode);
}

}  // namespace

Handler fused(Type type, bool with_mode) {
  return type == Type::f32 ? choose<float>(with_mode) : choose<double>(with_mode);
}

}  // namespace nvmlkit::ptx
