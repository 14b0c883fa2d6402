// Operations as a kernel in a stream.
#pragma once

#include <vector>

#include "libraries/nccl/communicator.hpp"

namespace nvmlkit::nccl {

struct Request {
  Operation operation;
  CUstream stream = nullptr;
};

// All of a group for one communicator, as one kernel: collectives in order, then sends and receives at once.
ncclResult_t launch(const CommunicatorPtr& communicator, const std::vector<Request>& requests);

}  // namespace nvmlkit::nccl
