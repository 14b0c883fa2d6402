// Whether one thread alone executes kernels of this process. Then atomic changes of the memory of a GPU need no atomic
// instructions of the host, which take 20 times as long as plain ones.
#pragma once

namespace nvmlkit::ptx {

// While one of these lives, a launch is being executed. Another one that begins waits for the end of a turn that is
// alone.
class Executing {
 public:
  Executing();
  ~Executing();
  Executing(const Executing&) = delete;
  Executing& operator=(const Executing&) = delete;
};

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
