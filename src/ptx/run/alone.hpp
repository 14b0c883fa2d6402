// Whether one thread alone changes the memory of GPUs (changing_memory.hpp). Then atomic changes of it need no atomic
// instructions of the host, which take 20 times as long as plain ones. Memory that the program reaches, too, is changed
// by atomic ones at all times.
#pragma once

namespace nvmlkit::ptx {

// A turn of a launch that has one thread only.
class AloneTurn {
 public:
  explicit AloneTurn(bool has_one_thread);
  ~AloneTurn();
  AloneTurn(const AloneTurn&) = delete;
  AloneTurn& operator=(const AloneTurn&) = delete;
  bool is_alone() const { return is_alone_; }

 private:
  bool is_alone_ = false;
};

}  // namespace nvmlkit::ptx
