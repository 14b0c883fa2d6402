// The files of a driver at their fixed paths, for one program and its children: /proc/driver/nvidia, GPUs in /sys,
// device nodes in /dev. A private mount namespace shows them; nothing of it outlives the program.
#pragma once

#include <filesystem>

#include "root/tree.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// What the program sees of the machine as it is now, by path below /.
root::Tree node_files(const sim::Machine& machine);

// Does the system allow enter_node_view()?
bool may_enter_node_view(const std::filesystem::path& place);

// Gives this process, which has one thread, a mount namespace with `files`: at their paths below /proc, /sys and /dev,
// beside the files of the host. `place` is an empty folder of this user. Without the right to mount, the process gets a
// user namespace, too, in which it keeps its user and group. Throws CommandError where the system allows neither.
void enter_node_view(const root::Tree& files, const std::filesystem::path& place);

}  // namespace nvmlkit::cli
