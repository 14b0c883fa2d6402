// Launches of several threads at once, of one host thread each, that change the same words: no change is lost, though a
// launch that is alone uses no atomic instructions.
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;

constexpr unsigned kBlocks = 512, kThreads = 256, kWords = 64, kLaunches = NVMLKIT_TEST_SANITIZED ? 8 : 40,
                   kHostThreads = 3;

// Each thread adds 1 to two words: one of its own choice, and one by an instruction that the host may look at.
constexpr char kText[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3; mul.lo.s32 %r4, %r4, 747796405; shr.u32 %r4, %r4, 27;\n"
    "mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "red.global.add.u32 [%rd3], 1; atom.global.sys.add.u32 %r5, [%rd3+128], 1; ret;\n}\n";

}  // namespace

int main() {
  std::vector<std::uint32_t> words(kWords);
  test::FlatMemory memory(std::as_writable_bytes(std::span(words)));
  const std::string text = kText;
  const auto module = ptx::load(text);
  const auto launch = [&] { ptx::run_kernel(test::grid_of(*module, memory, kBlocks, kThreads)); };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kHostThreads; ++t)
    threads.emplace_back([&] {
      for (unsigned k = 0; k < kLaunches; ++k) launch();
    });
  for (auto& thread : threads) thread.join();
  std::uint64_t first = 0, second = 0;
  for (unsigned k = 0; k < kWords / 2; ++k) first += words[k], second += words[k + kWords / 2];
  constexpr std::uint64_t kExpected = std::uint64_t{kBlocks} * kThreads * kLaunches * kHostThreads;
  std::printf("%llu and %llu of %llu changes\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(second), static_cast<unsigned long long>(kExpected));
  return first == kExpected && second == kExpected ? 0 : 1;
}
