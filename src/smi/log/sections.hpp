// The sections that `nvidia-smi -q -d` takes.
#pragma once

#include <optional>
#include <string_view>

#include "smi/version.hpp"

namespace nvmlkit::smi {

// A set of sections: `log` is the whole text, `xml` the whole document.
struct Sections {
  unsigned bits = 0;

  constexpr bool any(Sections other) const { return (bits & other.bits) != 0; }
  friend constexpr Sections operator|(Sections a, Sections b) { return {a.bits | b.bits}; }
};

struct Section {
  static constexpr Sections whole_text{1u << 0}, whole_xml{1u << 1}, memory{1u << 2}, utilization{1u << 3},
      ecc{1u << 4}, temperature{1u << 5}, power{1u << 6}, clock{1u << 7}, compute{1u << 8}, pids{1u << 9},
      performance{1u << 10}, supported_clocks{1u << 11}, page_retirement{1u << 12}, accounting{1u << 13},
      encoder_stats{1u << 14}, target_temperature{1u << 15}, voltage{1u << 16}, fbc_stats{1u << 17},
      row_remapper{1u << 18}, reset_status{1u << 19}, gsp_firmware{1u << 20}, power_smoothing{1u << 21},
      power_profiles{1u << 22};
  static constexpr Sections log = whole_text | whole_xml;
};

// "MEMORY,ECC"; empty if a word is no section of the version.
std::optional<Sections> parse_sections(std::string_view words, Version version);

}  // namespace nvmlkit::smi
