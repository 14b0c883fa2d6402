// MIG mode of a GPU.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/processes/occupants.hpp"

namespace nvmlkit::driver::functions {

// The pending mode is always set. It becomes the current one at once if nothing uses the GPU, else with the next reset.
// Before Hopper a change of the mode is a reset.
nvmlReturn_t DeviceSetMigMode(const Machine& machine, const Gpu& gpu, unsigned int mode,
                              nvmlReturn_t* activationStatus) {
  if (mode > DEVICE_MIG_ENABLE) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  return edit_gpu(machine, gpu, [&](Gpu& changed) {
    if (!sim::mig::supported(changed)) return NVML_ERROR_NOT_SUPPORTED;
    const auto wanted =
        mode == DEVICE_MIG_ENABLE ? sim::model::EnableState::enabled : sim::model::EnableState::disabled;
    *activationStatus = NVML_SUCCESS;
    changed.mig.mode_pending = wanted;
    if (*changed.mig.mode_current == wanted) return NVML_SUCCESS;
    if (sim::processes::any_process(machine, gpu) || !changed.mig.instances.empty()) {
      *activationStatus = NVML_ERROR_IN_USE;
      return NVML_SUCCESS;
    }
    if (!changed.mig.resetless.value_or(false)) reset_gpu(changed);
    changed.mig.mode_current = wanted;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceGetMaxMigDeviceCount(const Machine&, const Gpu& gpu, unsigned int* count) {
  *count = sim::mig::enabled(gpu) ? sim::mig::max_devices(gpu) : 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
