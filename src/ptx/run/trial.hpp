// Whether a launch is faster with helpers: where threads change the same words of memory, each change waits for the
// others, and one thread that is alone changes memory by plain instructions (alone.hpp). Both are tried, once for each
// kernel.
#pragma once

#include <cstdint>
#include <ctime>

namespace nvmlkit::ptx {

class Trial {
 public:
  enum class Next : std::uint8_t { stay, alone, helped };

  // Of the thread that launched, after a turn with helpers or without. `threads`: with helpers.
  Next next(std::uint64_t instructions, unsigned threads) {
    if (is_over_ || (has_begun_ && instructions - instructions_ < kLeastInstructions)) return Next::stay;
    const auto now = processor_time();
    if (!has_begun_) return begin(instructions, now);
    if (now - time_ < kLeastTime) return Next::stay;
    const double pace = static_cast<double>(instructions - instructions_) / static_cast<double>(now - time_);
    if (is_alone_) {
      is_over_ = true;
      prefers_alone_ = pace > with_helpers_;
      return prefers_alone_ ? Next::stay : Next::helped;
    }
    with_helpers_ = pace * threads;
    is_alone_ = true;
    has_begun_ = false;
    return Next::alone;
  }

  bool is_over() const { return is_over_; }
  bool prefers_alone() const { return prefers_alone_; }

 private:
  // Of one side, instructions and nanoseconds.
  static constexpr std::uint64_t kLeastInstructions = 1 << 14;
  static constexpr std::int64_t kLeastTime = 2'000'000;

  // Other threads and programs may have the core: only the time of this one counts.
  static std::int64_t processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  Next begin(std::uint64_t instructions, std::int64_t now) {
    has_begun_ = true;
    instructions_ = instructions;
    time_ = now;
    return Next::stay;
  }

  bool has_begun_ = false, is_alone_ = false, is_over_ = false, prefers_alone_ = false;
  std::uint64_t instructions_ = 0;
  std::int64_t time_ = 0;
  double with_helpers_ = 0;
};

}  // namespace nvmlkit::ptx
