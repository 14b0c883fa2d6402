// Barriers with a reduction, `bar.red`: what the threads of a block get is the same by phases of compiled code, by
// turns of warps, and in the interpreter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

using Words = std::span<std::uint32_t>;

std::uint32_t count_without(Words words, std::uint32_t bits) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(words, [=](std::uint32_t word) { return (word & bits) == 0; }));
}

// The three kinds, in a row. Among the bits are none, so that all agree, and many, so that hardly one thread does.
void check_kinds() {
  constexpr std::uint32_t kBits[] = {0, 1, 3, 0xFFF, 0xFFFFFFFF, 0x10, 0, 0x84, 0xFFFFFFFF, 0x7};
  std::string body;
  for (const auto bits : kBits)
    body += "and.b32 %r9, %r4, " + std::to_string(bits) +
            "; setp.eq.u32 %p1, %r9, 0; bar.red.popc.u32 %r10, 0, %p1; bar.red.and.pred %p2, 0, !%p1; "
            "bar.red.or.pred %p3, 1, %p1; selp.u32 %r11, 5, 0, %p2; selp.u32 %r12, 7, 0, %p3; "
            "add.u32 %r4, %r4, %r10; add.u32 %r4, %r4, %r11; add.u32 %r4, %r4, %r12;\n";
  const Step step = [&](Words words) {
    for (const auto bits : kBits) {
      const auto count = count_without(words, bits);
      for (auto& word : words) word += count + (count == 0 ? 5 : 0) + (count > 0 ? 7 : 0);
    }
  };
  check("kinds", body, {1, 16, 32, 33, 64, 100, 128}, step, 10 + 10 * std::size(kBits) + 2);
}

// A loop whose end is what the threads agree on. The first thread alone has more to do, so that its warp comes last.
void check_loop() {
  check("a loop with an end of all",
        "setp.ne.u32 %p1, %r2, 0; mov.u32 %r10, 0;\n"
        "AGAIN: @%p1 bra BOTH; st.shared.u32 [%r5], %r10; add.u32 %r4, %r4, 3;\n"
        "BOTH: bar.sync 0; ld.shared.u32 %r11, [%r5]; add.u32 %r4, %r4, %r11; and.b32 %r12, %r4, 4095; "
        "setp.lt.u32 %p2, %r12, 512; add.u32 %r10, %r10, 1; setp.gt.u32 %p3, %r10, 60; or.pred %p2, %p2, %p3; "
        "bar.red.or.pred %p4, 0, %p2; @!%p4 bra AGAIN;",
        {32, 64, 100, 128}, [](Words words) {
          for (std::uint32_t turn = 0, ends = 0; ends == 0; ++turn) {
            words[0] += 3;
            for (auto& word : words) word += turn;
            ends = turn == 60 || std::ranges::any_of(words, [](auto word) { return (word & 4095) < 512; });
          }
        });
}

// Threads that have ended have no vote.
void check_ended() {
  for (const unsigned first : {9u, 40u, 96u})
    check("threads that have ended",
          "setp.ge.u32 %p1, %r2, " + std::to_string(first) +
              "; @%p1 ret; bar.sync 0; setp.lt.u32 %p2, %r2, 200; bar.red.and.pred %p3, 0, %p2; @!%p3 ret; "
              "bar.red.popc.u32 %r8, 0, %p2; setp.eq.u32 %p4, %r2, 3; bar.red.popc.u32 %r9, 0, !%p4; "
              "mad.lo.u32 %r4, %r9, 1000, %r8;",
          {16, 32, 64, 100, 128}, [=](Words words) {
            const auto live = std::min<std::size_t>(first, words.size());
            std::fill_n(words.begin(), live, static_cast<std::uint32_t>((live - 1) * 1000 + live));
          });
}

// A register that held one value for all lanes, which blocks of odd numbers keep.
void check_kept_register() {
  const Kernel kernel(
      "mov.u32 %r9, 0; mov.u32 %r10, 77; and.b32 %r8, %r1, 1; setp.ne.u32 %p1, %r8, 0;\n"
      "AGAIN: bar.sync 0; @%p1 bra OVER; and.b32 %r11, %r4, 3; setp.eq.u32 %p2, %r11, %r9; "
      "bar.red.popc.u32 %r10, 0, %p2;\n"
      "OVER: add.u32 %r4, %r4, %r10; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 30; @%p3 bra AGAIN;");
  for (const auto threads : {32u, 96u, 120u}) {
    auto words = numbers(threads), wanted = words;
    kernel.run(words, threads);
    for (unsigned block = 0; block < kBlocks; ++block) {
      const auto own = Words(wanted).subspan(block * kMostThreads, threads);
      for (std::uint32_t turn = 0; turn < 30; ++turn) {
        const auto count = std::ranges::count_if(own, [=](auto word) { return (word & 3) == turn; });
        for (auto& word : own) word += block % 2 != 0 ? 77 : static_cast<std::uint32_t>(count);
      }
    }
    expect(words == wanted, "a register that is kept", threads);
  }
}

// What is no plain register: a constant, a barrier by a number in a register, one for some of the threads.
void check_operands() {
  check("a constant",
        "bar.red.popc.u32 %r8, 0, 1; bar.red.or.pred %p1, 0, 0; selp.u32 %r9, 1000, 0, %p1; add.u32 %r4, %r8, %r9;",
        {32, 100}, [](Words words) { std::ranges::fill(words, static_cast<std::uint32_t>(words.size())); });
  check(
      "a barrier by number",
      "and.b32 %r8, %r1, 7; setp.lt.u32 %p1, %r2, 50; bar.red.popc.u32 %r4, %r8, %p1; bar.red.popc.u32 %r9, %r8, %p1; "
      "add.u32 %r4, %r4, %r9;",
      {64, 128}, [](Words words) { std::ranges::fill(words, 100u); });
  check("one for each half",
        "shr.u32 %r8, %r2, 6; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r2, 80; bar.red.popc.u32 %r4, %r8, 64, %p1; "
        "bar.sync 0; bar.red.popc.u32 %r9, 0, %p1; mad.lo.u32 %r4, %r4, 1000, %r9;",
        {128}, [](Words words) {
          for (std::size_t k = 0; k < words.size(); ++k) words[k] = (k < 64 ? 64 : 16) * 1000 + 80;
        });
}

}  // namespace

int main() {
  check_kinds();
  check_loop();
  check_ended();
  check_kept_register();
  check_operands();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
