// Names of the C API in the spelling of C++.
#pragma once

#include <string>

namespace nvmlgen {

// "fan_speed_info" -> "FanSpeedInfo"; "minGpuClockMHz" -> "min_gpu_clock_mhz".
std::string camel_case(const std::string& snake);
std::string snake_case(const std::string& camel);

// The name itself, or with "_" behind it when it is a word of C++.
std::string identifier(const std::string& name);

}  // namespace nvmlgen
