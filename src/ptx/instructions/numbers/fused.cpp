#include "ptx/instructions/numbers/fused.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>

#include "ptx/decode/variants.hpp"
#include "ptx/instructions/numbers/float_mode.hpp"
#include "ptx/instructions/numbers/settled.hpp"
#include "ptx/run/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

struct OfLibrary {
  template <class T>
  static T of(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
// The result is there already.
inline float settled_sum(float out, float, float, float) { return settled(out); }
inline double settled_sum(double out, double a, double b, double c) { return out == out ? out : no_number_of(b, c, a); }

template <class T>
void by_library(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1) d[lane] = Settled<OfLibrary>::of(a[lane], b[lane], c[lane]);
}

#if defined(__x86_64__) && defined(NVMLKIT_PTX_VARIANTS)
// By name: compilers make no vectors of the function while the rounding may change.
__attribute__((target("fma,avx2"))) inline void of_256_bits(float* d, const float* a, const float* b, const float* c) {
  _mm256_storeu_ps(d, _mm256_fmadd_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), _mm256_loadu_ps(c)));
}
__attribute__((target("fma,avx2"))) inline void of_256_bits(double* d, const double* a, const double* b,
                                                            const double* c) {
  _mm256_storeu_pd(d, _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(b), _mm256_loadu_pd(c)));
}
__attribute__((target("avx512f"))) inline void of_512_bits(float* d, const float* a, const float* b, const float* c) {
  _mm512_storeu_ps(d, _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b), _mm512_loadu_ps(c)));
}
__attribute__((target("avx512f"))) inline void of_512_bits(double* d, const double* a, const double* b,
                                                           const double* c) {
  _mm512_storeu_pd(d, _mm512_fmadd_pd(_mm512_loadu_pd(a), _mm512_loadu_pd(b), _mm512_loadu_pd(c)));
}

// All lanes, in `step` at a time.
template <class T, auto of_vector, unsigned step>
void by_vectors(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<T>(i.d);
  const auto* const a = w.at<T>(i.a);
  const auto* const b = w.at<T>(i.b);
  const auto* const c = w.at<T>(i.c);
  T out[kLanes];
  for (unsigned lane = 0; lane < kLanes; lane += step) of_vector(out + lane, a + lane, b + lane, c + lane);
  set_lanes(d, lanes, [&](unsigned l) { return settled_sum(out[l], a[l], b[l], c[l]); });
}

template <class T>
constexpr Handler kByAvx2 =
    &with_avx2<&by_vectors<T, static_cast<void (*)(T*, const T*, const T*, const T*)>(&of_256_bits), 32 / sizeof(T)>>;
template <class T>
constexpr Handler kByAvx512 =
    &with_avx512<&by_vectors<T, static_cast<void (*)(T*, const T*, const T*, const T*)>(&of_512_bits), 64 / sizeof(T)>>;
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
      return with<kByAvx512<T>, T>(with_mode);
    case Vectors::of_256_bits:
      return with<kByAvx2<T>, T>(with_mode);
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
