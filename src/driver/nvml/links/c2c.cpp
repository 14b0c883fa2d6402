// NVLink-C2C between GPU and CPU.
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver {

using namespace abi;

nvmlReturn_t c2c_field(const sim::model::Gpu& gpu, unsigned int id, unsigned int scope, nvmlFieldValue_t& out) {
  const auto& c2c = gpu.c2c;
  if (!c2c.mode) return NVML_ERROR_NOT_SUPPORTED;
  const unsigned int links = *c2c.mode == NVML_FEATURE_ENABLED ? c2c.links.value_or(0) : 0;
  if (links == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (id == FI_DEV_C2C_LINK_COUNT) return put_uint(links, out);
  if (scope >= links) return NVML_ERROR_INVALID_ARGUMENT;
  switch (id) {
    case FI_DEV_C2C_LINK_GET_STATUS:
      return put_uint(1U, out);
    case FI_DEV_C2C_LINK_GET_MAX_BW:
      return put_uint(c2c.bandwidth_per_link_mbps, out);
    case FI_DEV_C2C_LINK_ERROR_INTR:
      return put_ullong(c2c.interrupt_errors, out);
    case FI_DEV_C2C_LINK_ERROR_REPLAY:
      return put_ullong(c2c.replay_errors, out);
    case FI_DEV_C2C_LINK_ERROR_REPLAY_B2B:
      return put_ullong(c2c.back_to_back_replay_errors, out);
    default:
      return put_uint(static_cast<unsigned int>(C2C_POWER_STATE_FULL_POWER), out);
  }
}

namespace functions {

nvmlReturn_t DeviceGetC2cModeInfoV(const Machine&, const Gpu& gpu, nvmlC2cModeInfo_v1_t* c2cModeInfo) {
  if (!gpu.c2c.mode) return NVML_ERROR_NOT_SUPPORTED;
  c2cModeInfo->isC2cEnabled = *gpu.c2c.mode == NVML_FEATURE_ENABLED ? 1 : 0;
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
