// What a process's machine is made from. A driver's state outlives nvmlShutdown, and so does the machine: the next
// nvmlInit makes another one only when it would be made from something else.
#pragma once

#include <cstdint>

#include "sim/config/environment.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::driver {

// A number for the machine that the environment chooses and for the faults of this process, as they are now. Never 0.
sim::Expected<std::uint64_t> machine_origin(const sim::Environment& environment);

}  // namespace nvmlkit::driver
