#include "driver/cuda/launches/occupancy.hpp"

#include <algorithm>

#include "driver/cuda/device/attributes.hpp"

namespace nvmlkit::cuda {
namespace {

// A thread gets its registers in units.
constexpr long long kRegisterUnit = 8;
long long whole_units(long long registers) { return registers / kRegisterUnit * kRegisterUnit; }

}  // namespace

long long blocks_with_room(const Device& device, const ptx::Function& kernel, int threads, std::size_t dynamic_shared) {
  const auto of = [&](CUdevice_attribute which) { return attribute_of(device, which); };
  const auto warps = (threads + 31) / 32;
  const auto shared = static_cast<long long>(kernel.shared_bytes + dynamic_shared) +
                      of(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  return std::min({of(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                   of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / (32 * warps),
                   of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / std::max(shared, 1LL)});
}

// What a GPU's compiler would give the kernel. It needs some for itself, five in the middle of some hundred kernels
// that were compared, and keeps what the kernel promises.
int registers_of(const Device& device, const ptx::Function& kernel) {
  auto count = kernel.registers == 0 ? 4 : std::clamp<long long>(kernel.registers + 5, 8, 255);
  if (kernel.most_registers) count = std::min<long long>(count, kernel.most_registers);
  if (kernel.least_blocks) {
    const auto threads = 32LL * std::max((kernel.max_threads + 31) / 32, 1u) * kernel.least_blocks;
    count = std::min(count,
                     whole_units(attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / threads));
  }
  return static_cast<int>(std::max(count, 1LL));
}

int active_blocks(const Device& device, const ptx::Function& kernel, int threads, std::size_t dynamic_shared) {
  if (threads <= 0 || static_cast<unsigned>(threads) > kernel.max_threads) return 0;
  const auto registers = 32LL * whole_units(registers_of(device, kernel) + kRegisterUnit - 1) * ((threads + 31) / 32);
  const auto by_registers = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / registers;
  // No launch is refused for a count of registers that is an estimate: one block fits.
  return static_cast<int>(
      std::min(blocks_with_room(device, kernel, threads, dynamic_shared), std::max(by_registers, 1LL)));
}

}  // namespace nvmlkit::cuda
