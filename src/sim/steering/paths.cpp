#include "sim/steering/paths.hpp"

namespace nvmlkit::sim::steering {
namespace {

// Short names of what is steered most.
struct Alias {
  std::string_view name, path;
};
constexpr Alias kAliases[] = {
    {"thermal.gpu", "thermal.temperature_gpu_c"},
    {"thermal.memory", "thermal.temperature_memory_c"},
    {"thermal.margin", "thermal.tlimit_c"},
    {"power.draw", "power.current_draw_mw"},
    {"power.instant", "power.instant_draw_mw"},
    {"power.average", "power.average_draw_mw"},
    {"power.energy", "power.total_energy_consumption_mj"},
    {"power.limit", "power.limit_mw"},
    {"clocks.graphics", "clocks.graphics_current"},
    {"clocks.sm", "clocks.sm_current"},
    {"clocks.memory", "clocks.memory_current"},
    {"clocks.video", "clocks.video_current"},
    {"fan.speed", "fan.speed_percent"},
    {"fan.rpm", "fan.speed_rpm"},
    {"pcie.tx", "pcie.tx_throughput_kbps"},
    {"pcie.rx", "pcie.rx_throughput_kbps"},
    {"pstate", "performance_state"},
};

}  // namespace

std::string full_path(std::string_view path) {
  for (const auto& alias : kAliases)
    if (path == alias.name) return std::string(alias.path);
  return std::string(path);
}

}  // namespace nvmlkit::sim::steering
