// Threads for the work of streams that no thread of the program waits for. They start with the first such work; there
// are as many as streams that run at the same time.
//
// One of them is the lookout: it looks every few microseconds for work that no thread has begun. When it takes some,
// another worker becomes the lookout. A launch therefore wakes no thread while the lookout is awake, and a launch with
// an immediate wait runs in the waiting thread.
#pragma once

#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::workers {

// There is unclaimed work. False if no thread can be started: then the waiting threads do all of it.
bool expect(schedule::Lock& lock);
// At once.
void hurry(schedule::Lock& lock);

}  // namespace nvmlkit::cuda::workers
