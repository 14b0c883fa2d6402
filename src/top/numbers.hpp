// Quantities in few columns.
#pragma once

#include <string>

#include "top/readings.hpp"

namespace nvmlkit::top {

inline constexpr const char* kNoValue = "-";

std::string percent(const Value& value);                       // "92%"
std::string whole(const Value& value, const char* unit);       // "1980MHz"
std::string memory_of(const Value& used, const Value& total);  // "71.2/80G"
std::string power_of(const Value& power, const Value& limit);  // "612/700W"
std::string bytes(const Value& value);                         // "1.2G"
std::string rate(const Value& bytes_per_second);               // "1.2 GB/s"
std::string count(const Value& value);

}  // namespace nvmlkit::top
