// The ways of a rank to the ranks of its communicator: a ring in shared memory for those of its host, a TCP connection
// with rings at both ends for the others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libraries/nccl/segment.hpp"
#include "libraries/nccl/socket.hpp"

namespace nvmlkit::nccl {

struct Peer {
  std::uint32_t pid = 0;
  std::uint64_t process_start = 0;
  std::string bus_id;       // of its GPU
  bool is_on_host = false;  // and of the same machine
  Ring* to = nullptr;
  Ring* from = nullptr;
  Segment segment;                       // its own; of those on the host
  Socket socket;                         // to the others
  bool is_closed = false;                // the other end of the socket
  std::unique_ptr<Ring> sent, received;  // at this end of the socket
};

class Peers {
 public:
  int rank = 0;
  std::vector<Peer> all;
  Segment own;

  bool has_sockets() const;
  // Moves what sockets take and give. Whether anything moved.
  bool pump();
  // All that was sent is with the system.
  bool is_flushed() const;

  // After bytes were put into a ring, or taken out of one: the other end continues.
  void tell(int peer) const;

  std::uint32_t rung() const { return own.bell().rings.load(); }
  // Until another rank has done something since, or some milliseconds are over.
  void wait(std::uint32_t rung) const;

  // The process of the rank has ended, or the rank has left or failed: nothing more comes than what is there.
  bool is_gone(int peer) const;

  // Others learn of it.
  void stand(Standing standing);

 private:
  void wait_for_sockets() const;
};

}  // namespace nvmlkit::nccl
