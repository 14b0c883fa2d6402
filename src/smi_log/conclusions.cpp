#include "smi_log/conclusions.hpp"

#include <optional>

#include "sim/text/numbers.hpp"

namespace nvmlkit::smi_log {
namespace {

const Value* find(const Values& values, const std::string& path) {
  const auto at = values.find(path);
  return at == values.end() ? nullptr : &at->second;
}

// The number there; nothing where the log says N/A or says nothing.
std::optional<std::uint64_t> number(const Values& values, const std::string& path) {
  const Value* value = find(values, path);
  if (value == nullptr) return {};
  const bool hex = value->yaml.starts_with("0x");
  std::string_view rest;
  return sim::text::number_before<std::uint64_t>(std::string_view(value->yaml).substr(hex ? 2 : 0), rest,
                                                 hex ? 16 : 10);
}

// Older drivers tell uncorrectable SRAM errors as one number, newer ones by how they were found. How the errors of the
// one number were found nobody knows; SEC-DED finds most.
void conclude_sram(Values& values) {
  for (const std::string period : {"volatile", "aggregate"}) {
    const std::string sum = "ecc.errors." + period + ".double_bit.sram",
                      parity = "ecc.sram." + period + ".uncorrectable_parity",
                      secded = "ecc.sram." + period + ".uncorrectable_secded";
    if (const Value* one = find(values, sum)) {
      const Value value = *one;
      values.try_emplace(parity, Value{value.yaml == "N/A" ? "N/A" : "0", value.place});
      values.try_emplace(secded, value);
    } else if (const auto a = number(values, parity), b = number(values, secded); a && b) {
      values[sum] = {std::to_string(*a + *b), find(values, parity)->place};
    }
  }
}

// A GPU reports its thresholds as margins or in degrees.
void conclude_thresholds(Values& values) {
  const Value* margin = find(values, "thermal.tlimit_c");
  if (margin == nullptr) return;
  const Place place = margin->place;
  if (margin->yaml == "N/A") {
    for (const char* name : {"shutdown", "slowdown", "max_operating", "memory_max_operating"})
      values.try_emplace(std::string("thermal.") + name + "_tlimit_c", Value{"N/A", place});
  } else {
    for (const char* name : {"shutdown_threshold", "slowdown_threshold", "max_operating", "memory_max_operating"})
      values.try_emplace(std::string("thermal.") + name + "_c", Value{"N/A", place});
  }
}

void conclude_power(Values& values) {
  // If a driver reports one draw of the module, it is the average.
  if (const Value* draw = find(values, "module_power.average_draw_mw")) {
    const Value value{draw->yaml, draw->place, true};
    values.try_emplace("module_power.instant_draw_mw", value);
  }
  // Older drivers tell one draw. A newer nvidia-smi shows it as the average or the instant draw that the GPU has.
  if (const auto draw = number(values, "power.current_draw_mw")) {
    const Value& told = *find(values, "power.current_draw_mw");
    if (find(values, "power.average_draw_mw") == nullptr && find(values, "power.instant_draw_mw") == nullptr)
      for (const char* path : {"power.average_draw_mw", "power.instant_draw_mw"})
        values.try_emplace(path, Value{.yaml = std::to_string(*draw), .place = told.place, .only_over = true});
  }
  // Newer drivers tell an average and an instant draw, of which a GPU may have one.
  if (find(values, "power.current_draw_mw") != nullptr) return;
  for (const char* path : {"power.average_draw_mw", "power.instant_draw_mw"})
    if (number(values, path)) values.try_emplace("power.current_draw_mw", *find(values, path));
}

// nvidia-smi prints the adjusted limit only while the mode is on.
void conclude_adaptive_tgp(Values& values) {
  const auto at = values.find("adaptive_tgp.adjusted_limit_mw");
  if (at == values.end()) return;
  if (at->second.yaml == "N/A")
    values.erase(at);
  else
    values.try_emplace("adaptive_tgp.requested", Value{"enabled", at->second.place});
}

void conclude_hottest_part(Values& values) {
  const auto at = values.find("thermal.hottest_part_above_c");
  if (at == values.end()) return;
  const auto hottest = number(values, at->first), core = number(values, "thermal.temperature_gpu_c");
  if (hottest && core && *hottest >= *core)
    at->second.yaml = std::to_string(*hottest - *core);
  else
    values.erase(at);
}

// Of a reason that the GPU cannot report nvidia-smi prints N/A.
void conclude_reasons(Values& values) {
  constexpr std::string_view kReasons[] = {// in the order of NVML's bits
                                           "gpu_idle",
                                           "applications_clocks_setting",
                                           "sw_power_cap",
                                           "hw_slowdown",
                                           "sync_boost",
                                           "sw_thermal_slowdown",
                                           "hw_thermal_slowdown",
                                           "hw_power_brake_slowdown",
                                           "display_clocks_setting",
                                           "board_limit",
                                           "reliability"};
  unsigned supported = 0x1ff;
  Place place;
  for (std::size_t bit = 0; bit < std::size(kReasons); ++bit) {
    const auto at = values.find("clocks_throttle_reasons." + std::string(kReasons[bit]));
    if (at == values.end()) continue;
    place = at->second.place;
    supported |= 1U << bit;
    if (at->second.yaml != "N/A") continue;
    supported &= ~(1U << bit);
    values.erase(at);
  }
  if (!place.file.empty())
    values.try_emplace("clocks_throttle_reasons.supported", Value{std::to_string(supported), place});
}

// Compute capability by the chip, from the PCI device id, if the architecture has several.
std::string_view compute_capability(std::string_view architecture, std::uint64_t device) {
  const auto family = device >> 8;
  if (architecture == "volta") return "7.0";
  if (architecture == "turing") return "7.5";
  if (architecture == "ampere") return family == 0x20 ? "8.0" : "8.6";
  if (architecture == "ada" || architecture == "ada_lovelace") return "8.9";
  if (architecture == "hopper") return "9.0";
  if (architecture == "rubin") return "10.7";
  if (architecture == "blackwell") return family == 0x29 ? "10.0" : family >= 0x31 ? "10.3" : "12.0";
  return {};
}

void conclude_chip(Values& values) {
  const Value* architecture = find(values, "architecture");
  const auto device = number(values, "pci.device_id");
  std::string_view capability;
  if (architecture != nullptr && device) capability = compute_capability(architecture->yaml, *device >> 16);
  const Place place = architecture != nullptr ? architecture->place : Place{};
  const auto dot = capability.find('.');
  values.try_emplace("compute_capability.major",
                     Value{capability.empty() ? "N/A" : std::string(capability.substr(0, dot)), place, true});
  values.try_emplace("compute_capability.minor",
                     Value{capability.empty() ? "N/A" : std::string(capability.substr(dot + 1)), place, true});
}

// A GPU without ECC counts no errors, one in MIG mode reports no utilization. It has them all the same.
void conclude_modes(Values& values) {
  const auto is = [&](const char* path, std::string_view word) {
    const Value* value = find(values, path);
    return value != nullptr && value->yaml == word;
  };
  const bool no_ecc = is("ecc.mode_current", "disabled"), mig = is("mig.mode_current", "enabled");
  for (auto& [path, value] : values) {
    const bool counts = path.starts_with("ecc.errors.") || path.starts_with("ecc.sram.");
    const bool in_mig = path.starts_with("utilization.") || path.starts_with("remapped_rows.");
    value.hidden = value.yaml == "N/A" && ((no_ecc && counts) || (mig && in_mig));
  }
}

}  // namespace

void conclude(Values& values, const Place& place, bool lost) {
  conclude_sram(values);
  conclude_thresholds(values);
  conclude_power(values);
  conclude_adaptive_tgp(values);
  conclude_hottest_part(values);
  conclude_reasons(values);
  conclude_chip(values);
  if (const Value* speed = find(values, "fan.speed_percent")) {
    // No log contains the number of fans.
    if (speed->yaml == "N/A")
      values.try_emplace("fan.count", Value{"0", speed->place});
    else
      values.try_emplace("fan.count", Value{"1", speed->place, true});
  }
  if (const Value* version = find(values, "gsp_firmware.version"))
    values.try_emplace("gsp_firmware.mode", Value{version->yaml == "N/A" ? "disabled" : "enabled", version->place});
  if (const Value* count = find(values, "retired_pages.single_bit_retirement.count"))
    values.try_emplace("retired_pages.supported", Value{count->yaml == "N/A" ? "false" : "true", count->place});
  conclude_modes(values);
  // So an older nvidia-smi calls what is newer than itself.
  for (const char* path : {"brand", "architecture"})
    if (const auto at = values.find(path); at != values.end() && at->second.yaml == "unknown") at->second.weak = true;
  // What nvidia-smi prints of a lost GPU's power is what its memory happened to hold.
  if (lost) std::erase_if(values, [](const auto& entry) { return entry.first.starts_with("power."); });
  if (lost) values.insert_or_assign("failure.mode", Value{"lost", place});
}

}  // namespace nvmlkit::smi_log
