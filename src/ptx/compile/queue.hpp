// What is to be compiled while kernels run: a thread that starts with the first job, and sleeps without one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

class Compiled;

// A warp at an instruction, as it was when it came there.
struct CompileJob {
  Compiled* compiled = nullptr;
  std::uint32_t at = 0;
  CodeContext warp;
  std::vector<std::byte> registers, special, params, varied;
};

class CompileQueue {
 public:
  // That of this process. A child that was forked gets its own.
  static CompileQueue& own();

  void add(CompileJob job);
  // None of its jobs is left, and none runs any more. False: one still runs after some seconds.
  bool forget(const Compiled& compiled);
  // When the process ends: what is being compiled is waited for a moment, or short programs would begin with the same
  // piece each time. No more is begun.
  static void end();

 private:
  void live();
  bool start_thread();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<CompileJob> jobs_;
  const Compiled* busy_with_ = nullptr;
  bool has_thread_ = false, is_ending_ = false;
};

}  // namespace nvmlkit::ptx
