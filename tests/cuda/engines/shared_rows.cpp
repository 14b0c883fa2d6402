// Several accesses to shared memory with arithmetic between: code checks them together. At the ends of shared memory,
// for lanes that do not act; where one of them fails; and with results that are no number, so that the interpreter
// executes loads once more.
#include <bit>
#include <limits>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

// The first lane of a block has no neighbour: its address would lie before shared memory.
void check_neighbours() {
  check("neighbours",
        "st.shared.u32 [%r7], %r4; bar.sync 0; add.s32 %r8, %r7, -4; add.s32 %r9, %r7, 4; mov.u32 %r10, %ntid.x; "
        "sub.s32 %r10, %r10, 1; setp.eq.u32 %p1, %r2, 0; setp.ge.u32 %p2, %r2, %r10; or.pred %p3, %p1, %p2; "
        "@%p3 bra OVER; ld.shared.u32 %r11, [%r8]; cvt.rn.f64.u32 %fd1, %r11; ld.shared.u32 %r12, [%r7]; "
        "cvt.rn.f64.u32 %fd2, %r12; add.f64 %fd3, %fd1, %fd2; ld.shared.u32 %r13, [%r9]; cvt.rn.f64.u32 %fd4, %r13; "
        "fma.rn.f64 %fd5, %fd4, 0d4000000000000000, %fd3; cvt.rzi.u32.f64 %r4, %fd5;\nOVER: bar.sync 0;",
        {16, 31, 32, 64, 100, 128}, [](std::span<std::uint32_t> words) {
          const std::vector<std::uint32_t> before(words.begin(), words.end());
          for (std::size_t k = 1; k + 1 < words.size(); ++k) words[k] = before[k - 1] + before[k] + 2 * before[k + 1];
        });
}

// Half of a row lies behind the last byte: 512 that the kernel asks for, and 1024 behind them.
void check_end() {
  check("the end",
        "add.s32 %r8, %r7, 1472; add.s32 %r9, %r7, 8; setp.gt.u32 %p1, %r2, 15; @%p1 bra OVER; "
        "st.shared.u32 [%r8], %r4; ld.shared.u32 %r10, [%r8]; ld.shared.u32 %r11, [%r9]; add.s32 %r4, %r10, %r10; "
        "add.s32 %r4, %r4, %r11;\nOVER: bar.sync 0;",
        {16, 20, 32}, [](std::span<std::uint32_t> words) {
          for (std::size_t k = 0; k < 16; ++k) words[k] *= 2;
        });
}

// Lanes that do not act would lie before the first byte. One that acts there fails.
void check_start() {
  const auto body = [](const char* first) {
    return std::string("sub.s32 %r8, %r7, 32; setp.lt.u32 %p1, %r2, ") + first +
           "; @%p1 bra OVER;\nst.shared.u32 [%r8], %r4; ld.shared.u32 %r9, [%r8]; add.s32 %r4, %r9, %r9;\n"
           "OVER: bar.sync 0;";
  };
  check("the start", body("8"), {16, 32, 100, 128}, [](std::span<std::uint32_t> words) {
    for (std::size_t k = 8; k < words.size(); ++k) words[k] *= 2;
  });
  auto words = numbers(1);
  const auto outcome = Kernel(body("7")).run(words, 32);
  // Such an address counts as one of another block of a cluster.
  expect(outcome.fault.kind == ptx::FaultKind::illegal_instruction && outcome.fault.thread[0] == 7, "before the start",
         32);
}

// The third access of a row fails; the error is that of its first thread. `own` has 128 words.
void check_faults() {
  const Kernel kernel(
      "mul.wide.u32 %rd4, %r1, 512; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r8, [%rd5+4]; bar.sync 0; st.shared.u32 "
      "[%r7], %r4; add.s32 %r9, %r7, %r8;\n"
      "ld.shared.u32 %r10, [%r7];\n"
      "add.s32 %r11, %r10, 1;\n"
      "ld.shared.u32 %r12, [%r9];\n"
      "add.s32 %r4, %r11, %r12;");
  constexpr int kLine = 12;  // of that access in the PTX
  struct Case {
    std::uint32_t more;
    ptx::FaultKind kind;
  };
  for (const auto& [more, kind] : {Case{4, ptx::FaultKind::none}, Case{6, ptx::FaultKind::misaligned_address},
                                   Case{4000, ptx::FaultKind::illegal_address}, Case{8, ptx::FaultKind::none}}) {
    auto words = numbers(1);
    for (unsigned block = 0; block < kBlocks; ++block) words[block * kMostThreads + 1] = more;
    const auto outcome = kernel.run(words, kMostThreads);
    expect(outcome.fault.kind == kind, "kind of fault", more);
    if (kind == ptx::FaultKind::none) continue;
    expect(outcome.fault.line == kLine && outcome.fault.address == more && outcome.fault.thread[0] == 0, "fault", more);
  }
}

// In the middle of a row of f64, its loads among it: the interpreter executes all of it once more.
void check_no_numbers() {
  const Kernel kernel(
      "st.shared.u32 [%r7], %r4; add.s32 %r8, %r7, 4; bar.sync 0; mov.b32 %f1, %r4; cvt.f64.f32 %fd1, %f1; "
      "mul.f64 %fd2, %fd1, %fd1; ld.shared.f32 %f2, [%r8]; cvt.f64.f32 %fd3, %f2; sub.f64 %fd4, %fd2, %fd3; "
      "ld.shared.f32 %f3, [%r7+8]; cvt.f64.f32 %fd5, %f3; fma.rn.f64 %fd6, %fd4, %fd1, %fd5; "
      "setp.nan.f64 %p1, %fd6, %fd6; cvt.rn.f32.f64 %f4, %fd6; mov.b32 %r9, %f4; selp.u32 %r4, 77, %r9, %p1; "
      "bar.sync 0;");
  const auto number = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const auto none = number(std::numeric_limits<float>::quiet_NaN());
  for (const unsigned at : {200u, 0u, 5u, 33u, 64u, 126u}) {  // 200: no word is none
    std::vector<std::uint32_t> words(kWords);
    for (unsigned k = 0; k < kWords; ++k)
      words[k] = k % kMostThreads == at ? none : number(static_cast<float>(k % 1000) / 8);
    auto wanted = words;
    for (unsigned k = 0; k < kWords; ++k) {
      const auto of = [&](unsigned more) {
        const auto lane = k % kMostThreads + more;
        return lane < kMostThreads ? std::bit_cast<float>(words[k + more]) : 0.0F;
      };
      const double x = of(0), result = (x * x - of(1)) * x + of(2);
      wanted[k] = result != result ? 77 : number(static_cast<float>(result));
    }
    kernel.run(words, kMostThreads);
    expect(words == wanted, "no number", at);
  }
}

}  // namespace

int main() {
  check_neighbours();
  check_end();
  check_start();
  check_faults();
  check_no_numbers();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
