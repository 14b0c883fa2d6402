// Lets the time of a machine pass while a recording drives it.
#pragma once

#include <functional>

#include "recording/drive.hpp"

namespace nvmlkit::recording {

// Applies each frame at its time, from now on. Where the machine's time stands still, it is moved from one frame to the
// next; else the function sleeps until then. `look` is called behind each frame.
Expected<void> play(Drive& drive, const sim::Machine& machine, const Timeline& timeline,
                    const std::function<void(const Frame&)>& look);

}  // namespace nvmlkit::recording
