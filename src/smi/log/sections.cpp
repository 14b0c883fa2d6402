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
    {"MEMORY", Section::memory},
    {"UTILIZATION", Section::utilization},
    {"ECC", Section::ecc},
    {"TEMPERATURE", Section::temperature},
    {"POWER", Section::power},
    {"CLOCK", Section::clock},
    {"COMPUTE", Section::compute},
    {"PIDS", Section::pids},
    {"PERFORMANCE", Section::performance},
    {"SUPPORTED_CLOCKS", Section::supported_clocks},
    {"PAGE_RETIREMENT", Section::page_retirement},
    {"ACCOUNTING", Section::accounting},
    {"ENCODER_STATS", Section::encoder_stats},
    {"SUPPORTED_GPU_TARGET_TEMP", Section::target_temperature},
    {"VOLTAGE", Section::voltage, before(580)},
    {"FBC_STATS", Section::fbc_stats},
    {"ROW_REMAPPER", Section::row_remapper},
    {"RESET_STATUS", Section::reset_status},
    {"GSP_FIRMWARE_VERSION", Section::gsp_firmware, from(550)},
    {"POWER_SMOOTHING", Section::power_smoothing, from(570)},
    {"POWER_PROFILES", Section::power_profiles, from(570)},
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
