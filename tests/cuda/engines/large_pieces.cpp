// Regions that are too large for LLVM: a long chain of branches at which lanes part, whose code grows with the square
// of their number, and a long row. The region is cut, code goes on behind the cut, and the results are those of the
// interpreter.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "block_kernel.hpp"
#include "ptx/compile/compiled.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

constexpr std::uint32_t kSteps = 40, kRow = 3000;

std::string chain() {
  std::string out = "cvt.rn.f64.u32 %fd1, %r4; ld.global.f64 %fd2, [%rd1];\n";
  for (std::uint32_t k = 0; k < kSteps; ++k)
    out +=
        "add.rn.f64 %fd1, %fd1, 0d3FF0000000000000; add.rn.f64 %fd3, %fd1, %fd2; cvt.rzi.u32.f64 %r8, %fd1; "
        "and.b32 %r8, %r8, 255; setp.eq.u32 %p1, %r8, " +
        std::to_string(3 * k) + "; @%p1 bra OUT;\n";
  return out + "OUT: cvt.rzi.u32.f64 %r4, %fd1;";
}

std::uint32_t end_of(std::uint32_t value) {
  for (std::uint32_t k = 0; k < kSteps; ++k)
    if ((++value & 255) == 3 * k) break;
  return value;
}

std::string row() {
  std::string out;
  for (std::uint32_t k = 0; k < kRow; ++k) out += "mad.lo.u32 %r4, %r4, 5, " + std::to_string(k) + ";\n";
  return out;
}

std::uint32_t end_of_row(std::uint32_t value) {
  for (std::uint32_t k = 0; k < kRow; ++k) value = value * 5 + k;
  return value;
}

std::size_t places_for_all_lanes(const Kernel& kernel) {
  const auto* const function = kernel.module->entry("kernel");
  std::size_t out = 0;
  for (std::uint32_t at = 0; at < function->code.size(); ++at)
    if (ptx::Compiled::of(*function).pieces_at(at, ptx::CodeFor::all_lanes)) ++out;
  return out;
}

// Whole warps have code at the start of the kernel, and wherever a region is cut.
void expect_places(const Kernel& kernel, std::size_t at_least, const char* what) {
  if (ptx::engine() != ptx::Engine::compile) return;
  const auto places = places_for_all_lanes(kernel);
  std::printf("%s: %zu places with code for whole warps\n", what, places);
  expect(places >= at_least, what, kMostThreads);
}

void test_chain() {
  const Kernel kernel(chain());
  std::vector<std::uint32_t> words(kWords, 100), wanted(kWords, 100 + kSteps);
  kernel.run(words, kMostThreads);
  expect(words == wanted, "no lane leaves", kMostThreads);
  expect_places(kernel, 2, "chain");
  for (const auto threads : {32u, 100u, 128u})
    for (unsigned seed = 0; seed < 4; ++seed) {
      words = wanted = numbers(seed);
      kernel.run(words, threads);
      for (unsigned block = 0; block < kBlocks; ++block)
        for (auto& word : std::span(wanted).subspan(block * kMostThreads, threads)) word = end_of(word);
      expect(words == wanted, "lanes leave", threads);
    }
}

// A region has at most 1,200 instructions in a row.
void test_row() {
  const Kernel kernel(row());
  auto words = numbers(1), wanted = words;
  kernel.run(words, kMostThreads);
  for (auto& word : wanted) word = end_of_row(word);
  expect(words == wanted, "row", kMostThreads);
  expect_places(kernel, 3, "row");
}

}  // namespace

int main() {
  test_chain();
  test_row();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
