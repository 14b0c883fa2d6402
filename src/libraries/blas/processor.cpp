// OpenBLAS chooses its functions by the model of the processor. A model that is younger than it gets those of
// processors without AVX: on an Emerald Rapids, OpenBLAS 0.3.21 takes `Prescott`. Here such a processor gets what its
// instructions allow. OpenBLAS asks for a name in the environment (getenv, --wrap), which nobody changes. A name that
// is there counts.
#include "libraries/blas/processor.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

extern "C" {
char* openblas_get_corename();
void gotoblas_dynamic_init();
void gotoblas_dynamic_quit();
char* __real_getenv(const char* name);
}

namespace nvmlkit::blas {

const char* core_name() { return openblas_get_corename(); }

bool uses_vectors() {
  constexpr const char* kWithVectors[] = {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "Sapphirerapids"};
  return std::any_of(std::begin(kWithVectors), std::end(kWithVectors),
                     [](const char* known) { return std::strcmp(core_name(), known) == 0; });
}

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";
char* chosen = nullptr;

#if defined(__x86_64__)
const char* best_core() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  const bool has_wide_vectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512vl");
  if (has_wide_vectors) return "SkylakeX";
  return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
}

// Constructors have no order: OpenBLAS chooses now, or has done so. It does that once.
[[gnu::constructor]] void choose_core() {
  gotoblas_dynamic_init();
  if (__real_getenv(kVariable) || uses_vectors()) return;
  chosen = const_cast<char*>(best_core());
  if (!chosen) return;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
}
#endif

}  // namespace

extern "C" char* __wrap_getenv(const char* name) {
  return chosen && std::strcmp(name, kVariable) == 0 ? chosen : __real_getenv(name);
}

}  // namespace nvmlkit::blas
