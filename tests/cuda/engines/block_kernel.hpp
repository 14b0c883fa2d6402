// A kernel whose blocks change 128 numbers each, and what they should be.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace nvmlkit::test {

inline constexpr unsigned kBlocks = 6, kMostThreads = 128, kWarp = 32;
inline constexpr unsigned kWords = kBlocks * kMostThreads;
inline unsigned wrong = 0;

struct Kernel {
  std::unique_ptr<ptx::Module> module;
  explicit Kernel(const std::string& body)
      : module(ptx::load(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
                         ".reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .pred %p<8>; "
                         ".shared .align 4 .b8 own[512];\n"
                         "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
                         "mad.lo.s32 %r3, %r1, 128, %r2; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"
                         "ld.global.u32 %r4, [%rd3]; mov.u32 %r5, own; shl.b32 %r6, %r2, 2; add.s32 %r7, %r5, %r6;\n" +
                         body + "\nst.global.u32 [%rd3], %r4; ret;\n}\n")) {}

  ptx::Outcome run(std::vector<std::uint32_t>& words, unsigned threads) const {
    FlatMemory memory(std::as_writable_bytes(std::span(words)));
    return ptx::run_kernel(grid_of(*module, memory, kBlocks, threads));
  }
};

inline std::vector<std::uint32_t> numbers(unsigned seed) {
  std::vector<std::uint32_t> out(kWords);
  for (unsigned k = 0; k < kWords; ++k) out[k] = (k + seed) * 747796405u >> 12;
  return out;
}

inline void expect(bool holds, const char* what, unsigned threads) {
  if (holds) return;
  ++wrong;
  std::printf("%s, %u threads: wrong\n", what, threads);
}

// `step` is what one block makes of its numbers, `instructions` what one warp executes.
using Step = std::function<void(std::span<std::uint32_t>)>;

inline void check(const char* what, const std::string& body, const std::vector<unsigned>& sizes, const Step& step,
                  std::uint64_t instructions = 0) {
  const Kernel kernel(body);
  for (const auto threads : sizes)
    for (unsigned seed = 0; seed < 3; ++seed) {
      auto words = numbers(seed), wanted = words;
      const auto outcome = kernel.run(words, threads);
      for (unsigned block = 0; block < kBlocks; ++block) step(std::span(wanted).subspan(block * kMostThreads, threads));
      const auto warps = (threads + kWarp - 1) / kWarp;
      if (instructions > 0 && outcome.instructions != instructions * warps * kBlocks)
        std::printf("%llu instructions\n", static_cast<unsigned long long>(outcome.instructions));
      expect(outcome.fault.kind == ptx::FaultKind::none && words == wanted, what, threads);
      if (instructions > 0) expect(outcome.instructions == instructions * warps * kBlocks, "instructions", threads);
    }
}

}  // namespace nvmlkit::test
