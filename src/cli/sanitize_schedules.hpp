// Runs of one program with several orders of its warps and blocks: how they end and what they print, compared with the
// run in the usual order.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/launch.hpp"

namespace nvmlkit::cli {

// What a program prints, kept to be compared; on request it goes on to where it would have gone.
class CapturedOutput {
 public:
  explicit CapturedOutput(bool shows);
  ~CapturedOutput() { end(); }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  // In the process of the program, before it starts.
  void enter() const;
  // Once the program has ended. Gives stdout, then stderr.
  std::string end();

 private:
  void read_on();
  bool read_from(int which);

  const bool shows_;
  int pipes_[2][2];
  std::string text_[2];
  std::uint64_t more_[2] = {};  // a digest of what is not kept
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

struct ScheduledRun {
  std::uint64_t seed = 0;  // 0: the usual order
  Ended ended;
  std::string output;
};

// "exit status 1", "signal 11", ...
std::string end_text(const Ended& ended);
// The first line in which they differ; empty: none.
std::string difference(const std::string& usual, const std::string& other);

// What the runs showed, a line each.
class ScheduleSummary {
 public:
  explicit ScheduleSummary(ScheduledRun usual) : usual_(std::move(usual)) {}

  bool is_different(const ScheduledRun& run) const;
  // `again` is a second run with the same seed: what differs there does not come from the order.
  void add(const ScheduledRun& run, const ScheduledRun* again);
  bool compares_output() const { return compares_output_; }
  std::vector<std::string> lines() const;

 private:
  bool has_other_end(const ScheduledRun& run) const;

  ScheduledRun usual_;
  bool compares_output_ = true;
  std::uint64_t runs_ = 0, other_outputs_ = 0, other_ends_ = 0;
  std::vector<std::string> changed_;
};

}  // namespace nvmlkit::cli
