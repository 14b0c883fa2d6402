// MIG mode of a GPU.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/mig/instances.hpp"
#include "sim/mig/profiles.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceSetMigMode(const Machine& machine, const Gpu& gpu, unsigned int mode,
                              nvmlReturn_t* activationStatus) {
  if (mode > DEVICE_MIG_ENABLE) return NVML_ERROR_INVALID_ARGUMENT;
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  return edit_gpu(machine, gpu, [&](Gpu& changed) {
    bool pending = false;
    const auto refusal = sim::setters::set_mig_mode(machine, gpu, changed, mode == DEVICE_MIG_ENABLE, pending);
    if (refusal == sim::setters::MigRefusal::none) *activationStatus = pending ? NVML_ERROR_IN_USE : NVML_SUCCESS;
    return result_of(refusal);
  });
}

nvmlReturn_t DeviceGetMaxMigDeviceCount(const Machine&, const Gpu& gpu, unsigned int* count) {
  *count = sim::mig::enabled(gpu) ? sim::mig::max_devices(gpu) : 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
