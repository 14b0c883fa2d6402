// Threads that do the work of streams which no thread of the program waits for. They start with the first such work,
// and there are as many as there are streams that run at the same time.
//
// One of them is the lookout: it looks every few microseconds whether there is work that nobody has begun. When it
// takes some, another one becomes the lookout. So a launch wakes nobody while the lookout is awake, and a launch that
// is waited for at once is done by the thread that waits.
#pragma once

#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::workers {

// There is work that somebody has to see. False where no thread can be had: then whoever waits does everything.
bool expect(schedule::Lock& lock);
// At once.
void hurry(schedule::Lock& lock);

}  // namespace nvmlkit::cuda::workers
