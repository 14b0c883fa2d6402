// Lanes that read each second, third, ... number: of each size, forwards and backwards, up to the last byte of an
// allocation, and from shared memory.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;
using nvmlkit::test::FlatMemory;
using nvmlkit::test::grid_of;

constexpr unsigned kThreads = 64, kBlocks = 3, kAll = kThreads * kBlocks;
constexpr std::size_t kResults = kAll * sizeof(std::uint64_t);
unsigned wrong = 0;

struct Reads {
  unsigned size = 4;  // of a number, in bytes
  int stride = 1;     // in numbers; below zero, the first lane reads the last one
  bool from_shared = false;

  unsigned span() const { return size * static_cast<unsigned>(stride < 0 ? -stride : stride); }
  unsigned readers() const { return from_shared ? kThreads : kAll; }
  std::size_t place_of(unsigned reader) const {
    return std::size_t{span()} * (stride < 0 ? readers() - 1 - reader : reader);
  }
};

std::string text(std::size_t number) { return std::to_string(number); }

// What the kernel reads lies behind its results. Threads of a block copy words to shared memory, one after the other.
std::string body_of(const Reads& reads) {
  const auto load = [&](const std::string& space, const std::string& from) {
    const auto bits = text(8 * reads.size);
    return "ld." + space + ".u" + bits + (reads.size == 8 ? " %rd6" : " %r8") + ", [" + from + "];\n" +
           (reads.size == 8 ? "" : "cvt.u64.u32 %rd6, %r8;\n");
  };
  const auto step = (reads.stride < 0 ? "-" : "") + text(reads.span());
  const auto first = reads.place_of(0);
  if (!reads.from_shared)
    return "mul.wide.s32 %rd4, %r3, " + step + "; add.s64 %rd5, %rd1, %rd4;\n" +
           load("global", "%rd5+" + text(kResults + first));
  std::string out =
      "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; shl.b32 %r5, %r2, 2; mov.u32 %r6, own; "
      "add.s32 %r5, %r5, %r6;\n";
  for (std::size_t at = 0; at < std::size_t{kThreads} * reads.span(); at += std::size_t{kThreads} * 4)
    out += "ld.global.u32 %r7, [%rd5+" + text(kResults + at) + "]; st.shared.u32 [%r5+" + text(at) + "], %r7;\n";
  return out + "bar.sync 0; mad.lo.s32 %r6, %r2, " + step + ", %r6;\n" + load("shared", "%r6+" + text(first));
}

void check(const Reads& reads) {
  const auto module = ptx::load(
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<8>; .shared .align 8 .b8 own[8192];\n"
      "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, " +
      text(kThreads) + ", %r2; mul.wide.u32 %rd2, %r3, 8; add.s64 %rd3, %rd1, %rd2;\n" + body_of(reads) +
      "st.global.u64 [%rd3], %rd6; ret;\n}\n");
  // The last number that is read ends where the allocation ends. A copy to shared memory needs whole rows of words.
  const auto rows = (std::size_t{kThreads} * reads.span() + kThreads * 4 - 1) / (kThreads * 4);
  const std::size_t end = reads.from_shared ? rows * kThreads * 4 : std::size_t{reads.span()} * (kAll - 1) + reads.size;
  std::vector<std::byte> bytes(kResults + end);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>((k * 2654435761U) >> 11);
  FlatMemory memory{bytes};
  const auto outcome = ptx::run_kernel(grid_of(*module, memory, kBlocks, kThreads));
  bool is_right = outcome.fault.kind == ptx::FaultKind::none;
  for (unsigned k = 0; k < kAll && is_right; ++k) {
    std::uint64_t wanted = 0, found = 0;
    std::memcpy(&wanted, &bytes[kResults + reads.place_of(k % reads.readers())], reads.size);
    std::memcpy(&found, &bytes[k * sizeof found], sizeof found);
    is_right = found == wanted;
  }
  if (is_right) return;
  ++wrong;
  std::printf("%u bytes, each %d, %s memory: wrong\n", reads.size, reads.stride,
              reads.from_shared ? "shared" : "global");
}

}  // namespace

int main() {
  unsigned count = 0;
  for (const unsigned size : {1, 2, 4, 8})
    for (const int stride : {1, 2, 3, 4, 5, 7, 8, 9, 15, -1, -2, -3, -8})
      for (const bool from_shared : {false, true}) {
        check({size, stride, from_shared});
        ++count;
      }
  std::printf("%u of %u wrong\n", wrong, count);
  return wrong == 0 ? 0 : 1;
}
