// Runs PTX by chance and prints a digest of what each program leaves in memory:
//   random_programs FIRST COUNT [--show]
// The environment variable NVMLKIT_CUDA_ENGINE chooses the engine; its output must be the same for all.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"
#include "random_program.hpp"

namespace {

using namespace nvmlkit;

constexpr std::uint64_t kStart = test::FlatMemory::kStart;
constexpr std::size_t kBytes = std::size_t{1} << 18;

struct Arguments {
  std::uint64_t data = kStart;
  std::uint32_t count = 0, factor = 0;
};

// Numbers of all kinds: small ones, large ones, floats.
void fill(std::vector<std::byte>& bytes, std::uint64_t seed) {
  for (std::size_t k = 0; k < 16384; ++k) {
    const auto mixed = static_cast<std::uint32_t>((k + seed) * 0x9E3779B97F4A7C15u >> 29);
    const float real = static_cast<float>(static_cast<std::int32_t>(mixed)) / 65536.0f;
    std::uint32_t word = mixed;
    if (k % 16 >= 8) std::memcpy(&word, &real, sizeof word);
    if (k % 5 == 0) word &= 0xFF;
    std::memcpy(bytes.data() + 4 * k, &word, sizeof word);
  }
}

std::uint64_t digest(const std::vector<std::byte>& bytes) {
  std::uint64_t out = 0xCBF29CE484222325u;
  for (const auto byte : bytes) out = (out ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3u;
  return out;
}

void run(std::uint64_t seed, bool show) {
  const auto text = test::random_program(seed);
  if (show) std::fputs(text.c_str(), stdout);
  const auto module = ptx::load(text);
  std::vector<std::byte> bytes(kBytes);
  fill(bytes, seed);
  test::FlatMemory memory(bytes);
  const Arguments arguments{kStart, 64, static_cast<std::uint32_t>(seed % 7)};
  ptx::Grid grid;
  grid.module = module.get();
  grid.entry = module->entry("kernel");
  grid.params = std::as_bytes(std::span(&arguments, 1));
  grid.memory = &memory;
  grid.threads_of_host = 1;
  // Whole warps, some of a warp, and warps whose lanes are in two rows.
  constexpr std::uint32_t kThreads[][2] = {{96, 1}, {80, 1}, {16, 4}};
  std::uint64_t instructions = 0;
  for (const auto& threads : kThreads) {
    grid.blocks[0] = 3;
    grid.threads[0] = threads[0];
    grid.threads[1] = threads[1];
    const auto outcome = ptx::run_kernel(grid);
    instructions += outcome.instructions;
    if (outcome.fault.kind != ptx::FaultKind::none) std::printf("fault %d ", static_cast<int>(outcome.fault.kind));
  }
  std::printf("%" PRIu64 " %016" PRIx64 "\n", seed, digest(bytes));
  if (show)
    for (std::size_t k = 16384; k < 32768; ++k) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + 4 * k, sizeof word);
      std::printf("thread %zu word %zu %08x\n", (k - 16384) / 64, (k - 16384) % 64, word);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const auto first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const auto count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const bool show = argc > 3 && std::string_view(argv[3]) == "--show";
  for (auto seed = first; seed < first + count; ++seed) run(seed, show);
}
