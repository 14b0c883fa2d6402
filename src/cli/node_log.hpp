// The kernel log of a node: the messages of its machine in a file, a pipe, /dev/kmsg or the journal.
#pragma once

#include <deque>
#include <filesystem>
#include <string>

#include "kernel_log/follower.hpp"
#include "kernel_log/output.hpp"
#include "kernel_log/record.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

class NodeLog {
 public:
  // The place in the log is in a file of this folder: a node that is started again continues there. A node that is
  // killed between a message and its place writes the message again. `target` is the name of `output`, which outlives
  // the log.
  NodeLog(const sim::Machine& machine, const std::filesystem::path& folder, const std::string& target,
          kernel_log::Output& output);

  // Writes the messages that are new. After a problem the next call tries the rest again.
  sim::Expected<void> write();

 private:
  kernel_log::Place last_place() const;
  void keep_place() const;

  std::filesystem::path place_file_;
  std::string log_;  // the machine and the target that a place is of
  kernel_log::Output& output_;
  kernel_log::Follower follower_;
  std::deque<kernel_log::Record> waiting_;
};

}  // namespace nvmlkit::cli
