// How a program by chance is run: what its memory holds before, its launches, and what is printed of it afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nvmlkit::test {

// The parameters of the kernel.
struct RandomArguments {
  std::uint64_t data;
  std::uint32_t count, factor;
};

// Whole warps, some of a warp, and warps whose lanes are in two rows; each of kRandomBlocks blocks.
inline constexpr std::array<std::array<std::uint32_t, 2>, 3> kRandomThreads{{{96, 1}, {80, 1}, {16, 4}}};
inline constexpr std::uint32_t kRandomBlocks = 3;

RandomArguments random_arguments(std::uint64_t seed, std::uint64_t data);
std::vector<std::byte> random_memory(std::uint64_t seed);

// The seed and a digest of the memory; each written word too where `show` is set.
void print_memory(std::uint64_t seed, std::span<const std::byte> bytes, bool show);

// The command line of every program that runs them: FIRST COUNT [--show]. Each seed is given to `run`, with whether to
// show; the text of the program is printed before where it is set.
void for_each_seed(int argc, char** argv, void (*run)(std::uint64_t seed, bool show));

}  // namespace nvmlkit::test
