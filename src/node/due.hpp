// When a machine looks different although nobody changes it.
#pragma once

#include <chrono>
#include <optional>

#include "sim/state/machine.hpp"

namespace nvmlkit::node {

// How long, in real time, until the next phase of a workload begins: links of GPUs at rest are slower. Nothing where no
// phase is ahead, or where the machine's time stands still.
std::optional<std::chrono::milliseconds> next_phase(const sim::Machine& machine);

}  // namespace nvmlkit::node
