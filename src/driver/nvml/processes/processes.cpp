#include "driver/nvml/processes/processes.hpp"

#include "driver/nvml/generated/functions.hpp"
#include "nvmlkit/abi/legacy.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver {
namespace {

constexpr unsigned long long kNotAvailable = ~0ULL;

}  // namespace

RunningProcess running(const sim::model::Process& process) {
  using namespace sim::processes;
  unsigned int kinds = 0;
  for (const char letter : process.type ? process.type->view() : std::string_view("C"))
    kinds |= letter == 'C' ? compute : letter == 'G' ? graphics : letter == 'M' ? mps : 0U;
  return {process.pid.value_or(0),
          kinds,
          process.used_memory_mib ? *process.used_memory_mib << 20 : kNotAvailable,
          process.gpu_instance.value_or(kNoInstance),
          process.gpu_instance ? process.compute_instance.value_or(0) : kNoInstance,
          process.name ? process.name->view() : std::string_view()};
}

RunningProcess running(const sim::processes::Client& client) {
  return {client.pid,        client.kinds, client.memory_bytes, client.gpu_instance, client.compute_instance,
          client.name.view()};
}

// It computes and draws for its VM, with all that the VM can have.
RunningProcess running(const sim::vgpu::Active& active) {
  using namespace sim::processes;
  return {active.instance->host_pid.value_or(0),
          compute | graphics,
          sim::vgpu::framebuffer_bytes(*active.type),
          active.instance->gpu_instance.value_or(kNoInstance),
          kNoInstance,
          "vgpu"};
}

namespace functions {
namespace {

using sim::mig::DeviceId;
using sim::processes::Kind;
using On = std::optional<DeviceId>;  // a MIG device of the GPU, or all of it

// Writes every process of the kind, or returns their number.
template <class Info, class Convert>
nvmlReturn_t list(const Machine& machine, const Gpu& gpu, On on, unsigned int kinds, unsigned int* count, Info* infos,
                  Convert convert) {
  const auto room = *count;
  unsigned int found = 0;
  for_each_process(machine, gpu, [&](const RunningProcess& process) {
    if ((process.kinds & kinds) == 0) return;
    if (on && (process.gpu_instance != on->instance || process.compute_instance != on->compute)) return;
    if (infos && found < room) infos[found] = convert(process);
    ++found;
  });
  *count = found;
  if (found > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  return found > 0 && !infos ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

// Drivers before 535.98 wrote longer entries than their callers knew (the bindings' erratum process-info-stride).
bool writes_long_entries(const Machine& machine) {
  const auto& version = machine.system().driver_version;
  return version && sim::branch_number(version->view()) == 535 && sim::release_number(version->view()) < 98;
}

}  // namespace

// The oldest entry points write elements of 16 bytes.
nvmlReturn_t running_processes_v1(const Machine& machine, const Gpu& gpu, On on, Kind kind, unsigned int* count,
                                  nvmlProcessInfo_v1_t* infos) {
  return list(machine, gpu, on, kind, count, infos, [](const RunningProcess& process) {
    return nvmlProcessInfo_v1_t{process.pid, process.used_bytes};
  });
}

nvmlReturn_t running_processes_v2(const Machine& machine, const Gpu& gpu, On on, Kind kind, unsigned int* count,
                                  nvmlProcessInfo_v2_t* infos) {
  return list(machine, gpu, on, kind, count, infos, [](const RunningProcess& process) {
    return nvmlProcessInfo_v2_t{process.pid, process.used_bytes, process.gpu_instance, process.compute_instance};
  });
}

nvmlReturn_t running_processes_v3(const Machine& machine, const Gpu& gpu, On on, Kind kind, unsigned int* count,
                                  nvmlProcessInfo_t* infos) {
  if (!writes_long_entries(machine)) return running_processes_v2(machine, gpu, on, kind, count, infos);
  return list(machine, gpu, on, kind, count, reinterpret_cast<nvmlProcessInfo_v2_535_t*>(infos),
              [](const RunningProcess& process) {
                return nvmlProcessInfo_v2_535_t{process.pid, process.used_bytes, process.gpu_instance,
                                                process.compute_instance, 0};
              });
}

nvmlReturn_t running_process_details(const Machine& machine, const Gpu& gpu, On on, nvmlProcessDetailList_t* plist) {
  static constexpr Kind kKinds[] = {Kind::compute, Kind::graphics, Kind::mps};
  if (plist->mode >= std::size(kKinds)) return NVML_ERROR_INVALID_ARGUMENT;
  return list(machine, gpu, on, kKinds[plist->mode], &plist->numProcArrayEntries, plist->procArray,
              [](const RunningProcess& process) {
                return nvmlProcessDetail_v1_t{process.pid, process.used_bytes, process.gpu_instance,
                                              process.compute_instance, 0};
              });
}

}  // namespace functions
}  // namespace nvmlkit::driver
