// Blocks of a launch that end differently: one turn goes on from one to the next, and each knows its place in the grid.
#include <algorithm>
#include <array>
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

using Shape = std::array<std::uint32_t, 3>;

constexpr unsigned kLanes = 32, kThreads = 2 * kLanes, kMostBlocks = 1500;
constexpr std::uint32_t kOfY = 10'000, kOfZ = 100'000'000;  // they tell places apart in one number
unsigned wrong = 0;

void expect(bool is_right, const std::string& what) {
  if (is_right) return;
  ++wrong;
  std::printf("%s: wrong\n", what.c_str());
}

// What a block does between its barriers.
enum Way : std::uint32_t { goes_on, ends, loses_lanes, parts, reads_elsewhere };

// Memory: a result for each thread, the way of each block.
struct Memory {
  std::uint32_t results[kMostBlocks * kThreads], ways[kMostBlocks];
};

// Threads hand on their block's place in shared memory.
const std::string kKernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
    ".reg .pred %p<6>; .reg .b32 %r<24>; .reg .b64 %rd<8>; .shared .align 4 .b8 own[256];\n"
    "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; "
    "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %tid.x;\n"
    "mad.lo.u32 %r7, %r3, %r5, %r2; mad.lo.u32 %r7, %r7, %r4, %r1; mul.wide.u32 %rd2, %r7, 4; "
    "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r8, [%rd3+384000];\n"
    "mad.lo.u32 %r9, %r7, 64, %r6; mul.wide.u32 %rd4, %r9, 4; add.s64 %rd4, %rd1, %rd4;\n"
    "mad.lo.u32 %r10, %r2, 10000, %r1; mad.lo.u32 %r10, %r3, 100000000, %r10; add.u32 %r10, %r10, %r6;\n"
    "mov.u32 %r11, own; shl.b32 %r12, %r6, 2; add.s32 %r13, %r11, %r12; st.shared.u32 [%r13], %r10; bar.sync 0;\n"
    "setp.eq.u32 %p1, %r8, 1; @%p1 bra END;\n"
    "and.b32 %r14, %r6, 31; setp.eq.u32 %p2, %r8, 2; setp.gt.u32 %p3, %r14, 20; and.pred %p3, %p2, %p3; @%p3 ret;\n"
    "xor.b32 %r15, %r12, 128; add.s32 %r15, %r11, %r15; ld.shared.u32 %r16, [%r15];\n"
    "setp.ne.u32 %p4, %r8, 3; @%p4 bra TOGETHER; and.b32 %r17, %r6, 3;\n"
    "AGAIN: add.u32 %r16, %r16, 3; sub.u32 %r17, %r17, 1; setp.ge.s32 %p5, %r17, 0; @%p5 bra AGAIN;\n"
    "TOGETHER: bar.sync 0;\n"
    "setp.ne.u32 %p4, %r8, 4; @%p4 bra INSIDE; setp.ne.u32 %p5, %r6, 39; @%p5 bra INSIDE; "
    "add.s64 %rd4, %rd4, 1099511627776;\n"
    "INSIDE: st.global.u32 [%rd4], %r16; END: ret;\n}\n";

unsigned count_of(const Shape& shape) { return shape[0] * shape[1] * shape[2]; }

ptx::Outcome run(const ptx::Module& module, Memory& data, const Shape& shape) {
  FlatMemory memory{std::as_writable_bytes(std::span(&data, 1))};
  auto grid = grid_of(module, memory, 1, kThreads);
  std::ranges::copy(shape, grid.blocks);
  return ptx::run_kernel(grid);
}

std::uint32_t wanted_of(std::uint32_t way, const Shape& shape, unsigned block, unsigned thread) {
  if (way == ends || (way == loses_lanes && thread % kLanes > 20)) return 0;
  const auto x = block % shape[0], y = block / shape[0] % shape[1], z = block / shape[0] / shape[1];
  return z * kOfZ + y * kOfY + x + (thread ^ kLanes) + (way == parts ? 3 * (thread % 4 + 1) : 0);
}

// Blocks from 0 to `count`.
bool are_right(const Memory& data, const Shape& shape, unsigned count) {
  bool is_right = true;
  for (unsigned k = 0; k < count * kThreads; ++k) {
    const auto block = k / kThreads;
    is_right &= data.results[k] == wanted_of(data.ways[block], shape, block, k % kThreads);
  }
  return is_right;
}

// Of a block that is alone in its launch.
std::uint64_t instructions_of(const ptx::Module& module, Way way) {
  const auto data = std::make_unique<Memory>();
  data->ways[0] = way;
  return run(module, *data, {1, 1, 1}).instructions;
}

void check_ways(const ptx::Module& module, const Shape& shape, unsigned seed) {
  const auto data = std::make_unique<Memory>();
  std::mt19937 random(seed);
  const auto blocks = count_of(shape);
  for (auto& way : data->ways) way = random() % 8 < seed ? random() % (parts + 1) : std::uint32_t{goes_on};
  const auto outcome = run(module, *data, shape);
  std::uint64_t instructions = 0, of_way[parts + 1];
  for (std::uint32_t way = goes_on; way <= parts; ++way) of_way[way] = instructions_of(module, Way{way});
  for (unsigned block = 0; block < blocks; ++block) instructions += of_way[data->ways[block]];
  const auto name = std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]) +
                    " blocks, seed " + std::to_string(seed);
  expect(outcome.fault.kind == ptx::FaultKind::none && are_right(*data, shape, blocks), name);
  expect(outcome.instructions == instructions, name + ", the number of instructions");
}

// The error names the block. Those before it have ended, and none behind it has begun.
void check_fault(const ptx::Module& module, const Shape& shape, const Shape& place) {
  const auto data = std::make_unique<Memory>();
  const auto block = (place[2] * shape[1] + place[1]) * shape[0] + place[0];
  data->ways[block] = reads_elsewhere;
  const auto fault = run(module, *data, shape).fault;
  expect(
      fault.kind == ptx::FaultKind::illegal_address && std::ranges::equal(fault.block, place) && fault.thread[0] == 39,
      "the place of an illegal address");
  expect(are_right(*data, shape, block), "blocks before an illegal address");
  const auto behind = std::span(data->results).subspan((block + 1) * kThreads);
  expect(std::ranges::all_of(behind, [](auto result) { return result == 0; }), "blocks behind an illegal address");
}

}  // namespace

int main() {
  const auto module = ptx::load(kKernel);
  for (const auto& shape : {Shape{1500, 1, 1}, Shape{1, 1500, 1}, Shape{1, 1, 1500}, Shape{7, 5, 40}, Shape{2, 700, 1}})
    for (unsigned seed = 0; seed < 9; seed += 2) check_ways(*module, shape, seed);
  check_fault(*module, {1500, 1, 1}, {1499, 0, 0});
  check_fault(*module, {1500, 1, 1}, {733, 0, 0});
  for (const unsigned x : {0U, 3U, 6U}) check_fault(*module, {7, 5, 40}, {x, 4, 25});
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
