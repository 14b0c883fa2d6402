// Modes: they change at once, or are pending until a reset of the GPU.
#include "driver/nvml/call/setters.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/setters/reset.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceSetPersistenceMode(const Machine&, Gpu& gpu, nvmlEnableState_t mode) {
  return set_present(gpu.persistence_mode, mode);
}

// Drivers dropped the exclusive mode of single threads long ago.
nvmlReturn_t DeviceSetComputeMode(const Machine&, Gpu& gpu, nvmlComputeMode_t mode) {
  if (mode == NVML_COMPUTEMODE_EXCLUSIVE_THREAD) return NVML_ERROR_NOT_SUPPORTED;
  return set_present(gpu.compute_mode, mode);
}

nvmlReturn_t DeviceSetGpuOperationMode(const Machine&, Gpu& gpu, nvmlGpuOperationMode_t mode) {
  if (!gpu.gpu_operation_mode.current) return NVML_ERROR_NOT_SUPPORTED;
  gpu.gpu_operation_mode.pending = mode;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceSetAPIRestriction(const Machine&, Gpu& gpu, nvmlRestrictedAPI_t apiType,
                                     nvmlEnableState_t isRestricted) {
  auto& r = gpu.api_restriction;
  return set_present(
      apiType == NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS ? r.set_application_clocks : r.set_auto_boosted_clocks,
      isRestricted);
}

nvmlReturn_t DeviceSetEccMode(const Machine&, Gpu& gpu, nvmlEnableState_t ecc) {
  if (!gpu.ecc.mode_current) return NVML_ERROR_NOT_SUPPORTED;
  gpu.ecc.mode_pending = ecc;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceClearEccErrorCounts(const Machine&, Gpu& gpu, nvmlEccCounterType_t counterType) {
  if (!gpu.ecc.mode_current || static_cast<nvmlEnableState_t>(*gpu.ecc.mode_current) != NVML_FEATURE_ENABLED)
    return NVML_ERROR_NOT_SUPPORTED;
  auto& ecc = gpu.ecc;
  if (counterType == NVML_VOLATILE_ECC)
    sim::setters::clear_ecc_counts(ecc.errors.volatile_, ecc.sram.volatile_);
  else
    sim::setters::clear_ecc_counts(ecc.errors.aggregate, ecc.sram.aggregate);
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
