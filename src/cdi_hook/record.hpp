// The first process of a container, remembered in the container's bundle. When a container has ended, its runtime names
// no process any more, and on a node with a PID namespace of its own (kind) nothing shows whether a process of a
// container runs.
#pragma once

#include <optional>

#include "cdi_hook/container.hpp"
#include "sim/processes/descendants.hpp"

namespace nvmlkit::cdi_hook {

// A bundle that cannot be written keeps nothing.
void remember(const Container& container, const sim::processes::InnerProcess& process);
std::optional<sim::processes::InnerProcess> recall(const Container& container);

}  // namespace nvmlkit::cdi_hook
