// What a process's machine is made from. A driver's state outlives nvmlShutdown, and so does the machine: the next
// nvmlInit makes another one only when it would be made from something else.
#pragma once

#include <cstdint>

namespace nvmlkit::driver {

// A number for the environment and the files that it names, as they are now: the same while these are. Never 0.
std::uint64_t machine_origin();

}  // namespace nvmlkit::driver
