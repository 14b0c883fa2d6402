#include "sim/processes/occupants.hpp"

#include <algorithm>

#include "sim/mig/instances.hpp"
#include "sim/processes/clients.hpp"
#include "sim/vgpu/usage.hpp"

namespace nvmlkit::sim::processes {
namespace {

using mig::DeviceId;
using model::Gpu;
using model::Process;

std::size_t place_of(const Machine& machine, const Gpu& gpu) { return machine.index_of(gpu); }

// Does a configured process or a running client match?
template <class Configured, class Running>
bool any(const Machine& machine, const Gpu& gpu, Configured configured, Running running) {
  bool found = std::any_of(gpu.processes.begin(), gpu.processes.end(), configured);
  for_each_client(machine, place_of(machine, gpu),
                  [&](const Client& client, Life) { found = found || running(client); });
  return found;
}

bool on(const Process& process, std::uint32_t instance) {
  return process.gpu_instance && *process.gpu_instance == instance;
}

}  // namespace

bool any_process(const Machine& machine, const Gpu& gpu) { return in_use(machine, gpu, place_of(machine, gpu)); }

bool process_outside(const Machine& machine, const Gpu& gpu) {
  return any(
      machine, gpu, [](const Process& process) { return !process.gpu_instance; },
      [](const Client& client) { return client.gpu_instance == kNoInstance; });
}

bool process_on(const Machine& machine, const Gpu& gpu, std::uint32_t instance) {
  return vgpu::any_on(gpu, instance) || any(
                                            machine, gpu, [&](const Process& process) { return on(process, instance); },
                                            [&](const Client& client) { return client.gpu_instance == instance; });
}

bool process_on(const Machine& machine, const Gpu& gpu, DeviceId device) {
  return any(
      machine, gpu,
      [&](const Process& process) {
        return on(process, device.instance) && process.compute_instance.value_or(0) == device.compute;
      },
      [&](const Client& client) {
        return client.gpu_instance == device.instance && client.compute_instance == device.compute;
      });
}

std::uint64_t used_bytes(const Machine& machine, const Gpu& gpu, const model::MigInstance& instance) {
  const auto* profile = mig::profile_of(gpu, instance);
  if (!profile || !instance.id) return 0;
  const auto idle = instance.idle_kib.value_or(profile->idle_kib.value_or(0));
  std::uint64_t used = (idle << 10) + vgpu::held_bytes(gpu, *instance.id);
  for (const auto& process : gpu.processes)
    if (on(process, *instance.id)) used += process.used_memory_mib.value_or(0) << 20;
  for_each_client(machine, place_of(machine, gpu), [&](const Client& client, Life) {
    if (client.gpu_instance == *instance.id) used += client.memory_bytes;
  });
  return std::min(used, profile->memory_mib.value_or(0) << 20);
}

Memory memory_of_board(const Machine& machine, const model::Gpu& gpu) {
  auto out = memory_of(machine, gpu, machine.index_of(gpu));
  if (!mig::enabled(gpu)) return out;
  out.used = 0;
  for (const auto& instance : gpu.mig.instances) out.used += used_bytes(machine, gpu, instance);
  const auto taken = out.reserved + out.used;
  out.free = out.total > taken ? out.total - taken : 0;
  return out;
}

}  // namespace nvmlkit::sim::processes
