// Makes the changes of a machine something that poll() waits for: a thread waits for the machine's futex and writes to
// a descriptor. At rest it sleeps without an end.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "sim/state/machine.hpp"

namespace nvmlkit::node {

class Follower {
 public:
  // The machine is shared and may be written; it outlives the follower. Throws std::system_error.
  explicit Follower(const sim::Machine& machine);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Readable once the machine's count of changes is no longer the one of the last arm().
  int descriptor() const { return changed_; }

  // Begins to wait; takes back what descriptor() showed. Until then changes call no kernel and wake nobody.
  void arm(std::uint32_t seen);

 private:
  void follow();

  const sim::Machine& machine_;
  int changed_, armed_;
  std::atomic<std::uint32_t> seen_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace nvmlkit::node
