// One launch of a kernel: a grid of blocks, each a group of warps with shared memory and barriers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ptx/memory_view.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::ptx {

class Children;
class Checks;
namespace races {
struct Birth;
}

// The first error of a launch and its thread. A deadlock has no thread and no line.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::uint64_t address = 0;
  std::string function;  // in which it happened: the kernel, or one that it calls
  int line = 0;          // of the PTX; 0: unknown
  std::uint32_t block[3] = {}, thread[3] = {};
  std::string text{};  // of an instruction that is not simulated
};

struct Grid {
  const Module* module = nullptr;
  const Function* entry = nullptr;
  std::uint32_t blocks[3] = {1, 1, 1};
  std::uint32_t threads[3] = {1, 1, 1};
  std::uint32_t cluster[3] = {1, 1, 1};  // of blocks that run at once; the grid is a multiple of it
  bool is_cluster_launch = false;
  std::uint64_t dynamic_shared = 0;
  std::span<const std::byte> params;
  bool cooperative = false;     // all blocks run at once and may wait for each other
  std::uint64_t workspace = 0;  // of a cooperative launch, in global memory
  std::uint64_t of_many = 0;    // of one on several GPUs: a GridOfMany (builtins/grid_groups.hpp)
  std::uint64_t number = 0;     // of the launch
  std::uint32_t multiprocessors = 1;
  std::uint64_t most_resident = 1;        // groups of blocks that run at once, so that one may wait for another
  unsigned threads_of_host = 0;           // that execute it; 0: as many as there are cores
  std::uint64_t most_local = 512 * 1024;  // bytes of a thread's stack
  GlobalMemory* memory = nullptr;
  DeviceQuestions* questions = nullptr;
  Checks* checks = nullptr;                     // of a module that is checked: who hears of it
  unsigned depth = 0;                           // launches that this one is within
  std::shared_ptr<const races::Birth> birth{};  // the order of a launch by a kernel, if a sanitizer looks at it
  Children* children = nullptr;                 // where kernels put their launches; run_kernel() sets it
  std::FILE* output = stdout;                   // of printf
  void (*tick)(void* of) = nullptr;             // called now and then while it runs
  void* tick_of = nullptr;
  const std::atomic<bool>* stop = nullptr;  // once true, the launch ends wherever it is
};

struct Outcome {
  Fault fault;
  std::uint64_t instructions = 0;  // of warps
};

// Runs the launch to its end, and what its kernels launch.
Outcome run_kernel(const Grid& grid);
// The launch alone: what its kernels ask for goes to its `children`.
Outcome run_grid(const Grid& grid);

}  // namespace nvmlkit::ptx
