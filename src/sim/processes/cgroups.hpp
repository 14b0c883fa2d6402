// The cgroups of processes. A cgroup is known by a number that is the same in every container of the host, whatever
// path leads to it there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/native/processes.hpp"

namespace nvmlkit::sim::processes {

// The cgroup that a directory of a cgroup file system is, or that a file in it belongs to. Nothing for any other path.
std::optional<std::uint64_t> cgroup_at(const char* path);

// The cgroups that the process is in: its own one and those above it, as far as this process sees them. The rest is 0.
CgroupIds cgroups_of(std::uint32_t pid);

}  // namespace nvmlkit::sim::processes
