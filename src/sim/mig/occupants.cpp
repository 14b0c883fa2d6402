#include "sim/mig/occupants.hpp"

#include <algorithm>

#include "sim/mig/instances.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::Process;

template <class Matches>
bool any(const Gpu& gpu, Matches matches) {
  return std::any_of(gpu.processes.begin(), gpu.processes.end(), matches);
}

bool on(const Process& process, std::uint32_t instance) {
  return process.gpu_instance && *process.gpu_instance == instance;
}

}  // namespace

bool any_process(const Machine&, const Gpu& gpu) { return !gpu.processes.empty(); }

bool process_outside(const Machine&, const Gpu& gpu) {
  return any(gpu, [](const Process& process) { return !process.gpu_instance; });
}

bool process_on(const Machine&, const Gpu& gpu, std::uint32_t instance) {
  return any(gpu, [&](const Process& process) { return on(process, instance); });
}

bool process_on(const Machine&, const Gpu& gpu, DeviceId device) {
  return any(gpu, [&](const Process& process) {
    return on(process, device.instance) && process.compute_instance.value_or(0) == device.compute;
  });
}

std::uint64_t used_bytes(const Machine&, const Gpu& gpu, const model::MigInstance& instance) {
  const auto* profile = profile_of(gpu, instance);
  if (!profile || !instance.id) return 0;
  std::uint64_t used = profile->idle_kib.value_or(0) << 10;
  for (const auto& process : gpu.processes)
    if (on(process, *instance.id)) used += process.used_memory_mib.value_or(0) << 20;
  return std::min(used, profile->memory_mib.value_or(0) << 20);
}

}  // namespace nvmlkit::sim::mig
