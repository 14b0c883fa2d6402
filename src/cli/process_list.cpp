#include "cli/process_list.hpp"

#include "sim/processes/clients.hpp"
#include "sim/processes/kinds.hpp"
#include "sim/processes/utilization.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::cli {
namespace {

namespace processes = sim::processes;

GpuProcess of_file(std::size_t gpu, const sim::model::Process& process) {
  GpuProcess out;
  out.gpu = gpu;
  out.pid = process.pid.value_or(0);
  out.type = process.type ? process.type->view() : "C";
  if (process.name) out.name = process.name->view();
  if (process.used_memory_mib) out.memory_bytes = *process.used_memory_mib << 20;
  if (process.gpu_instance) {
    out.gpu_instance = *process.gpu_instance;
    out.compute_instance = process.compute_instance.value_or(0);
  }
  out.sm_percent = process.sm_util.value_or(0);
  out.origin = "machine file";
  return out;
}

GpuProcess of_client(std::size_t gpu, const processes::Client& client, const processes::Shared& shared,
                     processes::Life life) {
  GpuProcess out;
  out.gpu = gpu;
  out.pid = client.pid;
  out.type = processes::letters_of(client.kinds);
  out.name = client.name.view();
  out.memory_bytes = client.memory_bytes;
  if (client.gpu_instance != processes::kNoInstance) {
    out.gpu_instance = client.gpu_instance;
    out.compute_instance = client.compute_instance;
  }
  out.sm_percent = shared.of(client).gpu;
  out.origin = client.simulated != 0 ? "simulated" : "program";
  out.elsewhere = life == processes::Life::elsewhere;
  return out;
}

}  // namespace

std::vector<GpuProcess> processes_of(const sim::Machine& machine) {
  std::vector<GpuProcess> out;
  sim::state::consistently(machine, machine.sequence(), [&] {
    out.clear();
    for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
      const auto& gpu = machine.gpus()[i];
      for (const auto& process : gpu.processes) out.push_back(of_file(i, process));
      const auto shared = processes::shared_utilization(machine, gpu, i);
      processes::for_each_client(machine, i, [&](const auto& client, processes::Life life) {
        out.push_back(of_client(i, client, shared, life));
      });
    }
  });
  return out;
}

}  // namespace nvmlkit::cli
