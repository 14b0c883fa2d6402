// The state of a GPU in words.
#include <algorithm>
#include <array>
#include <nvmlkit/error.hpp>
#include <utility>

#include "top/details.hpp"
#include "top/filter.hpp"

namespace nvmlkit::top {
namespace {

using nvml::ClocksEventReason;
using nvml::Errc;

struct Reason {
  ClocksEventReason reason;
  const char* text;
  Style style;
};
// The gravest first.
constexpr std::array kReasons = {
    Reason{ClocksEventReason::hw_thermal_slowdown, "HW thermal", Style::bad},
    Reason{ClocksEventReason::hw_power_brake_slowdown, "power brake", Style::bad},
    Reason{ClocksEventReason::hw_slowdown, "HW slowdown", Style::bad},
    Reason{ClocksEventReason::sw_thermal_slowdown, "SW thermal", Style::bad},
    Reason{ClocksEventReason::reliability, "reliability", Style::fair},
    Reason{ClocksEventReason::board_limit, "board limit", Style::fair},
    Reason{ClocksEventReason::sw_power_cap, "power cap", Style::fair},
    Reason{ClocksEventReason::sync_boost, "sync boost", Style::fair},
    Reason{ClocksEventReason::applications_clocks_setting, "app clocks", Style::plain},
    Reason{ClocksEventReason::display_clock_setting, "display", Style::plain},
    Reason{ClocksEventReason::gpu_idle, "idle", Style::dim},
};

}  // namespace

std::string text_of(nvml::ClocksEventReasons reasons) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const auto& each : kReasons) {
    if (!reasons.contains(each.reason)) continue;
    add(each.text);
    reasons -= each.reason;
  }
  if (!reasons.empty()) add(nvml::to_string(reasons));
  return out;
}

Style style_of(const Value& value, double fair, double bad) {
  if (!value) return Style::dim;
  return *value >= bad ? Style::bad : *value >= fair ? Style::fair : Style::good;
}

Span state_of(const GpuReadings& gpu) {
  if (gpu.lost()) return {"LOST", Style::bad};
  if (gpu.status == Errc::reset_required) return {"reset required", Style::bad};
  if (!gpu.polled()) return {"", Style::dim};
  if (gpu.status != Errc::success) {
    auto name = nvml::name_of(gpu.status);
    std::replace(name.begin(), name.end(), '_', ' ');
    return {name, Style::bad};
  }
  if (!gpu.row.reasons) return {"", Style::dim};
  const auto reasons = *gpu.row.reasons;
  for (const auto& each : kReasons)
    if (reasons.contains(each.reason)) return {text_of(reasons), each.style};
  return {text_of(reasons), Style::plain};
}

}  // namespace nvmlkit::top
