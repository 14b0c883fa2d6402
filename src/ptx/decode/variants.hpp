// Handlers compiled for the vectors of newer CPUs as well. The decoder of a module chooses among them.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

#if defined(__x86_64__) && defined(NVMLKIT_PTX_VARIANTS)

enum class Vectors : std::uint8_t { of_128_bits, of_256_bits, of_512_bits };
Vectors widest_vectors();

// All that `inner` calls becomes part of these.
template <Handler inner>
__attribute__((target("avx2,bmi,bmi2,fma"), flatten)) void with_avx2(Warp& w, const Instruction& i, Mask lanes) {
  inner(w, i, lanes);
}
template <Handler inner>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,fma"), flatten)) void with_avx512(
    Warp& w, const Instruction& i, Mask lanes) {
  inner(w, i, lanes);
}

template <Handler inner>
Handler best() {
  switch (widest_vectors()) {
    case Vectors::of_512_bits:
      return &with_avx512<inner>;
    case Vectors::of_256_bits:
      return &with_avx2<inner>;
    default:
      return inner;
  }
}

#else

template <Handler inner>
Handler best() {
  return inner;
}

#endif

}  // namespace nvmlkit::ptx
