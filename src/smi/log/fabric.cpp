// The place in an NVLink fabric, and the health of the way there.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::FabricCliqueType;
using nvml::FabricHealth;
using nvml::FabricState;
using nvml::GpuFabricInfo;

const char* state_name(FabricState state) {
  switch (state) {
    case FabricState::not_started:
      return "Not Started";
    case FabricState::in_progress:
      return "In Progress";
    case FabricState::completed:
      return "Completed";
    default:
      return "N/A";
  }
}

bool in_fabric(const Gpu& gpu) { return gpu.fabric() && gpu.fabric()->state != FabricState::not_supported; }

// "N/A" outside a fabric.
template <class Format>
std::string of_fabric(const Gpu& gpu, Format format) {
  if (!gpu.fabric()) return gpu.failure(gpu.fabric().error());
  return in_fabric(gpu) ? format(*gpu.fabric()) : "N/A";
}

std::string fabric_state(const Gpu& gpu) {
  return of_fabric(gpu, [](const GpuFabricInfo& info) { return std::string(state_name(info.state)); });
}

std::string fabric_status(const Gpu& gpu) {
  return of_fabric(gpu, [&](const GpuFabricInfo& info) {
    const auto text = gpu->table().ErrorString;
    return text ? std::string(text(static_cast<abi::nvmlReturn_t>(info.status))) : std::string("Unknown Error");
  });
}

std::string clique(const Gpu& gpu) {
  return of_fabric(gpu, [](const GpuFabricInfo& info) { return std::to_string(info.clique_id); });
}

std::string cluster(const Gpu& gpu) {
  return of_fabric(gpu, [](const GpuFabricInfo& info) {
    std::string text;
    for (std::size_t i = 0; i < info.cluster_uuid.size(); ++i)
      text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info.cluster_uuid[i]);
    return text;
  });
}

std::string health_summary(const Gpu& gpu) {
  return of_fabric(gpu, [](const GpuFabricInfo& info) {
    const auto summary = info.health_summary.value_or(FabricHealth::not_supported);
    constexpr const char* kNames[] = {"N/A", "Healthy", "Unhealthy", "Limited Capacity"};
    const auto number = static_cast<unsigned>(summary);
    return std::string(number < std::size(kNames) ? kNames[number] : "Unknown");
  });
}

// A field of the health mask by the words for its values.
template <std::size_t count>
std::string health(const Gpu& gpu, int shift, unsigned width, const char* const (&words)[count]) {
  return of_fabric(gpu, [&](const GpuFabricInfo& info) {
    const auto value = info.health_mask.value_or(0) >> shift & width;
    return std::string(value < count ? words[value] : "N/A");
  });
}

// 555 prints no word for full bandwidth.
std::string bandwidth(const Gpu& gpu) {
  constexpr const char* kWords[] = {"N/A", "Degraded", "Full"};
  constexpr const char* kFirstWords[] = {"N/A", "Degraded"};
  if (gpu.version().branch == 555) return health(gpu, abi::GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW, 3, kFirstWords);
  return health(gpu, abi::GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW, 3, kWords);
}

template <int shift>
std::string true_false(const Gpu& gpu) {
  constexpr const char* kWords[] = {"N/A", "True", "False"};
  return health(gpu, shift, 3, kWords);
}

std::string configuration(const Gpu& gpu) {
  constexpr const char* kWords[] = {"N/A",
                                    "None",
                                    "Incorrect SystemGuid",
                                    "Incorrect Chassis Serial Number",
                                    "No Partition",
                                    "Insufficient Nvlinks",
                                    "Incompatible GPU Firmware",
                                    "Invalid Location",
                                    "GPU State Invalid"};
  return health(gpu, abi::GPU_FABRIC_HEALTH_MASK_SHIFT_INCORRECT_CONFIGURATION, 15, kWords);
}

std::string manager(const Gpu& gpu) {
  constexpr const char* kWords[] = {"N/A", "Connected", "Disconnected"};
  return health(gpu, abi::GPU_FABRIC_HEALTH_MASK_SHIFT_GFM_STATE, 3, kWords);
}

void cliques(const Gpu& gpu, Lines& lines) {
  constexpr const char* kTypes[] = {"Unicast Pointer", "Multicast Pointer", "Unicast LE", "Multicast LE"};
  const auto answer = gpu->fabric_cliques();
  if (!answer || answer->cliques.empty())
    return lines.push_back(
        {.depth = 2, .label = "Cliques", .element = "cliques", .value = answer ? "N/A" : gpu.failure(answer.error())});
  lines.push_back({.depth = 2, .label = "Cliques", .element = "cliques"});
  for (const auto& entry : answer->cliques) {
    const auto type = static_cast<unsigned>(entry.type);
    lines.push_back({.depth = 3, .label = "Clique Entry", .element = "clique_entry"});
    lines.push_back({.depth = 4,
                     .label = "Clique Type",
                     .element = "clique_type",
                     .value = type < std::size(kTypes) ? kTypes[type] : "Unknown"});
    lines.push_back({.depth = 4, .label = "Clique Id", .element = "clique_id", .value = std::to_string(entry.id)});
  }
}

constexpr Versions kRoutes = from(570), kSummary = from(580);
constexpr Versions kPartition = backported(580, 126, 595);

// clang-format off
constexpr Row kFabricRows[] = {
    {1, "Fabric", "fabric"},
    {2, "State", "state", fabric_state},
    {2, "Status", "status", fabric_status},
    {2, "CliqueId", "cliqueId", clique, from(550)},
    {2, "ClusterUUID", "clusterUuid", cluster, from(550)},
    {2, "Health", "health", nullptr, from(550)},
    {3, "Summary", "summary", health_summary, kSummary},
    {3, "Bandwidth", "bandwidth", bandwidth},
    {3, "Route Recovery in progress", "route_recovery_in_progress", true_false<abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_RECOVERY>, kRoutes},
    {3, "Route Unhealthy", "route_unhealthy", true_false<abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_UNHEALTHY>, kRoutes},
    {3, "Access Timeout Recovery", "access_timeout_recovery", true_false<abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ACCESS_TIMEOUT_RECOVERY>, kRoutes},
    {3, "Incorrect Configuration", "incorrect_configuration", configuration, kSummary},
    {3, "Partition Assigned", "partition_assigned", true_false<abi::GPU_FABRIC_HEALTH_MASK_SHIFT_PARTITION_ASSIGNED>, kPartition},
    {3, "GFM State", "gfm_state", manager, from(615)},
    {.depth = 2, .label = "Cliques", .element = "cliques", .versions = from(615), .lines = cliques},
};
// clang-format on

}  // namespace

std::span<const Row> fabric_rows() { return kFabricRows; }

}  // namespace nvmlkit::smi
