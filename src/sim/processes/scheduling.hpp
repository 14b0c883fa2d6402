// What the scheduler of the system says about a thread.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::processes {

// Would the thread go on if it got a CPU, or its page from the disk? Not so one that is stopped or sleeps.
bool wants_to_run(std::uint32_t thread);

}  // namespace nvmlkit::sim::processes
