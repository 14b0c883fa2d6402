// Links that are down, the fabric, and what the driver asks its administrator for.
#include <array>
#include <nvmlkit/generated/abi.hpp>

#include "top/gpu.hpp"

namespace nvmlkit::top {
namespace {

// By the number of the field.
constexpr std::array<const char*, 8> kRecoveryActions = {
    "", "reset", "reboot", "drain P2P", "drain and reset", "recover IMEX domain", "bus reset", "system reboot"};

struct FabricTrouble {
  unsigned int shift;  // of two bits, 1: it is so
  const char* text;
};
constexpr std::array kFabricTroubles = {
    FabricTrouble{abi::GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW, "degraded bandwidth"},
    FabricTrouble{abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_RECOVERY, "route recovery"},
    FabricTrouble{abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_UNHEALTHY, "route unhealthy"},
    FabricTrouble{abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ACCESS_TIMEOUT_RECOVERY, "access timeout"}};

std::string recovery_of(const nvml::Device& device) {
  const std::array query = {nvml::FieldQuery{nvml::FieldId::dev_get_gpu_recovery_action}};
  const auto fields = device.field_values(query);
  if (!fields || !fields->front().value) return "";
  const auto action = static_cast<std::size_t>(nvml::as_double(*fields->front().value));
  return action < kRecoveryActions.size() ? kRecoveryActions[action] : "action " + std::to_string(action);
}

std::string fabric_of(const nvml::Device& device) {
  const auto fabric = device.gpu_fabric_info();
  if (!fabric) return "";
  for (const auto& trouble : kFabricTroubles)
    if ((fabric->health_mask.value_or(0) >> trouble.shift & 3U) == 1) return trouble.text;
  if (fabric->health_summary == nvml::FabricHealth::unhealthy) return "unhealthy";
  return fabric->health_summary == nvml::FabricHealth::limited_capacity ? "limited capacity" : "";
}

std::optional<unsigned int> active_links_of(const nvml::Device& device, unsigned int links) {
  unsigned int active = 0;
  for (unsigned int link = 0; link < links; ++link) {
    const auto state = device.nvlink_state(link);
    if (!state) return std::nullopt;
    active += *state ? 1 : 0;
  }
  return active;
}

}  // namespace

void Gpu::take_health() {
  auto& detail = readings_.detail;
  detail.nvlinks_active.reset();
  if (readings_.facts && readings_.facts->nvlinks.value_or(0) > 0)
    detail.nvlinks_active = active_links_of(*device_, *readings_.facts->nvlinks);
  detail.fabric = fabric_of(*device_);
  detail.recovery = recovery_of(*device_);
}

}  // namespace nvmlkit::top
