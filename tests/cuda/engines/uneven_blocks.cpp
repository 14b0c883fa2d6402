// Blocks that differ, in compiled code: what one of them needed, the next one does not, and the other way around.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit::test;

// Some blocks have lanes that part, or warps that lose lanes, and the blocks behind them do not.
void check_uneven_blocks() {
  const std::string odd =
      "and.b32 %r15, %r1, 1; setp.eq.u32 %p4, %r15, 1; and.b32 %r16, %r2, 3; setp.eq.u32 %p5, %r16, 2;\n";
  check("lanes that end in some blocks",
        odd +
            "and.pred %p6, %p4, %p5; st.shared.u32 [%r7], %r4; bar.sync 0; @%p6 ret; ld.shared.u32 %r13, [%r5+4]; "
            "add.s32 %r4, %r4, %r13; bar.sync 0; st.shared.u32 [%r7], %r4; bar.sync 0; ld.shared.u32 %r13, [%r5+12]; "
            "add.s32 %r4, %r4, %r13;",
        {32, 64, 100, 128}, [block = 0u](std::span<std::uint32_t> words) mutable {
          const bool is_odd = block++ % 2 == 1;
          const auto second = words[1], fourth = words[3];
          for (std::size_t k = 0; k < words.size(); ++k)
            if (!is_odd || k % 4 != 2) words[k] += second + fourth + second;
        });
  check("lanes that part in some blocks",
        odd +
            "st.shared.u32 [%r7], %r4; bar.sync 0; @!%p4 bra OVER; mov.u32 %r17, %r16;\n"
            "AGAIN: add.s32 %r4, %r4, 5; sub.s32 %r17, %r17, 1; setp.ge.s32 %p6, %r17, 0; @%p6 bra AGAIN;\n"
            "OVER: bar.sync 0; ld.shared.u32 %r13, [%r5+8]; add.s32 %r4, %r4, %r13; bar.sync 0;",
        {32, 64, 100, 128}, [block = 0u](std::span<std::uint32_t> words) mutable {
          const bool is_odd = block++ % 2 == 1;
          const auto third = words[2];
          for (std::size_t k = 0; k < words.size(); ++k)
            words[k] += third + (is_odd ? 5 * (static_cast<std::uint32_t>(k % 4) + 1) : 0);
        });
  check("local memory of a block",
        ".local .align 4 .b8 mine[16]; mov.u32 %r18, mine; ld.local.u32 %r19, [%r18+4]; add.s32 %r19, %r19, 1; "
        "st.local.u32 [%r18+4], %r19; bar.sync 0; ld.local.u32 %r20, [%r18+4]; add.s32 %r4, %r4, %r20; bar.sync 0;",
        {32, 100, 128}, [](std::span<std::uint32_t> words) {
          for (auto& word : words) ++word;
        });
}

// Lanes that have parted meet again where they do in the interpreter, so that none executes what follows alone.
void check_meetings() {
  const Kernel kernel(
      "and.b32 %r16, %r2, 7; setp.eq.u32 %p5, %r16, 2; setp.eq.u32 %p7, %r16, 5; mov.u32 %r20, 0;\n"
      "OUTER: mov.u32 %r17, %r16; @%p7 bra LATE;\n"
      "AGAIN: sub.s32 %r17, %r17, 1; setp.ge.s32 %p6, %r17, 0; @%p6 bra AGAIN;\n"
      "@%p5 bra SIDE; add.s32 %r4, %r4, 1; bra.uni MEET;\n"
      "SIDE: mov.u32 %r18, 3;\n"
      "SPIN: sub.s32 %r18, %r18, 1; add.s32 %r4, %r4, 2; setp.gt.s32 %p6, %r18, 0; @%p6 bra SPIN;\n"
      "MEET: add.s32 %r4, %r4, 7; xor.b32 %r4, %r4, 1; add.s32 %r4, %r4, 7;\n"
      "LATE: add.s32 %r20, %r20, 1; setp.lt.u32 %p6, %r20, 20; @%p6 bra OUTER;");
  auto words = numbers(0);
  const auto outcome = kernel.run(words, kMostThreads);
  constexpr std::uint64_t kInInterpreter = 23424;
  if (outcome.instructions != kInInterpreter)
    std::printf("%llu instructions\n", static_cast<unsigned long long>(outcome.instructions));
  expect(outcome.instructions == kInInterpreter, "lanes meet again: instructions", kMostThreads);
}

// The first block has rows of f64 with a result that is no number: the interpreter executes them, and code goes on.
void check_no_numbers() {
  constexpr std::uint64_t kOfAWarp = 28;
  check(
      "results that are no number",
      "cvt.rn.f64.u32 %fd1, %r1; sub.f64 %fd2, %fd1, %fd1; div.rn.f64 %fd3, %fd2, %fd1; fma.rn.f64 %fd4, %fd3, %fd3, "
      "%fd1; shl.b32 %r8, %r4, 1; st.shared.u32 [%r7], %r8; bar.sync 0; ld.shared.u32 %r9, [%r7]; add.f64 %fd5, "
      "%fd4, %fd4; mul.f64 %fd6, %fd5, 0d3FE0000000000000; add.s32 %r4, %r9, 3; bar.sync 0; setp.nan.f64 %p4, %fd6, "
      "%fd6; cvt.rzi.u32.f64 %r11, %fd6; selp.u32 %r12, 1000, %r11, %p4; add.s32 %r4, %r4, %r12;",
      {32, 64, 128},
      [block = 0u](std::span<std::uint32_t> words) mutable {
        const auto more = block % kBlocks == 0 ? 1000 : block % kBlocks;
        ++block;
        for (auto& word : words) word = 2 * word + 3 + more;
      },
      kOfAWarp);
}

}  // namespace

int main() {
  check_uneven_blocks();
  check_no_numbers();
  check_meetings();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
