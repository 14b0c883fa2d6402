// How fast kernels run: instructions of threads per second of CPU time, and the time of a launch that does nothing.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "ptx/checks.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;

constexpr std::uint64_t kStart = std::uint64_t{1} << 32;

class Memory final : public ptx::GlobalMemory {
 public:
  bool find(std::uint64_t address, ptx::Region& region) override {
    region = {kStart, bytes_.size(), bytes_.data(), nullptr};
    if (!written_.empty()) region.written = written_.data();
    return address - kStart < bytes_.size();
  }
  std::uint64_t allocate(std::uint64_t) override { return 0; }
  bool release(std::uint64_t) override { return true; }

  std::uint32_t word(std::size_t at) const {
    std::uint32_t out = 0;
    std::memcpy(&out, bytes_.data() + 4 * at, sizeof out);
    return out;
  }

 private:
  static constexpr std::size_t kSize = std::size_t{64} << 20;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kSize);
  std::vector<std::byte> written_ =
      std::vector<std::byte>(ptx::checking.initialized ? kSize : 0, std::byte{ptx::kWritten});
};

const std::string kHead =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data, .param .u32 count) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [count];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n";

const std::string kVectors =
    "setp.ge.u32 %p1, %r5, %r1; @%p1 bra END;\n"
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+16777216]; add.f32 %f3, %f1, %f2; st.global.f32 "
    "[%rd3+33554432], %f3;\n"
    "END: ret;\n}\n";

// A row of one matrix times a column of another, both of `count`.
const std::string kMatrix =
    "mov.f32 %f3, 0f00000000; mov.u32 %r6, 0;\n"
    "div.u32 %r7, %r5, %r1; rem.u32 %r8, %r5, %r1; mul.lo.u32 %r9, %r7, %r1;\n"
    "mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd5, %rd1, %rd4; "
    "mul.wide.u32 %rd6, %r1, 4;\n"
    "LOOP: ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd5+16777216]; fma.rn.f32 %f3, %f1, %f2, %f3;\n"
    "add.s64 %rd3, %rd3, 4; add.s64 %rd5, %rd5, %rd6; add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra LOOP;\n"
    "mul.wide.u32 %rd7, %r5, 4; add.s64 %rd8, %rd1, %rd7; st.global.f32 [%rd8+33554432], %f3; ret;\n}\n";

// The pull of `count` bodies on a line, each 4 bytes, on one.
const std::string kBodies =
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
    "mov.f32 %f7, 0f00000000; mov.u32 %r6, 0; mov.u64 %rd4, %rd1;\n"
    "LOOP: ld.global.f32 %f2, [%rd4]; sub.f32 %f2, %f2, %f1; fma.rn.f32 %f3, %f2, %f2, 0f3C23D70A; rsqrt.approx.f32 "
    "%f4, "
    "%f3;\n"
    "mul.f32 %f5, %f4, %f4; mul.f32 %f5, %f5, %f4; fma.rn.f32 %f7, %f2, %f5, %f7;\n"
    "add.s64 %rd4, %rd4, 4; add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra LOOP;\n"
    "st.global.f32 [%rd3+33554432], %f7; ret;\n}\n";

// The mean of four neighbours in rows of 1024 numbers.
const std::string kStencil =
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd3+4092]; ld.global.f32 %f2, [%rd3+4100]; ld.global.f32 %f3, [%rd3]; ld.global.f32 %f4, "
    "[%rd3+8192];\n"
    "add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3; mul.f32 %f1, %f1, 0f3E800000;\n"
    "st.global.f32 [%rd3+33554432], %f1; ret;\n}\n";

// The sum of a block, by shuffles and shared memory, added to the one of all.
const std::string kSums =
    ".shared .align 4 .b8 parts[32];\n"
    "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3]; shr.u32 %r7, %r4, 5; and.b32 %r8, "
    "%r4, 31;\n"
    "shfl.sync.bfly.b32 %r9, %r6, 16, 31, -1; add.u32 %r6, %r6, %r9; shfl.sync.bfly.b32 %r9, %r6, 8, 31, -1; add.u32 "
    "%r6, "
    "%r6, %r9;\n"
    "shfl.sync.bfly.b32 %r9, %r6, 4, 31, -1; add.u32 %r6, %r6, %r9; shfl.sync.bfly.b32 %r9, %r6, 2, 31, -1; add.u32 "
    "%r6, "
    "%r6, %r9;\n"
    "shfl.sync.bfly.b32 %r9, %r6, 1, 31, -1; add.u32 %r6, %r6, %r9; setp.ne.u32 %p1, %r8, 0; shl.b32 %r10, %r7, 2;\n"
    "mov.u32 %r11, parts; add.u32 %r11, %r11, %r10; @!%p1 st.shared.u32 [%r11], %r6; bar.sync 0;\n"
    "setp.gt.u32 %p2, %r4, 7; @%p2 bra END; mov.u32 %r12, parts; shl.b32 %r13, %r4, 2; add.u32 %r12, %r12, %r13;\n"
    "ld.shared.u32 %r6, [%r12]; red.global.add.u32 [%rd1+50331648], %r6;\n"
    "END: ret;\n}\n";

// Each block sorts 512 numbers of its own making in shared memory, by exchanging pairs at falling distances.
const std::string kSort =
    ".shared .align 4 .b8 keys[2048];\n"
    "mov.u32 %r6, keys; shl.b32 %r7, %r4, 2; add.u32 %r7, %r6, %r7;\n"
    "mul.lo.u32 %r8, %r5, -1640531535; st.shared.u32 [%r7], %r8; xor.b32 %r8, %r8, 1540483477; mul.lo.u32 %r8, %r8, "
    "-2048144789; st.shared.u32 [%r7+1024], %r8;\n"
    "bar.sync 0; mov.u32 %r9, 2;\n"
    "OUTER: shr.u32 %r10, %r9, 1;\n"
    "INNER: sub.u32 %r11, %r10, 1; and.b32 %r11, %r4, %r11; shl.b32 %r12, %r4, 1; sub.u32 %r12, %r12, %r11;\n"
    "and.b32 %r13, %r12, %r9; setp.eq.u32 %p1, %r13, 0; shl.b32 %r12, %r12, 2; add.u32 %r12, %r6, %r12; shl.b32 %r11, "
    "%r10, 2; add.u32 %r11, %r12, %r11;\n"
    "ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r11]; min.u32 %r15, %r13, %r14; max.u32 %r13, %r13, %r14;\n"
    "selp.u32 %r14, %r15, %r13, %p1; selp.u32 %r13, %r13, %r15, %p1; st.shared.u32 [%r12], %r14; st.shared.u32 [%r11], "
    "%r13;\n"
    "bar.sync 0; shr.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0; @%p2 bra INNER;\n"
    "shl.b32 %r9, %r9, 1; setp.le.u32 %p2, %r9, 512; @%p2 bra OUTER;\n"
    "ld.shared.u32 %r13, [%r7]; ld.shared.u32 %r14, [%r7+1024]; mad.lo.u32 %r15, %r2, 512, %r4;\n"
    "mul.wide.u32 %rd2, %r15, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r13; st.global.u32 [%rd3+1024], "
    "%r14; "
    "ret;\n}\n";

// With --memcheck, --initcheck, --synccheck or --racecheck: what a sanitizer costs. Nothing is wrong in these kernels.
class NothingFound final : public ptx::Checks {
 public:
  void found(const ptx::BadAccess&) override { has_found = true; }
  void found(const ptx::BadBarrier&) override { has_found = true; }
  void found(const ptx::Race&) override { has_found = true; }
  bool has_found = false;
};
NothingFound nothing_found;

double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the kernels, those whose names were given; all without names.
std::vector<std::string> wanted;

void measure(const char* what, const std::string& body, std::uint32_t count, std::uint32_t blocks, Memory& memory) {
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), what) == wanted.end()) return;
  const std::string text = kHead + body;
  const auto module = ptx::load(text);
  struct {
    std::uint64_t data = kStart;
    std::uint32_t count;
  } arguments;
  arguments.count = count;
  ptx::Grid grid;
  grid.module = module.get();
  grid.entry = module->entry("kernel");
  grid.blocks[0] = blocks;
  grid.threads[0] = 256;
  grid.params = std::as_bytes(std::span(&arguments, 1));
  grid.memory = &memory;
  if (ptx::checking.is_on()) grid.checks = &nothing_found;
  ptx::run_kernel(grid);
  std::uint64_t instructions = 0, launches = 0;
  const auto start = std::clock();
  const auto wall_start = wall_seconds();
  double passed = 0;
  do {
    instructions += ptx::run_kernel(grid).instructions;
    ++launches;
    passed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (passed < 1);
  std::printf("%-16s %8.0f million thread instructions/s of a core, %10.1f us a launch, %4.1f cores\n", what,
              32e-6 * static_cast<double>(instructions) / passed, 1e6 * passed / static_cast<double>(launches),
              passed / (wall_seconds() - wall_start));
}

}  // namespace

int main(int argc, char** argv) {
  wanted.assign(argv + 1, argv + argc);
  if (std::erase(wanted, "--memcheck") > 0) ptx::checking = {.memory = true, .gap = 256};
  if (std::erase(wanted, "--initcheck") > 0) ptx::checking = {.memory = true, .initialized = true, .gap = 256};
  if (std::erase(wanted, "--synccheck") > 0) ptx::checking = {.memory = true, .barriers = true, .gap = 256};
  if (std::erase(wanted, "--racecheck") > 0) ptx::checking = {.memory = true, .races = true, .gap = 256};
  Memory memory;
  measure("nothing", "ret; }", 0, 1, memory);
  measure("vector add", kVectors, 1 << 20, 4096, memory);
  measure("matrix multiply", kMatrix, 256, 256, memory);
  measure("bodies", kBodies, 4096, 16, memory);
  measure("stencil", kStencil, 0, 4096, memory);
  measure("sum", kSums, 0, 4096, memory);
  measure("sort", kSort, 0, 1024, memory);
  for (std::size_t i = 1; i < 512; ++i)
    if (memory.word(i - 1) > memory.word(i)) {
      std::printf("what was to be sorted is not\n");
      return 1;
    }
  if (nothing_found.has_found) std::printf("an access was refused\n");
  return nothing_found.has_found ? 1 : 0;
}
