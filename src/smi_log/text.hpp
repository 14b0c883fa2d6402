// The text of `nvidia-smi -q`.
#pragma once

#include <span>

#include "smi_log/log.hpp"

namespace nvmlkit::smi_log {

// A line without its end, and its number in the file.
struct Line {
  std::string_view text;
  std::uint32_t number = 0;
};

// The head of a log.
inline constexpr std::string_view kTextLogMark = "==============NVSMI LOG==============";

bool starts_text_log(std::string_view line);

// Reads the log that starts at lines[0]; `used` says how many lines belong to it.
Expected<Log> read_text_log(const std::string& file, std::span<const Line> lines, std::size_t& used);

}  // namespace nvmlkit::smi_log
