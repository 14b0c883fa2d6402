// Intrinsics of integers, each beside what it is documented to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "check.hpp"

namespace integers {

using Word = std::uint64_t;

// What becomes of each part of two words, as numbers with a sign and without.
template <int kParts, class F>
unsigned parts(unsigned a, unsigned b, F f) {
  constexpr int kBits = 32 / kParts;
  unsigned out = 0;
  for (int k = 0; k < kParts; ++k) {
    const unsigned x = a >> k * kBits & ((1u << kBits) - 1), y = b >> k * kBits & ((1u << kBits) - 1);
    out |= (static_cast<unsigned>(f(static_cast<int>(x), static_cast<int>(y))) & ((1u << kBits) - 1)) << k * kBits;
  }
  return out;
}
template <int kParts, class F>
unsigned signed_parts(unsigned a, unsigned b, F f) {
  constexpr int kHalf = 1 << (32 / kParts - 1);
  return parts<kParts>(a, b, [&](int x, int y) { return f((x ^ kHalf) - kHalf, (y ^ kHalf) - kHalf); });
}
template <int kParts, class F>
unsigned sum_of_parts(unsigned a, unsigned b, bool has_sign, F f) {
  constexpr int kBits = 32 / kParts, kHalf = 1 << (kBits - 1);
  unsigned out = 0;
  for (int k = 0; k < kParts; ++k) {
    int x = static_cast<int>(a >> k * kBits & ((1u << kBits) - 1)),
        y = static_cast<int>(b >> k * kBits & ((1u << kBits) - 1));
    if (has_sign) x = (x ^ kHalf) - kHalf, y = (y ^ kHalf) - kHalf;
    out += static_cast<unsigned>(f(x, y));
  }
  return out;
}
template <int kParts>
int clamped(int value) {
  constexpr int kHalf = 1 << (32 / kParts - 1);
  return std::clamp(value, -kHalf, kHalf - 1);
}
template <int kParts>
int clamped_unsigned(int value) {
  return std::clamp(value, 0, (1 << 32 / kParts) - 1);
}

inline int dot(unsigned a, unsigned b, int bits_of_b, bool high, bool sa, bool sb, int c) {
  const int count = bits_of_b == 16 ? 2 : 4, bits_of_a = bits_of_b == 16 ? 16 : 8;
  unsigned sum = static_cast<unsigned>(c);
  for (int k = 0; k < count; ++k) {
    int x = static_cast<int>(a >> k * bits_of_a & ((1u << bits_of_a) - 1));
    int y = static_cast<int>(b >> (k + (high ? 2 : 0)) * 8 & 255);
    if (sa) x = bits_of_a == 16 ? static_cast<std::int16_t>(x) : static_cast<std::int8_t>(x);
    if (sb) y = static_cast<std::int8_t>(y);
    sum += static_cast<unsigned>(x) * static_cast<unsigned>(y);
  }
  return static_cast<int>(sum);
}

inline unsigned permuted(unsigned a, unsigned b, unsigned s) {
  const Word both = a | Word{b} << 32;
  unsigned out = 0;
  for (int k = 0; k < 4; ++k) out |= static_cast<unsigned>(both >> (s >> 4 * k & 7) * 8 & 255) << 8 * k;
  return out;
}

inline Word reversed(Word a, int bits) {
  Word out = 0;
  for (int k = 0; k < bits; ++k) out |= (a >> k & 1) << (bits - 1 - k);
  return out;
}

// clang-format off
#define OF_PARTS(X, N) \
  X(__vadd##N(a, b), parts<N>(a, b, [](int x, int y) { return x + y; })) \
  X(__vsub##N(a, b), parts<N>(a, b, [](int x, int y) { return x - y; })) \
  X(__vaddss##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return clamped<N>(x + y); })) \
  X(__vaddus##N(a, b), parts<N>(a, b, [](int x, int y) { return clamped_unsigned<N>(x + y); })) \
  X(__vsubss##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return clamped<N>(x - y); })) \
  X(__vsubus##N(a, b), parts<N>(a, b, [](int x, int y) { return clamped_unsigned<N>(x - y); })) \
  X(__vavgs##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; })) \
  X(__vavgu##N(a, b), parts<N>(a, b, [](int x, int y) { return (x + y + 1) >> 1; })) \
  X(__vhaddu##N(a, b), parts<N>(a, b, [](int x, int y) { return (x + y) >> 1; })) \
  X(__vabs##N(a), signed_parts<N>(a, b, [](int x, int) { return std::abs(x); })) \
  X(__vabsss##N(a), signed_parts<N>(a, b, [](int x, int) { return clamped<N>(std::abs(x)); })) \
  X(__vneg##N(a), parts<N>(a, b, [](int x, int) { return -x; })) \
  X(__vnegss##N(a), signed_parts<N>(a, b, [](int x, int) { return clamped<N>(-x); })) \
  X(__vabsdiffs##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return std::abs(x - y); })) \
  X(__vabsdiffu##N(a, b), parts<N>(a, b, [](int x, int y) { return std::abs(x - y); })) \
  X(__vsads##N(a, b), sum_of_parts<N>(a, b, true, [](int x, int y) { return std::abs(x - y); })) \
  X(__vsadu##N(a, b), sum_of_parts<N>(a, b, false, [](int x, int y) { return std::abs(x - y); })) \
  X(__vmaxs##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return std::max(x, y); })) \
  X(__vmaxu##N(a, b), parts<N>(a, b, [](int x, int y) { return std::max(x, y); })) \
  X(__vmins##N(a, b), signed_parts<N>(a, b, [](int x, int y) { return std::min(x, y); })) \
  X(__vminu##N(a, b), parts<N>(a, b, [](int x, int y) { return std::min(x, y); })) \
  COMPARED(X, N, eq, parts, ==) \
  COMPARED(X, N, ne, parts, !=) \
  COMPARED(X, N, ltu, parts, <) \
  COMPARED(X, N, leu, parts, <=) \
  COMPARED(X, N, gtu, parts, >) \
  COMPARED(X, N, geu, parts, >=) \
  COMPARED(X, N, lts, signed_parts, <) \
  COMPARED(X, N, les, signed_parts, <=) \
  COMPARED(X, N, gts, signed_parts, >) \
  COMPARED(X, N, ges, signed_parts, >=)

#define COMPARED(X, N, how, kind, op) \
  X(__vcmp##how##N(a, b), kind<N>(a, b, [](int x, int y) { return -(x op y); })) \
  X(__vset##how##N(a, b), kind<N>(a, b, [](int x, int y) { return x op y; }))

#define INTEGERS(X) \
  OF_PARTS(X, 2) \
  OF_PARTS(X, 4) \
  X(__dp4a(i, j, k), dot(a, b, 8, false, true, true, k)) \
  X(__dp4a(a, b, c), static_cast<unsigned>(dot(a, b, 8, false, false, false, k))) \
  X(__dp2a_lo(i, j, k), dot(a, b, 16, false, true, true, k)) \
  X(__dp2a_lo(a, b, c), static_cast<unsigned>(dot(a, b, 16, false, false, false, k))) \
  X(__dp2a_hi(i, j, k), dot(a, b, 16, true, true, true, k)) \
  X(__dp2a_hi(a, b, c), static_cast<unsigned>(dot(a, b, 16, true, false, false, k))) \
  X(__byte_perm(a, b, c), permuted(a, b, c)) \
  X(__funnelshift_l(a, b, c), static_cast<unsigned>((a | Word{b} << 32) << (c & 31) >> 32)) \
  X(__funnelshift_lc(a, b, c), static_cast<unsigned>((a | Word{b} << 32) << std::min(c, 32u) >> 32)) \
  X(__funnelshift_r(a, b, c), static_cast<unsigned>((a | Word{b} << 32) >> (c & 31))) \
  X(__funnelshift_rc(a, b, c), static_cast<unsigned>((a | Word{b} << 32) >> std::min(c, 32u))) \
  X(__brev(a), reversed(a, 32)) \
  X(__brevll(w), reversed(w, 64)) \
  X(__ffs(i), __builtin_ffs(i)) \
  X(__ffsll(w), __builtin_ffsll(static_cast<long long>(w))) \
  X(__clz(i), a ? __builtin_clz(a) : 32) \
  X(__clzll(w), w ? __builtin_clzll(w) : 64) \
  X(__popc(a), __builtin_popcount(a)) \
  X(__popcll(w), __builtin_popcountll(w)) \
  X(__mulhi(i, j), static_cast<int>(std::int64_t{i} * j >> 32)) \
  X(__umulhi(a, b), static_cast<unsigned>(Word{a} * b >> 32)) \
  X(__mul64hi(v, u), static_cast<std::int64_t>(static_cast<__int128>(v) * u >> 64)) \
  X(__umul64hi(w, q), static_cast<Word>(static_cast<unsigned __int128>(w) * q >> 64)) \
  X(__mul24(i, j), static_cast<int>(static_cast<unsigned>(i << 8 >> 8) * static_cast<unsigned>(j << 8 >> 8))) \
  X(__umul24(a, b), (a & 0xFFFFFF) * (b & 0xFFFFFF)) \
  X(__sad(i, j, c), c + static_cast<unsigned>(std::abs(std::int64_t{i} - j))) \
  X(__usad(a, b, c), c + std::max(a, b) - std::min(a, b)) \
  X(__hadd(i, j), static_cast<int>((std::int64_t{i} + j) >> 1)) \
  X(__rhadd(i, j), static_cast<int>((std::int64_t{i} + j + 1) >> 1)) \
  X(__uhadd(a, b), static_cast<unsigned>((Word{a} + b) >> 1)) \
  X(__urhadd(a, b), static_cast<unsigned>((Word{a} + b + 1) >> 1))

#if CUDART_VERSION >= 12000
#define OF_MINIMA(X) \
  X(__viaddmax_s32(i, j, k), std::max(static_cast<int>(a + b), k)) \
  X(__viaddmin_s32_relu(i, j, k), std::max(std::min(static_cast<int>(a + b), k), 0)) \
  X(__viaddmax_u16x2(a, b, c), parts<2>(parts<2>(a, b, [](int x, int y) { return x + y; }), c, [](int x, int y) { return std::max(x, y); })) \
  X(__viaddmin_s16x2(a, b, c), signed_parts<2>(parts<2>(a, b, [](int x, int y) { return x + y; }), c, [](int x, int y) { return std::min(x, y); })) \
  X(__vimax3_s32(i, j, k), std::max({i, j, k})) \
  X(__vimin3_s32_relu(i, j, k), std::max(std::min({i, j, k}), 0)) \
  X(__vimax3_u32(a, b, c), std::max({a, b, c})) \
  X(__vimin3_s16x2(a, b, c), signed_parts<2>(signed_parts<2>(a, b, [](int x, int y) { return std::min(x, y); }), c, [](int x, int y) { return std::min(x, y); })) \
  X(__vimin_s16x2_relu(a, b), signed_parts<2>(a, b, [](int x, int y) { return std::max(std::min(x, y), 0); })) \
  X(__vimax_s32_relu(i, j), std::max({i, j, 0}))
#else
#define OF_MINIMA(X)
#endif

#define TABLE(X) INTEGERS(X) OF_MINIMA(X)
// clang-format on
#define COUNTED(...) +1
constexpr int kCount = 0 TABLE(COUNTED);

// Three words, and what else they are taken for.
#define OPERANDS                                                                       \
  const int i = static_cast<int>(a), j = static_cast<int>(b), k = static_cast<int>(c); \
  const unsigned long long w = a | static_cast<unsigned long long>(b) << 32,           \
                           q = c | static_cast<unsigned long long>(a) << 32;           \
  const long long v = static_cast<long long>(w), u = static_cast<long long>(q);        \
  (void)i, (void)j, (void)k, (void)v, (void)u;

__global__ void evaluate(const unsigned* words, Word* out) {
  const unsigned a = words[threadIdx.x * 3], b = words[threadIdx.x * 3 + 1], c = words[threadIdx.x * 3 + 2];
  OPERANDS
  out += threadIdx.x * kCount;
#define EVALUATED(call, ...) *out++ = static_cast<Word>(call);
  TABLE(EVALUATED)
}

inline void check() {
  constexpr unsigned kEdges[] = {0,          1,          0x7FFF, 0x8000,     0x80008000, 0x7F7F7F7F, 0x80808080,
                                 0x80000000, 0x7FFFFFFF, ~0u,    0x00FF00FF, 31,         32,         33};
  constexpr unsigned kThreads = 256;
  unsigned* words = nullptr;
  Word* out = nullptr;
  OK(cudaMallocManaged(&words, kThreads * 3 * sizeof(unsigned)));
  OK(cudaMallocManaged(&out, kThreads * kCount * sizeof(Word)));
  unsigned random = 1;
  for (unsigned t = 0; t < 3 * kThreads; ++t) {
    random = random * 1664525 + 1013904223;
    words[t] = random >> 28 < 7 ? kEdges[(random >> 16) % std::size(kEdges)] : random ^ random >> 15;
  }
  evaluate<<<1, kThreads>>>(words, out);
  OK(cudaDeviceSynchronize());
  const Word* at = out;
  for (unsigned t = 0; t < kThreads; ++t) {
    const unsigned a = words[t * 3], b = words[t * 3 + 1], c = words[t * 3 + 2];
    OPERANDS
#define COMPARED_WITH(call, ...)                                                                                    \
  if (const auto expected = static_cast<Word>(__VA_ARGS__); *at++ != expected) {                                    \
    std::printf("%s of %x, %x, %x: %llx, expected %llx\n", #call, a, b, c, static_cast<unsigned long long>(at[-1]), \
                static_cast<unsigned long long>(expected));                                                         \
    std::exit(1);                                                                                                   \
  }
    TABLE(COMPARED_WITH)
  }
}

}  // namespace integers
