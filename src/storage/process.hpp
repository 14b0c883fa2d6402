// The system's data about processes and threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nvmlkit::storage {

// The part of a file under /proc/PID that fits into `buffer`. Nothing when the file cannot be read.
std::optional<std::string_view> read_about(std::uint32_t pid, const char* file, std::span<char> buffer);

struct ProcessStat {
  char state;           // R, S, D, Z, ... as in proc(5)
  std::uint64_t start;  // clock ticks since boot
};
std::optional<ProcessStat> stat_of(std::uint32_t pid);

// Would the thread go on if it got a CPU, or its page from the disk? Not one that is stopped or sleeps.
bool wants_to_run(std::uint32_t thread);

}  // namespace nvmlkit::storage
