#include "code_cache/digest_instructions.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace nvmlkit::code_cache {

#if defined(__x86_64__)

bool has_digest_instructions() {
  static const bool has = [] {
    constexpr unsigned kFeatures = 7, kSha = 1u << 29;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
  }();
  return has;
}

// The instructions take the words of the state in pairs: a, b, e, f and c, d, g, h, the first one highest.
__attribute__((target("sha,sse4.1"))) void add_blocks_by_instructions(DigestState& state, const unsigned char* blocks,
                                                                      std::size_t count) {
  constexpr std::size_t kGroups = 16;  // of four rounds
  const __m128i swapped = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const auto word = [&](std::size_t k) { return static_cast<int>(state[k]); };
  __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5));
  __m128i cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
  for (; count > 0; --count, blocks += kDigestBlock) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) {
      if (g < 4) {
        const auto* const from = reinterpret_cast<const __m128i*>(blocks) + g;
        words[g] = _mm_shuffle_epi8(_mm_loadu_si128(from), swapped);
      } else {
        const auto older = _mm_sha256msg1_epu32(words[g - 4], words[g - 3]);
        const auto middle = _mm_alignr_epi8(words[g - 1], words[g - 2], 4);
        words[g] = _mm_sha256msg2_epu32(_mm_add_epi32(older, middle), words[g - 1]);
      }
      const auto* const rounds = reinterpret_cast<const __m128i*>(&kDigestRounds[4 * g]);
      const auto both = _mm_add_epi32(words[g], _mm_loadu_si128(rounds));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, both);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(both, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  alignas(16) std::uint32_t pairs[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(pairs), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(pairs) + 1, cdgh);
  state = {pairs[3], pairs[2], pairs[7], pairs[6], pairs[1], pairs[0], pairs[5], pairs[4]};
}

#else

bool has_digest_instructions() { return false; }
void add_blocks_by_instructions(DigestState&, const unsigned char*, std::size_t) {}

#endif

}  // namespace nvmlkit::code_cache
