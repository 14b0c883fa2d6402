// The sections that `nvidia-smi -q -d` takes.
#pragma once

#include <optional>
#include <string_view>

#include "smi/version.hpp"

namespace nvmlkit::smi {

// A set of sections: kLog is the whole output, as text or as XML.
struct Sections {
  unsigned bits = 0;

  constexpr bool any(Sections other) const { return (bits & other.bits) != 0; }
  friend constexpr Sections operator|(Sections a, Sections b) { return {a.bits | b.bits}; }
};

struct Section {
  static constexpr Sections kWholeText{1u << 0}, kWholeXml{1u << 1}, kMemory{1u << 2}, kUtilization{1u << 3},
      kEcc{1u << 4}, kTemperature{1u << 5}, kPower{1u << 6}, kClock{1u << 7}, kCompute{1u << 8}, kPids{1u << 9},
      kPerformance{1u << 10}, kSupportedClocks{1u << 11}, kPageRetirement{1u << 12}, kAccounting{1u << 13},
      kEncoderStats{1u << 14}, kTargetTemperature{1u << 15}, kVoltage{1u << 16}, kFbcStats{1u << 17},
      kRowRemapper{1u << 18}, kResetStatus{1u << 19}, kGspFirmware{1u << 20}, kPowerSmoothing{1u << 21},
      kPowerProfiles{1u << 22};
  static constexpr Sections kLog = kWholeText | kWholeXml;
};

// "MEMORY,ECC"; empty if a word is no section of the version.
std::optional<Sections> parse_sections(std::string_view words, Version version);

}  // namespace nvmlkit::smi
