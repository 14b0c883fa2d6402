// Private functions that change the machine: the steps of nvidia-smi -r, the boost slider, and persistence mode of
// 555.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "driver/nvml/private_table/slots.hpp"
#include "sim/processes/clients.hpp"
#include "sim/setters/reset.hpp"

namespace nvmlkit::driver::slots {
namespace {

nvmlReturn_t reset(const sim::Machine& machine, nvmlDevice_t device) {
  const auto* gpu = find_gpu(machine, device);
  if (!gpu) return NVML_ERROR_INVALID_ARGUMENT;
  return edit_gpu(machine, *gpu, [&](auto& changed) {
    // What is lost is out of the driver's reach; a restart of the host brings it back.
    if (changed.faults.availability == sim::faults::Availability::lost) return NVML_ERROR_GPU_IS_LOST;
    if (sim::processes::in_use(machine, changed, machine.index_of(*gpu))) return NVML_ERROR_IN_USE;
    sim::setters::reset_gpu(changed);
    return NVML_SUCCESS;
  });
}

template <class Value>
nvmlReturn_t read_slider(nvmlDevice_t device, BoostSliders* sliders, Value value) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? find_gpu(*machine, device) : nullptr;
  if (!gpu || !sliders) return NVML_ERROR_INVALID_ARGUMENT;
  return consistent(*machine, machine->sequence(*gpu), [&] {
    if (!gpu->boost_slider.max_level) return NVML_ERROR_NOT_SUPPORTED;
    *sliders = {1, 0, value(gpu->boost_slider)};
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
  *all = good && count == count_visible(*machine) ? 1 : 0;
  return good ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;  // then nvidia-smi reads the results
}

nvmlReturn_t boost_slider_levels(nvmlDevice_t device, BoostSliders* sliders) {
  return read_slider(device, sliders, [](const auto& slider) { return *slider.max_level + 1; });
}

nvmlReturn_t boost_slider(nvmlDevice_t device, BoostSliders* sliders) {
  return read_slider(device, sliders, [](const auto& slider) { return slider.level.value_or(0); });
}

nvmlReturn_t set_boost_slider(nvmlDevice_t device, const BoostSliders* sliders) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? find_gpu(*machine, device) : nullptr;
  if (!gpu || !sliders) return NVML_ERROR_INVALID_ARGUMENT;
  if (!gpu->boost_slider.max_level) return NVML_ERROR_NOT_SUPPORTED;
  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;
  return edit_gpu(*machine, *gpu, [&](auto& changed) {
    auto& slider = changed.boost_slider;
    if (sliders->count != 1 || sliders->id != 0 || sliders->value > slider.max_level.value_or(0))
      return NVML_ERROR_INVALID_ARGUMENT;
    slider.level = sliders->value;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t set_persistence_mode(nvmlDevice_t device, unsigned int mode, unsigned int* by_daemon) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? find_gpu(*machine, device) : nullptr;
  if (!gpu || mode > 1 || !by_daemon) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;
  *by_daemon = 0;
  return edit_gpu(*machine, *gpu, [&](auto& changed) { return set_present(changed.persistence_mode, mode); });
}

}  // namespace nvmlkit::driver::slots
