// Faults of the board: fans, InfoROM, heat, power.
#include "sim/faults/inject.hpp"
#include "sim/faults/kind_words.hpp"

namespace nvmlkit::sim::faults {
namespace {

using model::Gpu;

Expected<void> inject_fan(Gpu& gpu, Words arguments) {
  const auto count = std::min<std::uint64_t>(gpu.fan.count.value_or(0), 32);
  if (count == 0) return fail(impossible("the GPU has no fan"));
  if (arguments.size() != 1) return fail(missing("the number of a fan, or all"));
  return set_bits(gpu.faults.fans_failed, arguments[0], count, "fan");
}

void heal_fan(Gpu& gpu) { gpu.faults.fans_failed = 0; }
Active active_fan(const Gpu& gpu) { return bits_as_words(gpu.faults.fans_failed, ""); }

Expected<void> inject_inforom(Gpu& gpu, Words arguments) {
  if (auto good = no_more(arguments, 0); !good) return good;
  gpu.faults.inforom_corrupted = 1;
  return {};
}

void heal_inforom(Gpu& gpu) { gpu.faults.inforom_corrupted = 0; }
Active active_inforom(const Gpu& gpu) { return gpu.faults.inforom_corrupted ? Active{""} : Active{}; }

Expected<void> inject_thermal(Gpu& gpu, Words arguments) {
  const std::string how = arguments.empty() ? "hw" : arguments[0];
  if (how != "hw" && how != "sw") return fail(wrong_value("hw or sw", quote(how)));
  if (auto good = no_more(arguments, 1); !good) return good;
  set_slowdown(gpu, how == "hw" ? Slowdown::hw_thermal : Slowdown::sw_thermal, true);
  return {};
}

void heal_thermal(Gpu& gpu) {
  if (gpu.faults.hw_thermal_slowdown) set_slowdown(gpu, Slowdown::hw_thermal, false);
  if (gpu.faults.sw_thermal_slowdown) set_slowdown(gpu, Slowdown::sw_thermal, false);
}

Active active_thermal(const Gpu& gpu) {
  Active out;
  if (gpu.faults.hw_thermal_slowdown) out.emplace_back("hw");
  if (gpu.faults.sw_thermal_slowdown) out.emplace_back("sw");
  return out;
}

Expected<void> inject_power_brake(Gpu& gpu, Words arguments) {
  if (auto good = no_more(arguments, 0); !good) return good;
  set_slowdown(gpu, Slowdown::hw_power_brake, true);
  return {};
}

void heal_power_brake(Gpu& gpu) {
  if (gpu.faults.hw_power_brake) set_slowdown(gpu, Slowdown::hw_power_brake, false);
}

Active active_power_brake(const Gpu& gpu) { return gpu.faults.hw_power_brake ? Active{""} : Active{}; }

}  // namespace

constexpr Kind kind::fan{"fan", "FAN|all", inject_fan, heal_fan, active_fan};
constexpr Kind kind::inforom{"inforom", "", inject_inforom, heal_inforom, active_inforom};
constexpr Kind kind::thermal{"thermal", "[hw|sw]", inject_thermal, heal_thermal, active_thermal};
constexpr Kind kind::power_brake{"power-brake", "", inject_power_brake, heal_power_brake, active_power_brake};

}  // namespace nvmlkit::sim::faults
