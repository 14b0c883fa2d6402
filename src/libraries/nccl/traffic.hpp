// What an operation moves between GPUs on hardware: collectives go round a ring in the order of the ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "libraries/nccl/operation.hpp"

namespace nvmlkit::nccl {

struct Moved {
  int peer;
  std::uint64_t sent, received;
};

// At this rank.
std::vector<Moved> moved_by(const Operation& operation, int rank, int ranks);

}  // namespace nvmlkit::nccl
