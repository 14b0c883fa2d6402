#include "driver/cuda/launches/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/launches/clusters.hpp"
#include "driver/cuda/launches/context_memory.hpp"
#include "driver/cuda/launches/device_questions.hpp"
#include "driver/cuda/launches/fault_report.hpp"
#include "driver/cuda/launches/occupancy.hpp"
#include "driver/cuda/launches/pipes.hpp"
#include "driver/cuda/launches/watch.hpp"
#include "driver/cuda/logs.hpp"
#include "driver/cuda/process.hpp"
#include "driver/cuda/sanitize/launch_checks.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "ptx/checks.hpp"
#include "ptx/launch.hpp"

namespace nvmlkit::cuda {
namespace {

CUresult error_of(ptx::FaultKind kind) {
  switch (kind) {
    case ptx::FaultKind::none:
    case ptx::FaultKind::lanes_ended:
    case ptx::FaultKind::stopped:  // by an error of the context that is known
      return CUDA_SUCCESS;
    case ptx::FaultKind::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case ptx::FaultKind::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case ptx::FaultKind::illegal_instruction:
    case ptx::FaultKind::not_simulated:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case ptx::FaultKind::stack_overflow:
      return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case ptx::FaultKind::assertion:
      return CUDA_ERROR_ASSERT;
    case ptx::FaultKind::trap:
      return CUDA_ERROR_LAUNCH_FAILED;
    case ptx::FaultKind::deadlock:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
  }
  return CUDA_ERROR_UNKNOWN;
}

// Its Xid in the driver's log: an MMU fault, or an exception of the graphics engine. 0: none.
unsigned xid_of(ptx::FaultKind kind) {
  if (kind == ptx::FaultKind::illegal_address) return 31;
  const bool is_exception = kind == ptx::FaultKind::misaligned_address || kind == ptx::FaultKind::illegal_instruction ||
                            kind == ptx::FaultKind::stack_overflow || kind == ptx::FaultKind::trap;
  return is_exception ? 13 : 0;
}

int threads_of_block(const LaunchShape& shape) {
  return static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
}

// Blocks of a cooperative launch.
std::uint64_t most_cooperative_blocks(const Context& context, const ptx::Function& code, const LaunchShape& shape) {
  return static_cast<std::uint64_t>(
             active_blocks(context.device, code, threads_of_block(shape), shape.dynamic_shared)) *
         static_cast<std::uint64_t>(context.multiprocessor_count());
}

// Blocks that run at once, so that they may wait for each other. How many registers a GPU's compiler would give a
// thread is not known, and a program that fills the GPU knows it: registers do not count.
std::uint64_t resident_blocks(const Context& context, const ptx::Function& code, const LaunchShape& shape) {
  return static_cast<std::uint64_t>(
             blocks_with_room(context.device, code, threads_of_block(shape), shape.dynamic_shared)) *
         static_cast<std::uint64_t>(context.multiprocessor_count());
}

CUresult check_shape(const Context& context, const KernelFunction& function, const LaunchShape& shape) {
  const auto& device = context.device;
  constexpr CUdevice_attribute kGrid[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                          CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  constexpr CUdevice_attribute kBlock[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                           CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  std::uint64_t threads = 1;
  for (int k = 0; k < 3; ++k) {
    if (shape.grid[k] == 0 || shape.grid[k] > attribute_of(device, kGrid[k])) return CUDA_ERROR_INVALID_VALUE;
    if (shape.block[k] == 0 || shape.block[k] > attribute_of(device, kBlock[k])) return CUDA_ERROR_INVALID_VALUE;
    threads *= shape.block[k];
  }
  if (threads > static_cast<std::uint64_t>(attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)))
    return CUDA_ERROR_INVALID_VALUE;
  const auto& code = *function.code;
  if (threads > code.max_threads) return CUDA_ERROR_INVALID_VALUE;
  for (int k = 0; k < 3; ++k)
    if (code.required[0] != 0 && code.required[k] != shape.block[k]) return CUDA_ERROR_INVALID_VALUE;
  if (shape.dynamic_shared > static_cast<unsigned>(most_dynamic_shared(*function.settings, code)))
    return CUDA_ERROR_INVALID_VALUE;
  if (shape.cooperative) {
    if (std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] > most_cooperative_blocks(context, code, shape))
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return CUDA_SUCCESS;
}

}  // namespace

unsigned threads_of_host() {
  const char* const number = std::getenv("NVMLKIT_CUDA_THREADS");
  return number ? static_cast<unsigned>(std::clamp(std::atoi(number), 0, 1024)) : 0;
}

bool skips_kernels() {
  const char* const word = std::getenv("NVMLKIT_CUDA_KERNELS");
  return word && std::strcmp(word, "skip") == 0;
}

CUresult pack_arguments(const ptx::Function& kernel, void** params, void** extra, std::vector<std::byte>& out) {
  out.assign(kernel.kernel_param_bytes, std::byte{});
  if (out.empty()) return CUDA_SUCCESS;
  if (params) {
    for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
      if (!params[k]) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(out.data() + kernel.parameters[k].offset, params[k], kernel.parameters[k].size);
    }
    return CUDA_SUCCESS;
  }
  // Pairs of a word and a value, ended by 0: 1 the buffer, 2 a pointer to its size.
  const void* buffer = nullptr;
  std::size_t size = 0;
  for (unsigned k = 0; extra && k < 8 && extra[k]; k += 2) {
    const auto word = reinterpret_cast<std::uintptr_t>(extra[k]);
    if (word == 1)
      buffer = extra[k + 1];
    else if (word == 2 && extra[k + 1])
      size = *static_cast<const std::size_t*>(extra[k + 1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (!buffer || size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (size > out.size()) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  std::memcpy(out.data(), buffer, size);
  return CUDA_SUCCESS;
}

CUresult check_launch(const Context& context, const Launch& launch) {
  if (launch.function->module->context != context.handle()) return CUDA_ERROR_INVALID_HANDLE;
  const auto result = check_shape(context, *launch.function, launch.shape);
  unsigned cluster[3];
  return result == CUDA_SUCCESS ? clusters::of_launch(context.device, *launch.function, launch.shape, cluster) : result;
}

void run_launch(Context& context, const Launch& launch) {
  auto& device = context.device;
  const auto& function = *launch.function;
  const auto& shape = launch.shape;
  unsigned cluster[3];
  clusters::of_launch(device, function, shape, cluster);  // it was checked
  static constinit std::atomic<std::uint64_t> launches{0};
  ContextMemory reachable(context);
  DeviceQuestions questions(context);
  ptx::Grid grid;
  grid.module = function.module->code.get();
  grid.entry = function.code;
  std::copy_n(shape.grid, 3, grid.blocks);
  std::copy_n(shape.block, 3, grid.threads);
  grid.is_cluster_launch = cluster[0] != 0;
  if (grid.is_cluster_launch) std::copy_n(cluster, 3, grid.cluster);
  grid.dynamic_shared = shape.dynamic_shared;
  grid.params = launch.arguments;
  grid.cooperative = shape.cooperative;
  grid.of_many = launch.place_in_many;
  grid.number = ++launches;
  grid.multiprocessors =
      static_cast<std::uint32_t>(std::max(attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1LL));
  const std::uint64_t size = std::uint64_t{grid.cluster[0]} * grid.cluster[1] * grid.cluster[2];
  if (shape.grid[0] > 1 || shape.grid[1] > 1 || shape.grid[2] > 1)
    grid.most_resident = std::max<std::uint64_t>(resident_blocks(context, *function.code, shape) / size, 1);
  grid.threads_of_host = threads_of_host();
  grid.memory = &reachable;
  grid.questions = &questions;
  grid.output = context.printed().file();
  std::shared_ptr<Allocation> workspace;
  if (shape.cooperative) {
    workspace = memory::allocate(MemoryKind::device, device, context.handle(), 4096);
    if (!workspace) return context.fail(CUDA_ERROR_OUT_OF_MEMORY);
    workspace->is_of_driver = true;
    grid.workspace = workspace->address;
  }
  Watch watch{context, pipes::of(function)};
  grid.tick = [](void* of) { static_cast<Watch*>(of)->tick(); };
  grid.tick_of = &watch;
  grid.stop = &context.stop();
  auto checks = sanitizer::LaunchChecks::make(launch);
  grid.checks = checks.get();
  if (ptx::checking.races || ptx::checking.seed != 0) grid.threads_of_host = 1;
  const auto outcome = ptx::run_kernel(grid);
  if (workspace) memory::remove(workspace->address, MemoryKind::device, MemoryKind::device);
  const auto error = error_of(outcome.fault.kind);
  const auto line = report_of(outcome.fault, *function.code);
  if (checks && checks->finish(outcome.fault, line) && error == CUDA_SUCCESS)
    return context.fail(CUDA_ERROR_LAUNCH_FAILED);
  if (error == CUDA_SUCCESS) return;
  if (!line.empty() && !checks) logs::report(line);
  context.fail_for_good(error);
  if (const auto xid = xid_of(outcome.fault.kind)) raise_xid(device, xid);
}

}  // namespace nvmlkit::cuda
