#include "sim/processes/memory.hpp"

#include <algorithm>

#include "sim/processes/clients.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::sim::processes {
namespace {

std::uint64_t left(std::uint64_t total, std::uint64_t taken) { return total > taken ? total - taken : 0; }

std::uint64_t of_configured(const model::Gpu& gpu) {
  std::uint64_t sum = 0;
  for (const auto& process : gpu.processes) sum += process.used_memory_mib.value_or(0) << 20;
  return sum;
}

}  // namespace

Memory memory_of(const model::Gpu& gpu, std::uint64_t held_by_clients) {
  const auto& fb = gpu.memory;
  const auto said = fb.used_bytes.value_or(0);
  const auto further = left(of_configured(gpu), said) + held_by_clients + vgpu::held_bytes(gpu);
  Memory out{fb.total_bytes.value_or(0), fb.reserved_bytes.value_or(0), 0, 0};
  out.used = std::min(said + further, left(out.total, out.reserved));
  out.free = left(fb.free_bytes.value_or(left(out.total, out.reserved + said)), further);
  return out;
}

Memory memory_of(const Machine& machine, const model::Gpu& gpu, std::size_t index) {
  std::uint64_t held = 0;
  for_each_client(machine, index, [&](const Client& client, Life) { held += client.memory_bytes; });
  return memory_of(gpu, held);
}

}  // namespace nvmlkit::sim::processes
