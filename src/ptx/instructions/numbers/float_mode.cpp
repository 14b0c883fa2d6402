#include "ptx/instructions/numbers/float_mode.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace nvmlkit::ptx {

FloatMode FloatMode::of(const Form& form) { return {form.rounding(), form.has("ftz"), form.has("sat")}; }

std::uint8_t FloatMode::packed() const {
  return static_cast<std::uint8_t>(static_cast<unsigned>(rounding) | (flushes ? 4u : 0u) |
                                   (saturates ? kSaturates : 0u));
}

#if defined(__x86_64__)

FloatUnit::FloatUnit(std::uint8_t packed) : before_(_mm_getcsr()) {
  constexpr unsigned kRounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN, _MM_ROUND_UP};
  constexpr unsigned kFlush = 0x8040;  // results and operands
  _mm_setcsr((before_ & ~(_MM_ROUND_MASK | kFlush)) | kRounding[packed & 3] | (packed & 4 ? kFlush : 0));
}

FloatUnit::~FloatUnit() { _mm_setcsr(before_); }

#elif defined(__aarch64__)

namespace {

// The floating point unit's control register. Operands are in memory: none is read before the register is set.
unsigned control() {
  std::uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return static_cast<unsigned>(value);
}

void set_control(unsigned value) { __asm__ volatile("msr fpcr, %0" : : "r"(std::uint64_t{value}) : "memory"); }

}  // namespace

FloatUnit::FloatUnit(std::uint8_t packed) : before_(control()) {
  constexpr unsigned kRounding[] = {0, 3u << 22, 2u << 22, 1u << 22};
  constexpr unsigned kRoundingMask = 3u << 22, kFlush = 1u << 24;  // results and operands
  set_control((before_ & ~(kRoundingMask | kFlush)) | kRounding[packed & 3] | (packed & 4 ? kFlush : 0));
}

FloatUnit::~FloatUnit() { set_control(before_); }

#else  // without flushing

FloatUnit::FloatUnit(std::uint8_t packed) : before_(static_cast<unsigned>(std::fegetround())) {
  constexpr int kRounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(kRounding[packed & 3]);
}

FloatUnit::~FloatUnit() { std::fesetround(static_cast<int>(before_)); }

#endif

}  // namespace nvmlkit::ptx
