// Calls between ncclGroupStart and ncclGroupEnd, of the calling thread.
#pragma once

#include <functional>

#include "libraries/nccl/launch.hpp"

namespace nvmlkit::nccl::group {

void start();
ncclResult_t end();
// Forgets the calls; how many bytes they were.
double drop();
bool is_open();
// Of the group, and of no later one.
void note(ncclResult_t result);

// Now, or with the group.
ncclResult_t add(const CommunicatorPtr& communicator, const Request& request);

// Work that connects a communicator: now, with the group (each in its own thread), or in a thread of the communicator
// if it does not block. A failure takes the handle back.
ncclResult_t connect_by(const CommunicatorPtr& made, Communicator** handle, std::function<ncclResult_t()> work);

}  // namespace nvmlkit::nccl::group
