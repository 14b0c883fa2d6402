// A small kernel with several pieces of code, for tests of the cache on disk: prints a digest of what it leaves in
// memory.
//   cached_kernel SEED
// Kernels of other seeds have other code and the same name.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

constexpr int kSteps = 4;

// Each step ends at two barriers.
std::string body_of(unsigned seed) {
  std::string out;
  for (unsigned k = 0; k < kSteps; ++k) {
    const auto factor = std::to_string(2 * (seed + k) + 1), neighbour = std::to_string(4 * ((seed * 7 + k * 5) % 32));
    out += "st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r8, [%r5+" + neighbour + "]; mad.lo.s32 %r4, %r4, " +
           factor + ", %r8; bar.sync 0;\n";
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seed = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 0;
  const Kernel kernel(body_of(seed));
  auto words = numbers(seed);
  for (int k = 0; k < 20; ++k)
    for (const auto threads : {kMostThreads, 50u})
      if (kernel.run(words, threads).fault.kind != ptx::FaultKind::none) return 1;
  std::uint64_t digest = 0;
  for (const auto word : words) digest = (digest ^ word) * 0x100000001B3u;
  std::printf("%016" PRIx64 "\n", digest);
  return 0;
}
