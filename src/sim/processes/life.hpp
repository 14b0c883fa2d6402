// The system's data about a process: whether it runs, its start time, its name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nvmlkit::sim::processes {

// When the process began, in clock ticks since boot; 0 where /proc does not tell. Nothing when no such process runs: a
// zombie has ended.
std::optional<std::uint64_t> running_since(std::uint32_t pid);

// Is no process with that number? Cheaper than running_since(), and blind for reused numbers.
bool is_gone(std::uint32_t pid);

// The PID namespace of this process, 0 where the system does not tell.
std::uint64_t own_pid_namespace();

// The first argument of the process's command line, or the kernel's name for it; empty if neither can be read. It lies
// in `buffer`.
std::string_view name_of(std::uint32_t pid, std::span<char> buffer);

}  // namespace nvmlkit::sim::processes
