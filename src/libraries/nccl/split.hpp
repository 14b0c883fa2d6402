// Communicators of a part of the ranks.
#pragma once

#include <set>

#include "libraries/nccl/communicator.hpp"

namespace nvmlkit::nccl {

// Ranks with the same color come together, in the order of their keys. Those that are excluded take no part.
struct Part {
  int color = 0, key = 0;
  std::set<int> excluded;
};

// The ranks of the parent tell each other their parts, in the turn of the ticket; then each part is connected.
ncclResult_t connect_part(Communicator& parent, std::uint64_t ticket, const Part& part, Communicator& made);

}  // namespace nvmlkit::nccl
