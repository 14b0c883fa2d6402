// Calls of functions between pieces of code: nested ones, recursion, local memory, barriers and errors in a function.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;
using nvmlkit::test::FlatMemory;
using nvmlkit::test::grid_of;

constexpr unsigned kLanes = 32, kWarps = 4, kThreads = kLanes * kWarps, kBlocks = 6, kAll = kThreads * kBlocks;
constexpr unsigned kRounds = 4;
unsigned wrong = 0;

void expect(bool is_right, const std::string& what) {
  if (is_right) return;
  ++wrong;
  std::printf("%s: wrong\n", what.c_str());
}

// What a warp does. Lanes that recurse differently part in the function. The last two are errors of its lane 7.
enum Way : std::uint32_t { together, differently, reads_elsewhere, recurses_for_ever };

constexpr std::uint64_t kOfAWarp = 485;  // instructions of a warp that stays together

// Memory: a number for each thread, which becomes its result, and the way of each warp.
struct Memory {
  std::uint32_t numbers[kAll], ways[kAll / kLanes];
};

const std::string kKernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".func (.param .b32 out) twice(.param .b32 x) {\n.reg .b32 %r<4>; .local .align 4 .b8 own[8];\n"
    "ld.param.u32 %r1, [x]; st.local.u32 [own+4], %r1; shl.b32 %r2, %r1, 1; add.s32 %r2, %r2, 1; st.param.b32 [out], "
    "%r2; ret;\n}\n"
    // It keeps its argument in local memory while it calls another function, which has its own.
    ".func (.param .b32 out) thrice(.param .b32 x) {\n.reg .b32 %r<6>; .local .align 4 .b8 kept[8];\n"
    "ld.param.u32 %r1, [x]; add.s32 %r5, %r1, 1; st.local.u32 [kept+4], %r5;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), twice, (a); ld.param.b32 %r2, [b]; }\n"
    "ld.local.u32 %r3, [kept+4]; add.s32 %r4, %r2, %r3; st.param.b32 [out], %r4; ret;\n}\n"
    // Of as many calls in one another as it says.
    ".func (.param .b64 out) sum(.param .b32 depth, .param .b64 x) {\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 "
    "%rd<4>;\n"
    "ld.param.u32 %r1, [depth]; ld.param.u64 %rd1, [x]; setp.eq.u32 %p, %r1, 0; @%p bra END;\n"
    "sub.u32 %r2, %r1, 1; cvt.u64.u32 %rd2, %r1; mad.lo.u64 %rd1, %rd1, 3, %rd2;\n"
    "{ .param .b32 a; .param .b64 b; .param .b64 c; st.param.b32 [a], %r2; st.param.b64 [b], %rd1; "
    "call (c), sum, (a, b); ld.param.b64 %rd1, [c]; }\n"
    "END: st.param.b64 [out], %rd1; ret;\n}\n"
    // All threads of the block meet in it.
    ".func (.param .b32 out) next(.param .b32 place, .param .b32 x) {\n.reg .b32 %r<6>;\n"
    "ld.param.u32 %r1, [place]; ld.param.u32 %r2, [x]; st.shared.u32 [%r1], %r2; bar.sync 0; xor.b32 %r3, %r1, 128; "
    "ld.shared.u32 %r4, [%r3]; bar.sync 0; st.param.b32 [out], %r4; ret;\n}\n"
    ".func (.param .b32 out) read(.param .b64 place) {\n.reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [place]; ld.global.u32 %r1, [%rd1]; st.param.b32 [out], %r1; ret;\n}\n"
    ".visible .entry kernel(.param .u64 data) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<12>; .shared .align 512 .b8 own[512];\n"
    "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 128, %r2; "
    "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; shr.u32 %r4, %r3, 5; mul.wide.u32 %rd4, %r4, 4; "
    "add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r5, [%rd5+3072];\n"
    "and.b32 %r6, %r2, 31; and.b32 %r7, %r2, 3; setp.eq.u32 %p1, %r5, 1; selp.b32 %r8, %r7, 5, %p1;\n"
    "setp.eq.u32 %p1, %r6, 7; setp.eq.and.u32 %p2, %r5, 2, %p1; selp.b64 %rd6, 1099511627776, 0, %p2; "
    "add.s64 %rd3, %rd3, %rd6; setp.eq.and.u32 %p3, %r5, 3, %p1; selp.b32 %r8, 1000000, %r8, %p3;\n"
    "mov.u32 %r9, own; shl.b32 %r10, %r2, 2; add.s32 %r9, %r9, %r10; mov.u32 %r11, 0;\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd3; call (b), read, (a); ld.param.b32 %r12, [b]; }\n"
    "AGAIN:\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r12; call (b), thrice, (a); ld.param.b32 %r13, [b]; }\n"
    "cvt.u64.u32 %rd7, %r12;\n"
    "{ .param .b32 a; .param .b64 b; .param .b64 c; st.param.b32 [a], %r8; st.param.b64 [b], %rd7; "
    "call (c), sum, (a, b); ld.param.b64 %rd8, [c]; }\n"
    "cvt.u32.u64 %r14, %rd8; add.s32 %r13, %r13, %r14;\n"
    "{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r9; st.param.b32 [b], %r13; "
    "call (c), next, (a, b); ld.param.b32 %r12, [c]; }\n"
    "add.s32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 4; @%p1 bra AGAIN; st.global.u32 [%rd3], %r12; ret;\n}\n";

std::uint32_t sum(std::uint32_t depth, std::uint64_t x) {
  for (; depth > 0; --depth) x = x * 3 + depth;
  return static_cast<std::uint32_t>(x);
}

// The results of all threads.
void compute(Memory& data) {
  for (unsigned round = 0; round < kRounds; ++round) {
    auto before = data;
    for (unsigned k = 0; k < kAll; ++k) {
      const auto x = data.numbers[k];
      before.numbers[k] = 3 * x + 2 + sum(data.ways[k / kLanes] == differently ? k % 4 : 5, x);
    }
    for (unsigned k = 0; k < kAll; ++k) data.numbers[k] = before.numbers[k ^ kLanes];
  }
}

ptx::Outcome run(const ptx::Module& module, Memory& data) {
  FlatMemory memory{std::as_writable_bytes(std::span(&data, 1))};
  return ptx::run_kernel(grid_of(module, memory, kBlocks, kThreads));
}

std::unique_ptr<Memory> numbers(unsigned seed) {
  auto out = std::make_unique<Memory>();
  std::mt19937 random(seed);
  for (auto& number : out->numbers) number = static_cast<std::uint32_t>(random());
  for (auto& way : out->ways) way = random() % 4 < seed ? random() % 2 : std::uint32_t{together};
  return out;
}

void check_results(const ptx::Module& module, unsigned seed) {
  const auto data = numbers(seed);
  auto wanted = *data;
  compute(wanted);
  const auto outcome = run(module, *data);
  expect(outcome.fault.kind == ptx::FaultKind::none && std::ranges::equal(data->numbers, wanted.numbers),
         "results of seed " + std::to_string(seed));
  if (seed > 0) return;
  if (outcome.instructions != kOfAWarp * kWarps * kBlocks)
    std::printf("%.2f instructions for a warp\n", static_cast<double>(outcome.instructions) / kWarps / kBlocks);
  expect(outcome.instructions == kOfAWarp * kWarps * kBlocks, "the number of instructions");
}

// The error names the thread.
void check_fault(const ptx::Module& module, Way way, ptx::FaultKind kind, unsigned block, unsigned warp) {
  const auto data = numbers(0);
  data->ways[block * kWarps + warp] = way;
  const auto fault = run(module, *data).fault;
  expect(fault.kind == kind && fault.block[0] == block && fault.thread[0] == warp * kLanes + 7,
         "the thread of error " + std::to_string(way));
}

}  // namespace

int main() {
  const auto module = ptx::load(kKernel);
  for (unsigned seed = 0; seed < 5; ++seed) check_results(*module, seed);
  for (const unsigned block : {0U, 5U})
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      check_fault(*module, reads_elsewhere, ptx::FaultKind::illegal_address, block, warp);
      check_fault(*module, recurses_for_ever, ptx::FaultKind::stack_overflow, block, warp);
    }
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
