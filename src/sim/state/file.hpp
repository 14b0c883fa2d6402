// State files: machines that several processes share and that outlive them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"
#include "storage/file.hpp"

namespace nvmlkit::sim::state {

using storage::Permissions;

// Makes a state file of the machine, for this user alone unless `permissions` admit others; a file of that name is
// replaced at once and as a whole. `origin` is kept for people to read.
Expected<void> save(const Machine& machine, const std::string& path, std::string_view origin,
                    const Permissions& permissions = {});

// Admits others to a state file that is there.
Expected<void> permit(const std::string& path, const Permissions& permissions);

// The machine of a state file, to be read and changed together with all other processes; never null. A problem is
// anything that save() of this version did not write; `advice` is what helps then. Where the file may not be written
// the machine is read-only.
Expected<std::unique_ptr<Machine>> attach(
    const std::string& path, std::string_view advice = "make it with `nvmlkit up`, or unset NVMLKIT_STATE");

// Does the file begin as state files of any version do?
bool is_state_file(const std::string& path);

}  // namespace nvmlkit::sim::state
