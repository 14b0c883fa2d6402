// Warps of a block that end differently: compiled code goes on from one to the next, and stops at each that needs more.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;
using nvmlkit::test::FlatMemory;
using nvmlkit::test::grid_of;

constexpr unsigned kLanes = 32, kWarps = 8, kThreads = kLanes * kWarps, kBlocks = 12, kAll = kThreads * kBlocks;
unsigned wrong = 0;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  ++wrong;
  std::printf("%s: wrong\n", what);
}

// What a warp does between two barriers.
enum Way : std::uint32_t { goes_on, ends, loses_lanes, reads_backwards, reads_elsewhere };

// Instructions of a warp that takes it.
constexpr std::uint64_t kOfAWarp[] = {83, 19, 83, 84};

// Memory: a result for each thread, a number for each thread, the way of each warp.
struct Memory {
  std::uint32_t results[kAll], numbers[kAll], ways[kAll / kLanes];
};

// Threads hand on numbers in shared memory. In the middle, the way of the warp is data.
const std::string kKernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
    ".reg .pred %p<6>; .reg .b32 %r<20>; .reg .b64 %rd<12>; .shared .align 4 .b8 own[1024];\n"
    "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 256, %r2; "
    "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3+12288]; shl.b32 %r5, %r2, 2; "
    "mov.u32 %r6, own; add.s32 %r7, %r6, %r5; st.shared.u32 [%r7], %r4; shr.u32 %r8, %r3, 5; mul.wide.u32 %rd4, %r8, "
    "4; "
    "add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r9, [%rd5+24576]; bar.sync 0;\n"
    "setp.eq.u32 %p1, %r9, 1; @%p1 bra END;\n"
    "and.b32 %r10, %r2, 31; setp.eq.u32 %p2, %r9, 2; setp.gt.u32 %p3, %r10, 20; and.pred %p3, %p2, %p3; @%p3 ret;\n"
    "xor.b32 %r11, %r2, 64; setp.ne.u32 %p4, %r9, 3; @%p4 bra FORWARDS; xor.b32 %r11, %r11, 31;\n"
    "FORWARDS: setp.ne.u32 %p5, %r9, 4; @%p5 bra INSIDE; setp.ne.u32 %p5, %r10, 7; @%p5 bra INSIDE; "
    "add.s64 %rd3, %rd3, 1099511627776;\n"
    "INSIDE: shl.b32 %r11, %r11, 2; add.s32 %r12, %r6, %r11; ld.shared.u32 %r13, [%r12]; bar.sync 0;\n"
    "st.shared.u32 [%r7], %r13; mov.u32 %r16, 0;\n"
    // Each turn reads before it writes, and has more than the 8 instructions of a short turn before that.
    "AGAIN: bar.sync 0; ld.shared.u32 %r14, [%r7]; add.s32 %r14, %r14, %r4; mov.u32 %r17, 0;\n"
    "add.s32 %r17, %r17, %r14; shl.b32 %r18, %r17, 1; sub.s32 %r17, %r18, %r17; xor.b32 %r18, %r17, %r4; "
    "xor.b32 %r17, %r18, %r4; not.b32 %r17, %r17; not.b32 %r17, %r17; st.shared.u32 [%r7], %r17; "
    "add.s32 %r16, %r16, 1; setp.lt.u32 %p1, %r16, 3; @%p1 bra AGAIN;\n"
    "bar.sync 0; ld.shared.u32 %r15, [%r7]; st.global.u32 [%rd3], %r15; END: ret;\n}\n";

void fill(Memory& memory, unsigned seed) {
  std::mt19937 random(seed);
  for (auto& number : memory.numbers) number = static_cast<std::uint32_t>(random());
  for (auto& way : memory.ways) way = seed == 0 || random() % 3 > 0 ? goes_on : random() % (reads_backwards + 1);
}

std::uint32_t wanted_of(const Memory& memory, unsigned thread) {
  const auto way = memory.ways[thread / kLanes];
  if (way == ends || (way == loses_lanes && thread % kLanes > 20)) return 0;
  const auto other = thread ^ 64 ^ (way == reads_backwards ? 31U : 0U);
  return memory.numbers[other] + 3 * memory.numbers[thread];
}

void check_ways(const ptx::Module& module, unsigned seed) {
  Memory data{};
  fill(data, seed);
  FlatMemory memory{std::as_writable_bytes(std::span(&data, 1))};
  const auto outcome = ptx::run_kernel(grid_of(module, memory, kBlocks, kThreads));
  std::uint64_t instructions = 0;
  for (const auto way : data.ways) instructions += kOfAWarp[way];
  expect(outcome.instructions == instructions, "the number of instructions");
  bool is_right = outcome.fault.kind == ptx::FaultKind::none;
  for (unsigned k = 0; k < kAll; ++k) is_right &= data.results[k] == wanted_of(data, k);
  expect(is_right, ("the ways of seed " + std::to_string(seed)).c_str());
}

// The error names the thread, whichever warp of the block it belongs to.
void check_fault(const ptx::Module& module, unsigned block, unsigned warp) {
  Memory data{};
  fill(data, 0);
  data.ways[block * kWarps + warp] = reads_elsewhere;
  FlatMemory memory{std::as_writable_bytes(std::span(&data, 1))};
  const auto fault = ptx::run_kernel(grid_of(module, memory, kBlocks, kThreads)).fault;
  expect(
      fault.kind == ptx::FaultKind::illegal_address && fault.block[0] == block && fault.thread[0] == warp * kLanes + 7,
      "the thread of an illegal address");
  bool is_right = true;
  for (unsigned k = 0; k < block * kThreads; ++k) is_right &= data.results[k] == wanted_of(data, k);
  expect(is_right, "blocks before an illegal address");
}

}  // namespace

int main() {
  const auto module = ptx::load(kKernel);
  for (unsigned seed = 0; seed < 40; ++seed) check_ways(*module, seed);
  for (const unsigned block : {0U, 5U, 11U})
    for (unsigned warp = 0; warp < kWarps; ++warp) check_fault(*module, block, warp);
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
