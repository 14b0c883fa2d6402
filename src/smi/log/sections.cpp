#include "smi/log/sections.hpp"

#include <string>

namespace nvmlkit::smi {
namespace {

struct Word {
  std::string_view word;
  Sections section;
  Versions versions = kAlways;
};

constexpr Word kWords[] = {
    {"MEMORY", Section::kMemory},
    {"UTILIZATION", Section::kUtilization},
    {"ECC", Section::kEcc},
    {"TEMPERATURE", Section::kTemperature},
    {"POWER", Section::kPower},
    {"CLOCK", Section::kClock},
    {"COMPUTE", Section::kCompute},
    {"PIDS", Section::kPids},
    {"PERFORMANCE", Section::kPerformance},
    {"SUPPORTED_CLOCKS", Section::kSupportedClocks},
    {"PAGE_RETIREMENT", Section::kPageRetirement},
    {"ACCOUNTING", Section::kAccounting},
    {"ENCODER_STATS", Section::kEncoderStats},
    {"SUPPORTED_GPU_TARGET_TEMP", Section::kTargetTemperature},
    {"VOLTAGE", Section::kVoltage},
    {"FBC_STATS", Section::kFbcStats},
    {"ROW_REMAPPER", Section::kRowRemapper},
    {"RESET_STATUS", Section::kResetStatus, before(580)},
    {"GSP_FIRMWARE_VERSION", Section::kGspFirmware, from(550)},
    {"POWER_SMOOTHING", Section::kPowerSmoothing, from(570)},
    {"POWER_PROFILES", Section::kPowerProfiles, from(570)},
};

}  // namespace

std::optional<Sections> parse_sections(std::string_view words, Version version) {
  Sections found;
  while (!words.empty()) {
    const auto comma = words.find(',');
    const auto word = words.substr(0, comma);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    Sections section;
    for (const auto& known : kWords)
      if (known.word == word && known.versions.has(version)) section = known.section;
    if (section.bits == 0) return {};
    found = found | section;
  }
  return found.bits != 0 ? std::optional(found) : std::nullopt;
}

}  // namespace nvmlkit::smi
