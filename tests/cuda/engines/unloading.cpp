// Modules that end while their kernels are being compiled, from several threads at once. Each sum must be right.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;

constexpr unsigned kRounds = NVMLKIT_TEST_SANITIZED ? 10 : 50;
constexpr unsigned kBlocks = 1024, kThreads = 128;  // more warps than a piece of code waits for

std::string program(unsigned added) {
  return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
         ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
         "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
         "mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
         "ld.global.u32 %r5, [%rd3+4]; add.s32 %r5, %r5, " +
         std::to_string(added) + "; st.global.u32 [%rd3+4], %r5; red.global.add.u32 [%rd1], 1; ret;\n}\n";
}

bool run(unsigned added) {
  const auto text = program(added);
  std::vector<std::uint32_t> words(1 + kBlocks * kThreads);
  test::FlatMemory memory(std::as_writable_bytes(std::span(words)));
  const auto module = ptx::load(text);
  auto grid = test::grid_of(*module, memory, kBlocks, kThreads);
  grid.threads_of_host = 0;  // all cores
  constexpr unsigned kLaunches = 3;
  for (unsigned k = 0; k < kLaunches; ++k) ptx::run_kernel(grid);
  if (words[0] != kLaunches * kBlocks * kThreads) return false;
  for (unsigned k = 1; k <= kBlocks * kThreads; ++k)
    if (words[k] != kLaunches * added) return false;
  return true;
}

}  // namespace

int main() {
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned k = 0; k < kRounds; ++k) wrong += run(100 * t + k) ? 0 : 1;
    });
  for (auto& thread : threads) thread.join();
  std::printf("%u wrong\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}
