#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/processes/processes.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/life.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t SystemGetCudaDriverVersion(const Machine& machine, int* cudaDriverVersion) {
  const auto& system = machine.system();
  if (!system.cuda_version_major) return NVML_ERROR_NOT_SUPPORTED;
  *cudaDriverVersion = static_cast<int>(*system.cuda_version_major * 1000 + system.cuda_version_minor.value_or(0) * 10);
  return NVML_SUCCESS;
}

nvmlReturn_t SystemGetCudaDriverVersion_v2(const Machine& machine, int* cudaDriverVersion) {
  return SystemGetCudaDriverVersion(machine, cudaDriverVersion);
}

// The branch of driver 550.163.01 is r550_00.
nvmlReturn_t SystemGetDriverBranch(const Machine& machine, nvmlSystemDriverBranchInfo_t* branchInfo,
                                   unsigned int length) {
  const auto& version = machine.system().driver_version;
  if (!version) return NVML_ERROR_NOT_SUPPORTED;
  const auto major = version->view().substr(0, version->view().find('.'));
  char branch[96];  // no allocation: nothing may throw out of a C function
  const int size = std::snprintf(branch, sizeof branch, "r%.*s_00", static_cast<int>(major.size()), major.data());
  return write_text({branch, static_cast<std::size_t>(size)}, branchInfo->branch,
                    std::min<unsigned int>(length, sizeof branchInfo->branch));
}

// Processes of the machine and what runs its vGPUs, then any other of this host. A name that is too long for the buffer
// is cut, as on hardware.
nvmlReturn_t SystemGetProcessName(const Machine& machine, unsigned int pid, char* name, unsigned int length) {
  if (length == 0) return NVML_ERROR_INVALID_ARGUMENT;
  char buffer[4096];
  std::string_view found;
  for (const auto& gpu : machine.gpus())
    for (const auto& process : gpu.processes)
      if (found.empty() && process.pid && *process.pid == pid && process.name) found = process.name->view();
  for (std::size_t i = 0; i < machine.gpus().size() && found.empty(); ++i)
    sim::processes::for_each_client(machine, i, [&](const auto& client, sim::processes::Life life) {
      if (!found.empty() || client.pid != pid || life != sim::processes::Life::runs) return;
      const auto size = client.name.view().copy(buffer, sizeof buffer);
      found = {buffer, size};
    });
  for (const auto& gpu : machine.gpus())
    sim::vgpu::for_each(gpu, [&](const sim::vgpu::Active& active) {
      if (found.empty() && active.instance->host_pid.value_or(0) == pid) found = running(active).name;
    });
  if (found.empty() && sim::processes::running_since(pid)) found = sim::processes::name_of(pid, buffer);
  if (found.empty()) return NVML_ERROR_NOT_FOUND;
  return write_text(found.substr(0, length - 1), name, length);
}

}  // namespace nvmlkit::driver::functions
