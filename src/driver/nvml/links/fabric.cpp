// The NVLink fabric: registration and health.
#include <cstring>

#include "driver/nvml/device/hex.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::Fabric;
using Health = sim::model::Field<bool>;

// One yes-or-no of the health mask; the constants of all of them are alike.
unsigned int bits(const Health& health, int shift) {
  if (!health) return 0;
  const int value = *health ? GPU_FABRIC_HEALTH_MASK_DEGRADED_BW_TRUE : GPU_FABRIC_HEALTH_MASK_DEGRADED_BW_FALSE;
  return static_cast<unsigned int>(value) << shift;
}

unsigned int health_mask(const Fabric& fabric) {
  if (fabric.health_mask) return *fabric.health_mask;
  const auto& health = fabric.health;
  return bits(health.degraded_bandwidth, GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW) |
         bits(health.route_recovery, GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_RECOVERY) |
         bits(health.route_unhealthy, GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_UNHEALTHY) |
         bits(health.access_timeout_recovery, GPU_FABRIC_HEALTH_MASK_SHIFT_ACCESS_TIMEOUT_RECOVERY) |
         health.incorrect_configuration.value_or(0) << GPU_FABRIC_HEALTH_MASK_SHIFT_INCORRECT_CONFIGURATION;
}

// What every version of the struct has; a cluster is known once the registration is completed.
template <class Info>
nvmlReturn_t write_registration(const Fabric& fabric, Info& info) {
  if (!fabric.state) return NVML_ERROR_NOT_SUPPORTED;
  std::memset(info.clusterUuid, 0, sizeof info.clusterUuid);
  info.state = static_cast<nvmlGpuFabricState_t>(*fabric.state);
  info.status = NVML_SUCCESS;
  info.cliqueId = 0;
  if (info.state != GPU_FABRIC_STATE_COMPLETED) return NVML_SUCCESS;
  info.cliqueId = fabric.clique_id.value_or(0);
  if (fabric.cluster_uuid) parse_uuid_bytes(fabric.cluster_uuid->view(), info.clusterUuid);
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetGpuFabricInfo(const Machine&, const Gpu& gpu, nvmlGpuFabricInfo_t* gpuFabricInfo) {
  return write_registration(gpu.fabric, *gpuFabricInfo);
}

// The second and third version are alike but for the summary at the end of the third.
nvmlReturn_t DeviceGetGpuFabricInfoV(const Machine&, const Gpu& gpu, nvmlGpuFabricInfoV_t* gpuFabricInfo) {
  if (const auto result = write_registration(gpu.fabric, *gpuFabricInfo); result != NVML_SUCCESS) return result;
  gpuFabricInfo->healthMask = health_mask(gpu.fabric);
  if (gpuFabricInfo->version == version_tag<nvmlGpuFabricInfo_v3_t>)
    gpuFabricInfo->healthSummary =
        static_cast<unsigned char>(gpu.fabric.health_summary.value_or(GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED));
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
