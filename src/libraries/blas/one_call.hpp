// OpenBLAS without threads keeps its buffers in a table without a lock: two calls at once may get the same buffer. So
// one call runs at a time in a process.
#pragma once

#include <mutex>

namespace nvmlkit::blas {

// Held while a routine of OpenBLAS runs.
class OneCall {
 public:
  OneCall() : lock_(mutex()) {}

 private:
  static std::mutex& mutex();

  std::lock_guard<std::mutex> lock_;
};

}  // namespace nvmlkit::blas
