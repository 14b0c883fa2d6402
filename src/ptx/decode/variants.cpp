#include "ptx/decode/variants.hpp"

#if defined(__x86_64__) && defined(NVMLKIT_PTX_VARIANTS)

#include <cstdlib>
#include <string_view>

namespace nvmlkit::ptx {

Vectors widest_vectors() {
  static const Vectors widest = [] {
    const char* const set = std::getenv("NVMLKIT_CUDA_VECTORS");
    const std::string_view most = set ? set : "";
    if (most == "128") return Vectors::of_128_bits;
    const auto has_all = [](auto... there) { return (... && there); };
#define HAS(feature) __builtin_cpu_supports(feature)
    if (!has_all(HAS("avx2"), HAS("bmi"), HAS("bmi2"), HAS("fma"))) return Vectors::of_128_bits;
    if (most == "256") return Vectors::of_256_bits;
    return has_all(HAS("avx512f"), HAS("avx512bw"), HAS("avx512dq"), HAS("avx512vl")) ? Vectors::of_512_bits
                                                                                      : Vectors::of_256_bits;
#undef HAS
  }();
  return widest;
}

}  // namespace nvmlkit::ptx

#endif
