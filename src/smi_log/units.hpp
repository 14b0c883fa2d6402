// Reads the forms in which nvidia-smi prints values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/model/descriptor.hpp"

namespace nvmlkit::smi_log {

enum class Unit : std::uint8_t {
  redundant,   // also in another line, or without meaning to a machine
  text,        // as it is
  number,      // 640, "640 bank(s)", "30 %", "16x", "210 MHz", "-2 C", "350 KB/s", "62 us": the number before the unit
  hex,         // 0x700, and 134F10DE without the prefix
  mib,         // "40960 MiB", in bytes
  milli,       // "49.68 W", "0.725 V": in thousandths
  micro_volt,  // "705.000 mV"
  percent,     // "100.00%": the whole number
  flag,        // Yes / No, Active / Not Active, True / False; a bandwidth that is "Full" is not degraded
  word,        // one of the words of the model's field
  known_word,  // the same, where "Unknown" is an answer
  time,        // "2024/11/13 22:03:47.226", taken as UTC, in microseconds since 1970
  atomics,     // "FETCHADD_32 SWAP_32"
};

// The value as a machine file has it; nothing when the text is not of that form. `field` is where it goes.
std::optional<std::string> read_value(std::string_view text, Unit unit, const sim::model::FieldDescriptor& field);

// A GPU does not have what it answers so for.
bool says_absent(std::string_view text);

// nvidia-smi could not or would not tell: an error's name, or a function that newer drivers dropped.
bool says_nothing(std::string_view text);

// Text in the double quotes of YAML. Logs need not be UTF-8: other bytes are Latin-1.
std::string quoted(std::string_view text);

}  // namespace nvmlkit::smi_log
