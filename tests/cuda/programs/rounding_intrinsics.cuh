// Conversions, and arithmetic with a direction of rounding or with few bits, each beside what the host makes of it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <iterator>

#include "check.hpp"
#include "rounded.hpp"

namespace roundings {

// What is compared: integers, and numbers as doubles; all that are no number are the same.
template <class T>
__host__ __device__ Word shown(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Word>(x);
  } else {
    const double wide = static_cast<double>(x);
    Word out;
    memcpy(&out, &wide, sizeof out);
    return wide != wide ? ~Word{0} : out;
  }
}
__device__ Word shown(__half x) { return shown(__half2float(x)); }
__device__ Word shown(__nv_bfloat16 x) { return shown(__bfloat162float(x)); }

__device__ __half2 pair(__half a, __half b) { return __halves2half2(a, b); }
__device__ __nv_bfloat162 pair(__nv_bfloat16 a, __nv_bfloat16 b) { return __halves2bfloat162(a, b); }

#define ADDED [](auto v, auto w, auto) { return v + w; }
#define SUBTRACTED [](auto v, auto w, auto) { return v - w; }
#define MULTIPLIED [](auto v, auto w, auto) { return v * w; }
#define DIVIDED [](auto v, auto w, auto) { return v / w; }
#define FUSED [](auto v, auto w, auto u) { return std::fma(v, w, u); }
#define INVERTED [](auto v, auto, auto) { return 1 / v; }
#define ROOTED [](auto v, auto, auto) { return std::sqrt(v); }

// clang-format off
#define IN_DIRECTION(X, r, to) \
  X(__float2int_##r(x), whole<int>(to, x)) \
  X(__float2uint_##r(x), whole<unsigned>(to, x)) \
  X(__float2ll_##r(x), whole<long long>(to, x)) \
  X(__float2ull_##r(x), whole<unsigned long long>(to, x)) \
  X(__double2int_##r(p), whole<int>(to, p)) \
  X(__double2uint_##r(p), whole<unsigned>(to, p)) \
  X(__double2ll_##r(p), whole<long long>(to, p)) \
  X(__double2ull_##r(p), whole<unsigned long long>(to, p)) \
  X(__double2float_##r(p), converted<float>(to, p)) \
  X(__int2float_##r(i), converted<float>(to, i)) \
  X(__uint2float_##r(n), converted<float>(to, n)) \
  X(__ll2float_##r(l), converted<float>(to, l)) \
  X(__ull2float_##r(m), converted<float>(to, static_cast<long double>(m))) \
  X(__ll2double_##r(l), converted<double>(to, l)) \
  X(__ull2double_##r(m), converted<double>(to, static_cast<long double>(m))) \
  X(__fadd_##r(x, y), towards(to, ADDED, x, y)) \
  X(__fsub_##r(x, y), towards(to, SUBTRACTED, x, y)) \
  X(__fmul_##r(x, y), towards(to, MULTIPLIED, x, y)) \
  X(__fdiv_##r(x, y), towards(to, DIVIDED, x, y)) \
  X(__fmaf_##r(x, y, z), towards(to, FUSED, x, y, z)) \
  X(__frcp_##r(x), towards(to, INVERTED, x)) \
  X(__fsqrt_##r(x), towards(to, ROOTED, x)) \
  X(__dadd_##r(p, q), towards(to, ADDED, p, q)) \
  X(__dsub_##r(p, q), towards(to, SUBTRACTED, p, q)) \
  X(__dmul_##r(p, q), towards(to, MULTIPLIED, p, q)) \
  X(__ddiv_##r(p, q), towards(to, DIVIDED, p, q)) \
  X(__fma_##r(p, q, p), towards(to, FUSED, p, q, p)) \
  X(__drcp_##r(p), towards(to, INVERTED, p)) \
  X(__dsqrt_##r(p), towards(to, ROOTED, p)) \
  X(__float2half_##r(x), half_of(x, to)) \
  X(__float2bfloat16_##r(x), bfloat_of(x, to)) \
  X(__half2int_##r(h), whole<int>(to, static_cast<float>(a))) \
  X(__half2ull_##r(h), whole<unsigned long long>(to, static_cast<float>(a))) \
  X(__half2short_##r(h), whole<short>(to, static_cast<float>(a))) \
  X(__int2half_##r(i), half_of(i, to)) \
  X(__uint2half_##r(n), half_of(n, to)) \
  X(__bfloat162int_##r(g), whole<int>(to, static_cast<float>(d))) \
  X(__bfloat162ushort_##r(g), whole<unsigned short>(to, static_cast<float>(d))) \
  X(__int2bfloat16_##r(i), bfloat_of(i, to))

// A, B and C, whose values are u, v and w.
#define OF_FEW_BITS(X, A, B, C, u, v, w, of) \
  X(__hadd(A, B), of(u + v)) \
  X(__hsub(A, B), of(u - v)) \
  X(__hmul(A, B), of(u * v)) \
  X(__hfma(A, B, C), of(u * v + w)) \
  X(__hdiv(A, B), of(static_cast<float>(u) / static_cast<float>(v))) \
  X(hsqrt(A), of(std::sqrt(u))) \
  X(__hneg(A), -u) \
  X(__habs(A), std::fabs(u)) \
  X(__hadd_sat(A, B), of(saturated(u + v))) \
  X(__hmul_sat(A, B), of(saturated(u * v))) \
  X(__hfma_sat(A, B, C), of(saturated(u * v + w))) \
  X(__hfma_relu(A, B, C), of(u * v + w < 0 ? 0 : u * v + w)) \
  X(__hmax(A, B), greatest(u, v)) \
  X(__hmin(A, B), least(u, v)) \
  X(__hmax_nan(A, B), std::isnan(v) ? v : std::isnan(u) ? u : greatest(u, v)) \
  X(__heq(A, B), u == v) \
  X(__hlt(A, B), u < v) \
  X(__hge(A, B), u >= v) \
  X(__hneu(A, B), u != v) \
  X(__hltu(A, B), !(u >= v)) \
  X(__hisnan(A), u != u) \
  X(hfloor(A), of(std::floor(u))) \
  X(hceil(A), of(std::ceil(u))) \
  X(htrunc(A), of(std::trunc(u))) \
  X(hrint(A), of(std::nearbyint(u))) \
  X(__hadd2(pair(A, B), pair(B, C)).y, of(v + w)) \
  X(__hsub2(pair(A, B), pair(B, C)).x, of(u - v)) \
  X(__hmul2(pair(A, B), pair(B, C)).y, of(v * w)) \
  X(__hfma2(pair(A, B), pair(B, C), pair(C, A)).x, of(u * v + w)) \
  X(__hmax2(pair(A, B), pair(B, C)).y, greatest(v, w)) \
  X(__hlt2_mask(pair(A, B), pair(B, C)), (u < v ? 0xFFFFu : 0u) | (v < w ? 0xFFFF0000u : 0u)) \
  X(__hcmadd(pair(A, B), pair(B, C), pair(C, A)).x, of(-v * w + of(u * v + w)))

#define OF_OTHERS(X) \
  X(__double2half(p), half_of(p)) \
  X(__double2bfloat16(p), bfloat_of(p)) \
  X(__float_as_int(x), bits_as<int>(x)) \
  X(__int_as_float(i), bits_as<float>(i)) \
  X(__double2hiint(p), static_cast<int>(bits_as<Word>(p) >> 32)) \
  X(__hiloint2double(i, 7), bits_as<double>(Word{n} << 32 | 7)) \
  X(__saturatef(x), saturated(x)) \
  X(rintf(x), std::nearbyint(x)) \
  X(rint(p), std::nearbyint(p)) \
  X(roundf(x), std::round(x)) \
  X(floor(p), std::floor(p)) \
  X(fmaxf(x, y), greatest(x, y)) \
  X(fmin(p, q), least(p, q)) \
  X(fmodf(x, y), std::fmod(x, y)) \
  X(remainder(p, q), std::remainder(p, q)) \
  X(nextafterf(x, y), std::nextafter(x, y)) \
  X(ldexp(p, i % 3000), std::ldexp(p, i % 3000)) \
  X(llrint(p), whole<long long>(kNear, p))
// clang-format on

#define ROUNDINGS(X)                            \
  IN_DIRECTION(X, rn, kNear)                    \
  IN_DIRECTION(X, rz, kZero)                    \
  IN_DIRECTION(X, ru, kUp)                      \
  IN_DIRECTION(X, rd, kDown)                    \
  OF_FEW_BITS(X, h, h2, h3, a, b, c, half_of)   \
  OF_FEW_BITS(X, g, g2, g3, d, e, f, bfloat_of) \
  OF_OTHERS(X)
#define ROUNDING_COUNTED(...) +1
constexpr int kCount = 0 ROUNDINGS(ROUNDING_COUNTED);

struct Operands {
  float x, y, z;
  double p, q;
  int i;
  long long l;
  unsigned short halves[3], bfloats[3];
};
#define UNPACKED(o)                        \
  const float x = o.x, y = o.y, z = o.z;   \
  const double p = o.p, q = o.q;           \
  const int i = o.i;                       \
  const auto n = static_cast<unsigned>(i); \
  const long long l = o.l;                 \
  const auto m = static_cast<unsigned long long>(l);

__global__ void evaluate(const Operands* all, Word* out) {
  const auto& o = all[threadIdx.x];
  UNPACKED(o)
  const auto half = [&](int k) { return __ushort_as_half(o.halves[k]); };
  const auto bfloat = [&](int k) { return __ushort_as_bfloat16(o.bfloats[k]); };
  const __half h = half(0), h2 = half(1), h3 = half(2);
  const __nv_bfloat16 g = bfloat(0), g2 = bfloat(1), g3 = bfloat(2);
  out += threadIdx.x * kCount;
#define ROUNDING_EVALUATED(call, ...) *out++ = shown(call);
  ROUNDINGS(ROUNDING_EVALUATED)
}

class Random {
 public:
  unsigned word() {
    state_ = state_ * 1664525 + 1013904223;
    return state_ ^ state_ >> 15;
  }
  double number() {
    static constexpr float kEdges[] = {0,         -0.0f,      1,     -1,    0.5f,          1.5f,          2.5f,
                                       -2.5f,     1e-45f,     1e38f, 65504, 2147483648.0f, 5.9604645e-8f, 65520,
                                       HUGE_VALF, -HUGE_VALF, NAN};
    const auto kind = word() % 5;
    if (kind == 0) return kEdges[word() % std::size(kEdges)];
    if (kind == 1) return bits_as<float>(word());
    return std::ldexp(static_cast<double>(static_cast<int>(word())), static_cast<int>(word() % 64) - 62);
  }
  // Most of them so near to each other that a double holds what becomes of three; the others with few bits.
  unsigned short few_bits(int mantissa, unsigned first) {
    static constexpr unsigned short kEdges[] = {0, 0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7F80, 0xFF80, 0x7FC0};
    const auto r = word();
    if (r % 7 == 0) return kEdges[r / 7 % std::size(kEdges)];
    return static_cast<unsigned short>((r >> 16 & 0x8000) | (first + r % 14) << mantissa |
                                       (r >> 8 & ((1u << mantissa) - 1)));
  }

 private:
  unsigned state_ = 1;
};

inline void check() {
  constexpr unsigned kThreads = 256;
  Operands* operands = nullptr;
  Word* out = nullptr;
  OK(cudaMallocManaged(&operands, kThreads * sizeof(Operands)));
  OK(cudaMallocManaged(&out, kThreads * kCount * sizeof(Word)));
  Random random;
  for (unsigned t = 0; t < kThreads; ++t) {
    auto& o = operands[t];
    for (auto* const into : {&o.x, &o.y, &o.z}) *into = static_cast<float>(random.number());
    for (auto* const into : {&o.p, &o.q}) *into = random.number() * 1.000000123;
    o.i = static_cast<int>(random.word() >> random.word() % 32);
    o.l = static_cast<long long>((Word{random.word()} << 32 | random.word()) >> random.word() % 64);
    for (auto& half : o.halves) half = random.few_bits(10, 8);
    for (auto& bfloat : o.bfloats) bfloat = random.few_bits(7, 120);
  }
  evaluate<<<1, kThreads>>>(operands, out);
  OK(cudaDeviceSynchronize());
  const Word* at = out;
  for (unsigned t = 0; t < kThreads; ++t) {
    const auto& o = operands[t];
    UNPACKED(o)
    const double a = value_of(o.halves[0], 10), b = value_of(o.halves[1], 10), c = value_of(o.halves[2], 10);
    const double d = value_of(o.bfloats[0], 7), e = value_of(o.bfloats[1], 7), f = value_of(o.bfloats[2], 7);
#define ROUNDING_COMPARED(call, ...)                                                                                  \
  if (const Word expected = shown(__VA_ARGS__); *at++ != expected) {                                                  \
    std::printf("thread %u, %s: %llx, expected %llx; %g %g %g, %g %g, %d, %lld, %g %g %g, %g %g %g\n", t, #call,      \
                static_cast<unsigned long long>(at[-1]), static_cast<unsigned long long>(expected), x, y, z, p, q, i, \
                l, a, b, c, d, e, f);                                                                                 \
    std::exit(1);                                                                                                     \
  }
    ROUNDINGS(ROUNDING_COMPARED)
  }
}

}  // namespace roundings
