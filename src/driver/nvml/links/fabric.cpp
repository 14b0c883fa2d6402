// The NVLink fabric: registration and health.
#include <algorithm>
#include <cstring>

#include "driver/nvml/device/hex.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

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
         bits(health.partition_assigned, GPU_FABRIC_HEALTH_MASK_SHIFT_PARTITION_ASSIGNED) |
         bits(health.global_manager_connected, GPU_FABRIC_HEALTH_MASK_SHIFT_GFM_STATE) |
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

// A machine file without cliques has one clique number, which counts for each way of access that the architecture has.
nvmlReturn_t DeviceGetGpuFabricInfo_v4(const Machine&, const Gpu& gpu, nvmlGpuFabricInfo_v4_t* gpuFabricInfo) {
  nvmlGpuFabricInfoV_t common{};
  if (const auto result = write_registration(gpu.fabric, common); result != NVML_SUCCESS) return result;
  auto& out = *gpuFabricInfo;
  out = {};
  std::memcpy(out.clusterUuid, common.clusterUuid, sizeof out.clusterUuid);
  out.status = common.status;
  out.state = common.state;
  out.healthMask = health_mask(gpu.fabric);
  out.healthSummary =
      static_cast<unsigned char>(gpu.fabric.health_summary.value_or(GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED));
  if (out.state != GPU_FABRIC_STATE_COMPLETED) return NVML_SUCCESS;
  const auto add = [&](std::uint32_t type, std::uint32_t id) {
    if (out.numCliques < std::size(out.cliques)) out.cliques[out.numCliques++] = {static_cast<unsigned char>(type), id};
  };
  for (const auto& clique : gpu.fabric.cliques.span()) add(clique.type.value_or(0), clique.id.value_or(0));
  if (out.numCliques == 0) {
    const bool endpoints = sim::is_from(gpu, sim::model::Architecture::blackwell);
    const auto last =
        endpoints ? GPU_FABRIC_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT : GPU_FABRIC_CLIQUE_TYPE_MULTICAST_POINTER;
    for (int type = GPU_FABRIC_CLIQUE_TYPE_UNICAST_POINTER; type <= last; ++type)
      add(static_cast<std::uint32_t>(type), common.cliqueId);
  }
  std::sort(out.cliques, out.cliques + out.numCliques,
            [](const auto& a, const auto& b) { return a.type != b.type ? a.type < b.type : a.id < b.id; });
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
