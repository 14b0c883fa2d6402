// The processes that NVML reports: those of the machine file, running clients, and the host processes of
// vGPUs.
#pragma once

#include <string_view>

#include "sim/processes/clients.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::driver {

struct RunningProcess {
  unsigned int pid;
  unsigned int kinds;             // sim::processes::Kind, as bits
  unsigned long long used_bytes;  // all ones, NVML_VALUE_NOT_AVAILABLE, if the machine has no value
  unsigned int gpu_instance, compute_instance;
  std::string_view name;
};

RunningProcess running(const sim::model::Process& process);
RunningProcess running(const sim::processes::Client& client);
RunningProcess running(const sim::vgpu::Active& active);

// Calls `visit(process)` for every process on the GPU that has a number here: clients in PID namespaces that are not
// below this one have none.
template <class Visit>
void for_each_process(const sim::Machine& machine, const sim::model::Gpu& gpu, Visit visit) {
  for (const auto& process : gpu.processes) visit(running(process));
  sim::processes::for_each_client(machine, machine.index_of(gpu), [&](const auto& client, sim::processes::Life life) {
    if (life == sim::processes::Life::runs) visit(running(client));
  });
  sim::vgpu::for_each(gpu, [&](const sim::vgpu::Active& active) { visit(running(active)); });
}

}  // namespace nvmlkit::driver
