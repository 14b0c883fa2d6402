// Runs PTX by chance in our engines and prints a digest of what each program leaves in memory:
//   random_programs FIRST COUNT [--show]
// The environment variable NVMLKIT_CUDA_ENGINE chooses the engine; its output must be the same for all.
#include <cstdio>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"
#include "random_program.hpp"
#include "random_run.hpp"

namespace {

using namespace nvmlkit;

void run(std::uint64_t seed, bool show) {
  const auto text = test::random_program(seed);
  if (show) std::fputs(text.c_str(), stdout);
  const auto module = ptx::load(text);
  auto bytes = test::random_memory(seed);
  test::FlatMemory memory(bytes);
  const auto arguments = test::random_arguments(seed, test::FlatMemory::kStart);
  ptx::Grid grid;
  grid.module = module.get();
  grid.entry = module->entry("kernel");
  grid.params = std::as_bytes(std::span(&arguments, 1));
  grid.memory = &memory;
  grid.threads_of_host = 1;
  grid.blocks[0] = test::kRandomBlocks;
  for (const auto& threads : test::kRandomThreads) {
    grid.threads[0] = threads[0];
    grid.threads[1] = threads[1];
    const auto outcome = ptx::run_kernel(grid);
    if (outcome.fault.kind != ptx::FaultKind::none) std::printf("fault %d ", static_cast<int>(outcome.fault.kind));
  }
  test::print_memory(seed, bytes, show);
}

}  // namespace

int main(int argc, char** argv) { test::for_each_seed(argc, argv, run); }
