// Memory that is allocated for or known to communicators.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t allocate(void** out, std::size_t size);
ncclResult_t free(void* memory);
// A registered buffer is faster on hardware; here a handle is all that there is.
ncclResult_t register_buffer(const Communicator* communicator, void* buffer, std::size_t size, void** handle);
ncclResult_t deregister_buffer(const Communicator* communicator, void* handle);
ncclResult_t register_window(Communicator* communicator, void* buffer, std::size_t size, Window** out, int flags);
ncclResult_t deregister_window(Communicator* communicator, Window* window);

}  // namespace nvmlkit::nccl::functions
