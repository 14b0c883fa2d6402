// What keeps a node from being true or ends it, for people: on stderr, and in the file of --ready-file, whose readers
// are the probes of a container.
#pragma once

#include <cstdint>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "cli/command_error.hpp"

namespace nvmlkit::cli {

// A file that could not be made, and why.
struct Trouble {
  std::string place, cause;
};

// One line for each cause: "PLACE: CAUSE, and 4 files more". A full disk has one cause and many files.
std::vector<std::string> summarize(const std::vector<Trouble>& troubles);

class NodeProblems {
 public:
  explicit NodeProblems(std::string ready_file) : ready_file_(std::move(ready_file)) {}

  // After each update. Prints each cause once while it lasts. With troubles, the file holds the first line in place of
  // the PID; without, the PID is put back if the node was ready before.
  void tell(const std::vector<Trouble>& troubles);
  // The node is true for the first time.
  void be_ready();

 private:
  void put();

  std::string ready_file_, problem_;
  std::set<std::string> told_;
  bool ready_ = false;
};

// The user has no inotify instance left: which limit it is, and how to raise it.
sim::Problem no_more_instances();

// Prints a problem that ends the command, and keeps it in the file for some seconds, so that a probe can read it.
// SIGTERM ends the wait. Returns the exit status.
int show_last_problem(const CommandError& error, const std::string& ready_file, std::uint32_t seconds);

}  // namespace nvmlkit::cli
