#include "driver/nvml/private_table/slots.hpp"

#include <cstring>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "driver/nvml/mig/handles.hpp"
#include "driver/nvml/processes/processes.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::slots {
namespace {

using sim::model::Gpu;
using sim::model::PciBusId;

// What `answer` gives for the GPU, read in one piece.
template <class Answer>
nvmlReturn_t read_gpu(const Gpu* gpu, Answer answer) {
  const auto* machine = initialized_machine();
  if (!machine) return NVML_ERROR_UNINITIALIZED;
  return consistent(*machine, machine->sequence(*gpu), answer);
}

const Gpu* gpu_of(nvmlDevice_t device) {
  const auto* machine = initialized_machine();
  return machine ? find_gpu(*machine, device) : nullptr;
}

const Gpu* gpu_at(unsigned int index) {
  const auto* machine = initialized_machine();
  const auto place = machine ? place_of_index(*machine, index) : sim::kMaxGpus;
  return machine && place < machine->gpus().size() ? &machine->gpus()[place] : nullptr;
}

// Reads one field of a GPU, or refuses.
template <class Field, class Out>
nvmlReturn_t read_of(nvmlDevice_t device, Out* out, Field field) {
  const auto* gpu = gpu_of(device);
  const auto* machine = initialized_machine();
  if (!machine || !gpu || !out) return NVML_ERROR_INVALID_ARGUMENT;
  return read_gpu(gpu, [&] { return read(sim::telemetry::Reading(*machine, *gpu)(field(*gpu)), out); });
}

template <class Field>
nvmlReturn_t read_text_of(nvmlDevice_t device, char* text, unsigned int length, Field field) {
  const auto* gpu = gpu_of(device);
  if (!gpu || !text) return NVML_ERROR_INVALID_ARGUMENT;
  return read_gpu(gpu, [&] { return read(field(*gpu), text, length); });
}

// `count` is the room of the caller's array, and then how many there are.
nvmlReturn_t list_processes(nvmlDevice_t device, sim::processes::Kind kind, unsigned int* count,
                            PrivateProcess* processes) {
  const auto* machine = initialized_machine();
  const auto target = machine ? find_target(*machine, device) : Target{};
  const auto* gpu = target.gpu;
  if (!gpu || !count) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& mig = target.mig;
  const auto room = *count;
  return read_gpu(gpu, [&] {
    unsigned int written = 0;
    for_each_process(*machine, *gpu, [&](const RunningProcess& process) {
      if ((process.kinds & kind) == 0 || written >= room || !processes) return;
      if (mig && (process.gpu_instance != mig->instance || process.compute_instance != mig->compute)) return;
      auto& out = processes[written++];
      out.pid = process.pid;
      out.used_bytes = process.used_bytes;
      out.gpu_instance = process.gpu_instance;
      out.compute_instance = process.compute_instance;
      out.protected_bytes = 0;
      write_text(process.name, out.name, sizeof out.name);
    });
    *count = written;
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t parse_bus_id(const char* text, unsigned int* domain, unsigned int* bus, unsigned int* device,
                          unsigned int* function) {
  if (!text || !domain || !bus || !device || !function) return NVML_ERROR_INVALID_ARGUMENT;
  const auto id = sim::model::parse_pci_bus_id(text);
  if (!id) return NVML_ERROR_INVALID_ARGUMENT;
  *domain = id->domain;
  *bus = id->bus;
  *device = id->device;
  *function = id->function;
  return NVML_SUCCESS;
}

nvmlReturn_t pci_location(unsigned int index, unsigned int* domain, unsigned int* bus, unsigned int* device) {
  const auto* gpu = gpu_at(index);
  if (!gpu || !domain || !bus || !device) return NVML_ERROR_INVALID_ARGUMENT;
  *domain = gpu->pci.bus_id->domain;
  *bus = gpu->pci.bus_id->bus;
  *device = gpu->pci.bus_id->device;
  return NVML_SUCCESS;
}

nvmlReturn_t bus_id_text(unsigned int index, char* text, unsigned int length) {
  const auto* gpu = gpu_at(index);
  if (!gpu || !text) return NVML_ERROR_INVALID_ARGUMENT;
  char buffer[24];
  return write_text(sim::model::format_pci_bus_id(*gpu->pci.bus_id, 8, buffer), text, length);
}

// The primary GPU is the one that shows the console: none here.
nvmlReturn_t is_primary_gpu(nvmlDevice_t device, unsigned int* is_primary) {
  if (!gpu_of(device) || !is_primary) return NVML_ERROR_INVALID_ARGUMENT;
  *is_primary = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t has_system_controller(nvmlDevice_t device, unsigned int* has) {
  if (!gpu_of(device) || !has) return NVML_ERROR_INVALID_ARGUMENT;
  *has = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t is_monitored(nvmlDevice_t device, unsigned int* monitored) {
  return read_of(
      device, monitored, [](const Gpu& gpu) -> auto& { return gpu.monitored; });
}

// Ids of their own: 1 relaxed ordering, 2 lanes of a link, 4 reset required, 5 drain and reset recommended.
nvmlReturn_t private_field_values(nvmlDevice_t device, unsigned int count, nvmlFieldValue_t* values) {
  const auto* gpu = gpu_of(device);
  if (!gpu || !values) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned int i = 0; i < count; ++i) {
    const auto& reset = gpu->reset_status;
    if (values[i].fieldId == 4)
      values[i].nvmlReturn = put_uint(reset.required, values[i]);
    else if (values[i].fieldId == 5)
      values[i].nvmlReturn = put_uint(reset.drain_and_reset_recommended, values[i]);
    else
      values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t base_clock(nvmlDevice_t device, unsigned int type, unsigned int* mhz) {
  if (type != 0) return NVML_ERROR_NOT_SUPPORTED;
  return read_of(
      device, mhz, [](const Gpu& gpu) -> auto& { return gpu.clocks.base_graphics; });
}

nvmlReturn_t compute_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes) {
  return list_processes(device, sim::processes::compute, count, processes);
}

nvmlReturn_t mps_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes) {
  return list_processes(device, sim::processes::mps, count, processes);
}

nvmlReturn_t graphics_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes) {
  return list_processes(device, sim::processes::graphics, count, processes);
}

nvmlReturn_t pcie_atomics(nvmlDevice_t device, AtomicCapabilities* capabilities) {
  const auto* gpu = gpu_of(device);
  if (!gpu || !capabilities) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& pcie = gpu->pcie;
  if (!pcie.atomic_caps_outbound && !pcie.atomic_caps_inbound) return NVML_ERROR_NOT_SUPPORTED;
  capabilities->outbound = pcie.atomic_caps_outbound.value_or(0);
  capabilities->inbound = pcie.atomic_caps_inbound.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t host_max_link_generation(nvmlDevice_t device, unsigned int* generation) {
  return read_of(
      device, generation, [](const Gpu& gpu) -> auto& { return gpu.pcie.host_max_link_gen; });
}

nvmlReturn_t gpu_part_number(nvmlDevice_t device, char* text, unsigned int length) {
  return read_text_of(
      device, text, length, [](const Gpu& gpu) -> auto& { return gpu.gpu_part_number; });
}

nvmlReturn_t fru_part_number(nvmlDevice_t device, char* text, unsigned int length) {
  return read_text_of(
      device, text, length, [](const Gpu& gpu) -> auto& { return gpu.fru_part_number; });
}

nvmlReturn_t temperature_margin(nvmlDevice_t device, int* celsius) {
  return read_of(
      device, celsius, [](const Gpu& gpu) -> auto& { return gpu.thermal.tlimit_c; });
}

nvmlReturn_t graphics_voltage(nvmlDevice_t device, unsigned int* microvolts) {
  return read_of(
      device, microvolts, [](const Gpu& gpu) -> auto& { return gpu.power.graphics_voltage_uv; });
}

nvmlReturn_t sparse_operation_mode(nvmlDevice_t device, unsigned int* enabled) {
  return read_of(
      device, enabled, [](const Gpu& gpu) -> auto& { return gpu.sparse_operation_mode; });
}

nvmlReturn_t numa_node(nvmlDevice_t device, unsigned int* node) {
  return read_of(
      device, node, [](const Gpu& gpu) -> auto& { return gpu.numa_node_id; });
}

// The private numbering is the public one: none, HMM, ATS.
nvmlReturn_t addressing_mode(nvmlDevice_t device, unsigned int* mode) {
  return read_of(
      device, mode, [](const Gpu& gpu) -> auto& { return gpu.addressing_mode; });
}

}  // namespace nvmlkit::driver::slots
