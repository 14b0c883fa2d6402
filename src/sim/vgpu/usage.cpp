#include "sim/vgpu/usage.hpp"

#include <algorithm>

#include "sim/telemetry/reading.hpp"

namespace nvmlkit::sim::vgpu {
namespace {

using model::Gpu;
using telemetry::Utilization;

// `percent * part / whole`, rounded; sums of parts stay close to the whole.
Utilization scaled(const Utilization& all, std::uint64_t part, std::uint64_t whole) {
  const auto of = [&](std::uint32_t percent) {
    return whole == 0 ? 0U : static_cast<std::uint32_t>((percent * part + whole / 2) / whole);
  };
  return {of(all.gpu), of(all.memory), of(all.encoder), of(all.decoder), of(all.jpeg), of(all.ofa)};
}

std::uint64_t share_of(const Active& active) {
  return tells_utilization(active) && has_driver(*active.instance) ? active.instance->share.value_or(1) : 0;
}

}  // namespace

std::uint64_t held_bytes(const Gpu& gpu) {
  std::uint64_t sum = 0;
  for_each(gpu, [&](const Active& active) { sum += framebuffer_bytes(*active.type); });
  return sum;
}

std::uint64_t held_bytes(const Gpu& gpu, std::uint32_t gpu_instance) {
  std::uint64_t sum = 0;
  for_each(gpu, [&](const Active& active) {
    if (active.instance->gpu_instance && *active.instance->gpu_instance == gpu_instance)
      sum += framebuffer_bytes(*active.type);
  });
  return sum;
}

std::uint64_t used_bytes(const Active& active) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
  const auto& instance = *active.instance;
  const auto total = memory_bytes(*active.type);
  if (instance.fb_used_mib) return std::min(*instance.fb_used_mib, total / kMib) * kMib;
  if (!has_driver(instance)) return 0;
  // An idle guest: 144 MiB of 2 GB, 784 MiB of 12 GB.
  std::uint64_t used = (std::uint64_t{active.type->memory_gb} * 64 + 16) * kMib;
  for (const auto& process : instance.processes)
    if (!process.ended.value_or(false)) used += std::min(process.used_memory_mib.value_or(0), total / kMib) * kMib;
  return std::min(used, total);
}

bool tells_utilization(const Active& active) { return !on_mig(*active.type); }

Utilization utilization_of(const Machine& machine, const Active& active) {
  const auto& gpu = *active.gpu;
  const auto mine = share_of(active);
  if (mine == 0) return {};
  std::uint64_t all = 0;
  for_each(gpu, [&](const Active& other) { all += share_of(other); });
  const telemetry::Reading now(machine, gpu);
  const auto percent = [&](const auto& field) { return std::min(now(field).value_or(0), 100U); };
  const auto& u = gpu.utilization;
  return scaled(
      {percent(u.gpu), percent(u.memory), percent(u.encoder), percent(u.decoder), percent(u.jpeg), percent(u.ofa)},
      mine, all);
}

Utilization part_of(const Utilization& whole, const Active& active, const model::VgpuProcess& process) {
  if (process.ended.value_or(false)) return {};
  std::uint64_t all = 0;
  for (const auto& other : active.instance->processes)
    if (!other.ended.value_or(false)) all += other.share.value_or(1);
  return scaled(whole, process.share.value_or(1), all);
}

}  // namespace nvmlkit::sim::vgpu
