// How the ranks of a communicator find each other. The process that makes a unique id listens; the id has its address.
// Each rank connects to it, and then hands over bytes, round by round; each gets the bytes of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libraries/nccl/socket.hpp"
#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl {

// Starts the server of the process if it has none.
ncclResult_t make_unique_id(UniqueId& out);
// A number that stands for the id in lines for people.
std::uint64_t hash_of(const UniqueId& id);

class Bootstrap {
 public:
  // ncclRemoteError where no server or not all ranks are there, ncclInvalidUsage where ranks disagree.
  ncclResult_t begin(const UniqueId& id, int rank, int ranks, const IsOver& is_over);
  // By rank. Nothing: a rank has gone, or it is over.
  std::optional<std::vector<std::string>> exchange(const std::string& mine, const IsOver& is_over);

 private:
  Socket server_;
  int ranks_ = 0;
};

}  // namespace nvmlkit::nccl
