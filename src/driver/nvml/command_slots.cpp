// Private functions that change something: the steps of nvidia-smi -r, and 555's way to set persistence mode.
#include "driver/nvml/access.hpp"
#include "driver/nvml/call.hpp"
#include "driver/nvml/private_slots.hpp"
#include "driver/nvml/setters.hpp"

namespace nvmlkit::driver::slots {
namespace {

nvmlReturn_t reset(const sim::Machine& machine, nvmlDevice_t device) {
  const auto* gpu = find_gpu(machine, device);
  if (!gpu) return NVML_ERROR_INVALID_ARGUMENT;
  return change(machine, *gpu, [](auto& changed) {
    if (!changed.processes.empty()) return NVML_ERROR_IN_USE;
    reset_gpu(changed);
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t fabric_state(unsigned int* state) {
  if (!state) return NVML_ERROR_INVALID_ARGUMENT;
  *state = 0;
  return NVML_SUCCESS;
}

// Groups need no memory: a reset names its GPUs again.
nvmlReturn_t make_reset_group(unsigned long long* group, const nvmlDevice_t* devices, unsigned int count) {
  const auto* machine = initialized_machine();
  if (!machine || !group || !devices || count == 0) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;
  *group = 1;
  return NVML_SUCCESS;
}

// No GPU of the simulation must be reset together with another.
nvmlReturn_t missing_from_reset_group(unsigned long long, char**, unsigned int* count) {
  if (!count) return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t free_reset_group(unsigned long long) { return NVML_SUCCESS; }

nvmlReturn_t reset_gpus(unsigned int count, const nvmlDevice_t* devices, nvmlReturn_t* results, unsigned int* all) {
  const auto* machine = initialized_machine();
  if (!machine || !devices || !results || !all) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;
  bool good = true;
  for (unsigned int i = 0; i < count; ++i) {
    results[i] = reset(*machine, devices[i]);
    good = good && results[i] == NVML_SUCCESS;
  }
  *all = good && count == sim::faults::count_visible(*machine) ? 1 : 0;
  return good ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;  // then nvidia-smi reads the results
}

nvmlReturn_t set_persistence_mode(nvmlDevice_t device, unsigned int mode, unsigned int* by_daemon) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? find_gpu(*machine, device) : nullptr;
  if (!gpu || mode > 1 || !by_daemon) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;
  *by_daemon = 0;
  return change(*machine, *gpu, [&](auto& changed) { return set_present(changed.persistence_mode, mode); });
}

}  // namespace nvmlkit::driver::slots
