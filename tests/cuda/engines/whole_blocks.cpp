// Barriers in compiled code: blocks of one warp, where code goes on across them, and blocks of several, which go from
// barrier to barrier together. What threads see of each other is what it is in the interpreter. And how many pieces of
// code a place has: registers that hold data, warps at a border, large kernels whose blocks differ.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "block_kernel.hpp"
#include "ptx/compile/compiled.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

// A number is shifted from lane to lane: 40 rounds in a row, with two barriers each.
void check_rounds() {
  constexpr unsigned kRounds = 40;
  std::string body =
      "mov.u32 %r8, %ntid.x; sub.s32 %r9, %r8, 1; setp.eq.s32 %p1, %r2, %r9; add.s32 %r10, %r7, 4; "
      "selp.b32 %r10, %r5, %r10, %p1;\n";
  for (unsigned k = 0; k < kRounds; ++k)
    body += "st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r4, [%r10]; add.s32 %r4, %r4, " + std::to_string(k) +
            "; bar.sync 0;\n";
  const Step step = [](std::span<std::uint32_t> words) {
    for (unsigned k = 0; k < kRounds; ++k) {
      const auto first = words[0];
      for (std::size_t lane = 0; lane + 1 < words.size(); ++lane) words[lane] = words[lane + 1] + k;
      words.back() = first + k;
    }
  };
  check("rounds", body, {1, 16, 17, 32, 64, 100, 128}, step, 10 + 5 + 5 * kRounds + 2);
}

// The same in a loop, whose number of turns is data, and with a way that some lanes take.
void check_loop() {
  const std::string body =
      "ld.global.u32 %r11, [%rd1+0]; and.b32 %r11, %r11, 7; setp.gt.u32 %p2, %r2, 4;\n"
      "AGAIN: st.shared.u32 [%r7], %r4; bar.sync 0; @%p2 bra OVER; ld.shared.u32 %r12, [%r5]; add.s32 %r4, %r4, %r12;\n"
      "OVER: bar.sync 0; sub.s32 %r11, %r11, 1; setp.gt.s32 %p3, %r11, 0; @%p3 bra AGAIN;\n";
  // Nothing writes the first word but its own lane, at the end: later blocks see it. So the count is given here.
  const Kernel kernel(body);
  for (const auto threads : {16u, 32u, 96u, 120u})
    for (unsigned turns = 1; turns < 6; ++turns) {
      auto words = numbers(turns), wanted = words;
      std::uint32_t count = words[0] & 7;
      kernel.run(words, threads);
      for (unsigned block = 0; block < kBlocks; ++block) {
        const auto own = std::span(wanted).subspan(block * kMostThreads, threads);
        for (std::uint32_t k = 0; k < std::max(count, 1u); ++k) {
          const auto first = own[0];
          for (std::size_t lane = 0; lane < std::min<std::size_t>(5, own.size()); ++lane) own[lane] += first;
        }
        if (block == 0) count = wanted[0] & 7;
      }
      expect(words == wanted, "a loop", threads);
    }
}

// Barriers that some lanes do not come to: they have ended, or are at another one.
void check_parts() {
  check("lanes that have ended",
        "setp.gt.u32 %p1, %r2, 9; @%p1 ret; st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r4, [%r5+8]; "
        "bar.sync 0;",
        {16, 32}, [](std::span<std::uint32_t> words) { std::fill_n(words.begin(), 10, words[2]); });
  check("two barriers",
        "setp.gt.u32 %p1, %r2, 7; st.shared.u32 [%r7], %r4; @%p1 bra HIGH; add.s32 %r4, %r4, 1; "
        "st.shared.u32 [%r7], %r4; bar.sync 0; bra.uni BOTH;\n"
        "HIGH: add.s32 %r4, %r4, 2; st.shared.u32 [%r7], %r4; bar.sync 0;\n"
        "BOTH: ld.shared.u32 %r13, [%r5]; ld.shared.u32 %r14, [%r5+32]; add.s32 %r4, %r13, %r14;",
        {16, 32}, [](std::span<std::uint32_t> words) {
          const auto sum = words[0] + 1 + words[8] + 2;
          std::fill(words.begin(), words.end(), sum);
        });
  check("an arrival before",
        "setp.gt.u32 %p1, %r2, 15; bar.arrive 1, 64; st.shared.u32 [%r7], %r4; bar.sync 0; "
        "ld.shared.u32 %r4, [%r5+4];",
        {32}, [](std::span<std::uint32_t> words) { std::fill(words.begin(), words.end(), words[1]); });
}

// That no place has more pieces of code, and one has so many.
void expect_pieces(const Kernel& kernel, std::size_t wanted, unsigned threads) {
  const auto* const function = kernel.module->entry("kernel");
  if (ptx::engine() != ptx::Engine::compile) return;
  std::size_t most = 0;
  for (std::uint32_t at = 0; at < function->code.size(); ++at) {
    std::size_t pieces = 0;
    const auto* node = ptx::Compiled::of(*function).pieces_at(at, ptx::CodeFor::all_lanes);
    for (; node; node = node->next.load()) ++pieces;
    most = std::max(most, pieces);
  }
  std::printf("%zu pieces of code for one place\n", most);
  expect(most == wanted, "pieces", threads);
}

// Numbers close together are no reason to expect the same distances again.
void check_data() {
  const Kernel kernel(
      "mov.b32 %f1, %r4; mov.u32 %r9, 0;\n"
      "AGAIN: add.f32 %f1, %f1, 0f3F800000; add.s32 %r9, %r9, 1; bar.sync 0; setp.lt.u32 %p1, %r9, 4; @%p1 bra AGAIN;\n"
      "mov.b32 %r4, %f1;");
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::vector<std::uint32_t> words(kWords);
    for (unsigned k = 0; k < kWords; ++k) words[k] = 0x43A00000 + ((k + 1000 * seed) * 747796405u >> 14);
    auto wanted = words;
    kernel.run(words, kWarp);
    for (unsigned k = 0; k < kWords; ++k) {
      if (k % kMostThreads >= kWarp) continue;
      float value = 0;
      std::memcpy(&value, &wanted[k], sizeof value);
      for (unsigned turn = 0; turn < 4; ++turn) value += 1;
      std::memcpy(&wanted[k], &value, sizeof value);
    }
    expect(words == wanted, "data", kWarp);
  }
  expect_pieces(kernel, 1, kWarp);
}

// Blocks of several warps that do not do the same.
void check_warps() {
  const std::string warp = "shr.u32 %r15, %r2, 5; setp.eq.u32 %p4, %r15, 1;\n";
  check("a warp that ends",
        warp +
            "st.shared.u32 [%r7], %r4; bar.sync 0; @%p4 bra END; ld.shared.u32 %r4, [%r5+8]; bar.sync 0; "
            "add.s32 %r4, %r4, 1; st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r13, [%r5+4]; "
            "add.s32 %r4, %r4, %r13;\nEND:",
        {64, 100, 128}, [](std::span<std::uint32_t> words) {
          const auto value = 2 * words[2] + 2;
          for (std::size_t k = 0; k < words.size(); ++k)
            if (k / kWarp != 1) words[k] = value;
        });
  check("a warp that takes longer",
        warp +
            "@!%p4 bra OVER; mov.u32 %r16, 0;\n"
            "AGAIN: add.s32 %r4, %r4, 1; add.s32 %r16, %r16, 1; setp.lt.u32 %p5, %r16, 50; @%p5 bra AGAIN;\n"
            "OVER: st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r13, [%r5+128]; add.s32 %r4, %r4, %r13;",
        {64, 100, 128}, [](std::span<std::uint32_t> words) {
          for (std::size_t k = kWarp; k < 2 * kWarp; ++k) words[k] += 50;
          const auto sum = words[kWarp];
          for (auto& word : words) word += sum;
        });
  check("barriers of halves",
        "shr.u32 %r15, %r2, 6; add.s32 %r16, %r15, 1; shl.b32 %r17, %r15, 8; add.s32 %r17, %r17, %r5; "
        "mov.u32 %r18, 3; st.shared.u32 [%r7], %r4; bar.sync %r16, 64; ld.shared.u32 %r4, [%r17]; bar.sync %r18; "
        "st.shared.u32 [%r7], %r4; bar.sync %r18; ld.shared.u32 %r13, [%r5+256]; add.s32 %r4, %r4, %r13;",
        {128}, [](std::span<std::uint32_t> words) {
          const auto low = words[0], high = words[64];
          for (std::size_t k = 0; k < words.size(); ++k) words[k] = (k < 64 ? low : high) + high;
        });
}

// The first warp of a block reads the word of its first lane, all others those of the warp before.
void check_border() {
  const Kernel kernel(
      "st.shared.u32 [%r7], %r4; bar.sync 0; sub.s32 %r8, %r2, 32; max.s32 %r8, %r8, 0; shl.b32 %r8, %r8, 2; "
      "add.s32 %r8, %r5, %r8; bar.sync 0; ld.shared.u32 %r9, [%r8]; add.s32 %r4, %r4, %r9; bar.sync 0; "
      "mov.u32 %r10, %r4;");
  for (unsigned seed = 0; seed < 4; ++seed) {
    auto words = numbers(seed), wanted = words;
    for (unsigned block = 0; block < kBlocks; ++block) {
      const auto own = std::span(words).subspan(block * kMostThreads, kMostThreads);
      for (unsigned k = 0; k < kMostThreads; ++k) wanted[block * kMostThreads + k] += own[k < kWarp ? 0 : k - kWarp];
    }
    kernel.run(words, kMostThreads);
    expect(words == wanted, "a border", kMostThreads);
  }
  expect_pieces(kernel, 2, kMostThreads);
}

// 24 stretches with a barrier between each two. The step from lane to lane is another one in each block.
void check_large_kernel() {
  constexpr unsigned kStretches = 24;
  std::string body = "mul.lo.u32 %r8, %r2, %r1;\n";
  for (unsigned k = 0; k < kStretches; ++k) body += "bar.sync 1, 32; add.u32 %r8, %r8, 3; xor.b32 %r4, %r4, %r8;\n";
  const Kernel kernel(body);
  auto words = numbers(0), wanted = words;
  for (unsigned block = 0; block < kBlocks; ++block)
    for (unsigned lane = 0; lane < kWarp; ++lane)
      for (unsigned stretch = 1; stretch <= kStretches; ++stretch)
        wanted[block * kMostThreads + lane] ^= lane * block + 3 * stretch;
  kernel.run(words, kWarp);
  expect(words == wanted, "large kernel", kWarp);
  if (ptx::engine() != ptx::Engine::compile) return;
  const auto* const function = kernel.module->entry("kernel");
  std::size_t pieces = 0;
  for (std::uint32_t at = 0; at < function->code.size(); ++at)
    for (const auto lanes : {ptx::CodeFor::all_lanes, ptx::CodeFor::some_lanes})
      for (const auto* node = ptx::Compiled::of(*function).pieces_at(at, lanes); node; node = node->next.load())
        ++pieces;
  std::printf("%zu pieces of code for %u stretches\n", pieces, kStretches);
  expect(pieces >= kStretches && pieces <= kStretches + 8, "pieces of a large kernel", kWarp);
}

}  // namespace

int main() {
  check_rounds();
  check_loop();
  check_parts();
  check_data();
  check_warps();
  check_border();
  check_large_kernel();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
