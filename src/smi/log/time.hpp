// Points in time as nvidia-smi writes them.
#pragma once

#include <string>

namespace nvmlkit::smi {

// By strftime, in the time zone of the process.
std::string local_time(const char* format, long long seconds);
// "Mon Nov 23 14:05:57 2026".
std::string long_time(long long seconds);
long long now_seconds();
// "2026/11/23 14:05:57.123".
std::string now_with_milliseconds();

}  // namespace nvmlkit::smi
