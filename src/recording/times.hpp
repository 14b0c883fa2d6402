// Times as tools print them. A time without a zone counts as UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::recording {

// Milliseconds since 1970, of 2026/11/23 17:45:09.123, 20261123 17:45:09, 2026-11-23T17:45:09,123+01:00 and
// Mon Nov 23 17:45:09 2026. `rest` becomes the text after the time.
std::optional<std::int64_t> time_before(std::string_view text, std::string_view& rest);

// The same, of a whole text.
std::optional<std::int64_t> time_of(std::string_view text);

// 17:45:09 with or without a fraction: milliseconds since midnight.
std::optional<std::int64_t> clock_before(std::string_view text, std::string_view& rest);

// Nov 23 17:45:09, as syslog prints it: milliseconds in a year that is none.
std::optional<std::int64_t> syslog_time_before(std::string_view text, std::string_view& rest);

}  // namespace nvmlkit::recording
